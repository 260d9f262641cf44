"""Configurations: filesystems with their settings, and workloads, in words."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from spindlemark.analysis.findings import labels, text
from spindlemark.analysis.findings.cells import Comparable, Configuration
from spindlemark.analysis.findings.model import FilesystemSettings
from spindlemark.config import Filesystem, Library, Name, Questions, read_yaml
from spindlemark.core.paths import CONFIG
from spindlemark.core.record import Part

DEFAULT = "default"


@dataclass(frozen=True)
class Catalogue:
    """The declared names behind factor values."""

    filesystems: dict[Name, Filesystem]
    libraries: dict[Name, Library]


def catalogue(folder: Path = CONFIG) -> Catalogue:
    """What `folder` declares; raises UserError naming file and key."""
    return Catalogue(
        read_yaml(folder / "filesystems.yaml", dict[Name, Filesystem]),
        read_yaml(folder / "libraries.yaml", dict[Name, Library]),
    )


def settings_of(
    group: Comparable, known: Catalogue, questions: Questions | None = None
) -> dict[str, FilesystemSettings]:
    """What each was measured with, by its name; those without a filesystem are left out."""
    each = {s.name: _configuration(s, group.own.get(s.name, ()), known, questions) for s in group.configurations}
    return {name: found for name, found in each.items() if found is not None}


def _configuration(
    configuration: Configuration, named: Sequence[Part], known: Catalogue, questions: Questions | None
) -> FilesystemSettings | None:
    """What was measured under a name that has the parts `named`.

    None without a filesystem, for example in some studies, and where the family's main question does not compare
    filesystems: then they are only below what is compared.
    """
    settings = configuration.settings
    if "filesystem.name" not in settings or (
        questions and "filesystem" not in next(iter(questions.questions.values())).compare
    ):
        return None
    name, variant = settings["filesystem.name"], settings.get("filesystem.variant", DEFAULT)
    declared = known.filesystems.get(name)
    setting = "" if variant == DEFAULT else (declared and declared.options(variant).description) or f"setting {variant}"
    return FilesystemSettings(
        filesystem=name,
        variant=variant,
        scheduler=settings.get("scheduler"),
        mkfs=_words(settings.get("filesystem.mkfs")),
        mount=_words(settings.get("filesystem.mount")),
        description=text.settings(setting, _named_scheduler(named)),
    )


def apart(found: Mapping[str, FilesystemSettings]) -> dict[str, str]:
    """Configuration -> its settings in words; empty where all have the same settings."""
    described = {name: each.description for name, each in found.items()}
    return described if len(set(described.values())) > 1 else {}


def default_of(configuration: Configuration, group: Comparable) -> Configuration | None:
    """The candidate with the same filesystem; None where the configuration is that itself, or there is none."""
    name = configuration.settings.get("filesystem.name")
    if name is None or configuration.candidate:
        return None
    return next(
        (other for other in group.configurations if other.candidate and other.settings.get("filesystem.name") == name),
        None,
    )


def workload(group: Comparable, known: Catalogue, family_questions: Questions | None) -> str:
    """The workload in words: the library's title, or the other factor values as the family's questions speak of them."""
    declared = known.libraries.get(group.library)
    if declared:
        return declared.title
    return labels.heading(_parts(group.workload, group, family_questions))


def in_words(parts: Sequence[Part], group: Comparable, family_questions: Questions | None) -> str:
    """Parts of the names that all of a group share, in the family's words."""
    return labels.workload(_parts(parts, group, family_questions))


def _parts(parts: Sequence[Part], group: Comparable, family_questions: Questions | None) -> list[labels.Part]:
    settings = next((configuration.settings for configuration in group.configurations), {})
    return labels.parts(parts, family_questions.words if family_questions else {}, settings)


def _named_scheduler(named: Sequence[Part]) -> str | None:
    return next((part.under for part in named if part.under), None)


def _words(text: str | None) -> list[str]:
    """A list of words; studies print plain text, which is one."""
    if not text:
        return []
    try:
        found = json.loads(text)
    except ValueError:
        return [text]
    return [str(word) for word in found] if isinstance(found, list) else [text]
