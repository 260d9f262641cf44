"""Configurations: filesystems with their settings, and workloads, in words."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
    """What each was measured with, by its name; those without a filesystem are left out.

    None where the family's main question does not compare filesystems: then they are only below what is compared.
    """
    factors = group.fields
    if questions and not _compares(questions, factors.get("filesystem", "")):
        return {}
    each = {s.name: _settings(s, factors, group.own.get(s.name, ()), known) for s in group.configurations}
    return {name: found for name, found in each.items() if found is not None}


def _settings(
    configuration: Configuration, factors: Mapping[str, str], named: Sequence[Part], known: Catalogue
) -> FilesystemSettings | None:
    """What was measured under a name that has the parts `named`; None without a filesystem, for example in some studies.

    `factors`: field of the settings -> the factor that has it.
    """
    found = {field: configuration.settings.get(factor) for field, factor in factors.items()}
    name, variant = found.get("filesystem"), found.get("variant") or DEFAULT
    if name is None:
        return None
    filesystem = known.filesystems.get(name)
    setting = (
        "" if variant == DEFAULT else (filesystem and filesystem.options(variant).description) or f"setting {variant}"
    )
    return FilesystemSettings(
        filesystem=name,
        variant=variant,
        scheduler=found.get("scheduler"),
        mkfs=_words(found.get("mkfs")),
        mount=_words(found.get("mount")),
        description=text.settings(setting, _named_scheduler(named)),
    )


def without_legacy(group: Comparable, known: Catalogue) -> Comparable:
    """The group, in which configurations of legacy filesystems are not candidates, if its question compares filesystems."""
    factor = group.fields.get("filesystem", "")

    def judged(configuration: Configuration) -> Configuration:
        filesystem = known.filesystems.get(configuration.settings.get(factor, ""))
        why = filesystem.legacy if filesystem and configuration.candidate else None
        return replace(configuration, candidate=False, legacy=why) if why else configuration

    if group.baseline is not None or len({each.settings.get(factor) for each in group.configurations}) < 2:
        return group
    return replace(group, configurations=[judged(each) for each in group.configurations])


def apart(found: Mapping[str, FilesystemSettings]) -> dict[str, str]:
    """Configuration -> its settings in words; empty where all have the same settings."""
    described = {name: each.description for name, each in found.items()}
    return described if len(set(described.values())) > 1 else {}


def default_of(configuration: Configuration, group: Comparable) -> Configuration | None:
    """The candidate with the same filesystem; None where the configuration is that itself, or there is none."""
    factor = group.fields.get("filesystem", "")
    name = configuration.settings.get(factor)
    if name is None or configuration.candidate:
        return None
    return next(
        (other for other in group.configurations if other.candidate and other.settings.get(factor) == name),
        None,
    )


def workload(group: Comparable, known: Catalogue, family_questions: Questions | None) -> str:
    """The workload in words: the library's title, or the other factor values as the family's questions speak of them."""
    library = known.libraries.get(group.library)
    if library:
        return library.title
    names = {group.fields.get("filesystem", "")}
    return labels.heading(_parts(group.workload, group, family_questions), names)


def in_words(parts: Sequence[Part], group: Comparable, family_questions: Questions | None) -> str:
    """Parts of the names that all of a group share, in the family's words."""
    return labels.workload(_parts(parts, group, family_questions))


def _parts(parts: Sequence[Part], group: Comparable, family_questions: Questions | None) -> list[labels.Part]:
    settings = next((configuration.settings for configuration in group.configurations), {})
    return labels.parts(parts, family_questions.words if family_questions else {}, settings)


def _compares(questions: Questions, factor: str) -> bool:
    """Whether the main question compares a factor, or what it is a part of."""
    return factor.partition(".")[0] in next(iter(questions.questions.values())).compare


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
