"""`ro-crate-metadata.json`: files of the crate, their authors, and the runs that created them (RO-Crate 1.1).

Profiles: Process Run Crate 0.5 and, if the release contains its code, Workflow Run Crate 0.5 and Workflow RO-Crate 1.0.
"""

from typing import Any

from spindlemark.release.citation import formats as citation
from spindlemark.release.citation.citation_model import Licence, Organisation, Person
from spindlemark.release.citation.formats import Citation
from spindlemark.release.manifest import File, Manifest
from spindlemark.release.ro_crate import runs

Entity = dict[str, Any]
NAME = "ro-crate-metadata.json"
# Terms that the context of RO-Crate 1.1 lacks.
TERMS = {
    "creditText": "http://schema.org/creditText",
    "environment": "https://w3id.org/ro/terms/workflow-run#environment",
    "sha256": "http://schema.org/sha256",
}
SPECIFICATION = "https://w3id.org/ro/crate/1.1"
WORKFLOW_CRATE = "https://w3id.org/workflowhub/workflow-ro-crate/1.0"
PROCESS_RUN = ("https://w3id.org/ro/wfrun/process/0.5", "Process Run Crate", "0.5")
WORKFLOW_RUN = (
    ("https://w3id.org/ro/wfrun/workflow/0.5", "Workflow Run Crate", "0.5"),
    (WORKFLOW_CRATE, "Workflow RO-Crate", "1.0"),
)
BIOSCHEMAS = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
SNAKEMAKE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"


def graph(
    about: Citation, whole: Manifest, files: dict[str, File], found: list[runs.Run], config: str, workflow: str | None
) -> Entity:
    """Return the crate's metadata. `files`: path in the crate -> facts; `config`, `workflow`: paths in the crate."""
    agents = [{"@id": _agent(author)} for author in about.authors]
    shared = runs.Shared(_profile(whole), config, agents, workflow, about.repository)
    actions = list(runs.entities(found, shared))
    profiles = [PROCESS_RUN, *(WORKFLOW_RUN if workflow else ())]
    kept = [_file(path, file) for path, file in sorted(files.items())]
    entities = [
        {
            "@id": NAME,
            "@type": "CreativeWork",
            "about": {"@id": "./"},
            "conformsTo": [{"@id": SPECIFICATION}, *([{"@id": WORKFLOW_CRATE}] if workflow else [])],
        },
        _root(about, whole, agents, profiles, workflow)
        | {
            "hasPart": [{"@id": config}, *({"@id": entity["@id"]} for entity in kept)],
            "mentions": [{"@id": action["@id"]} for action in actions if action["@type"] == "CreateAction"],
        },
        *(
            {"@id": where, "@type": "CreativeWork", "name": name, "version": version}
            for where, name, version in profiles
        ),
        _declarations(config, files),
        *(entity | _more(entity["@id"], whole, about, workflow) for entity in kept),
        *_parameters(whole, config, bool(workflow)),
        *(_author(author, about) for author in about.authors),
        *_publisher(about),
        *map(_licence, (about.licences.data, about.licences.code)),
        *actions,
    ]
    return {"@context": [f"{SPECIFICATION}/context", TERMS], "@graph": list(map(_compact, entities))}


def _compact(entity: Entity) -> Entity:
    """Compact an entity as JSON-LD recommends: a single value without a list."""
    return {
        key: value[0] if isinstance(value, list) and len(value) == 1 else value
        for key, value in entity.items()
        if value not in (None, [])
    }


def _root(about: Citation, whole: Manifest, agents: list[Entity], profiles: list, workflow: str | None) -> Entity:
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": f"{about.title}, version {whole.version}",
        "description": citation.abstract(about, whole.measured),
        "datePublished": whole.released.isoformat(),
        "version": whole.version,
        "license": {"@id": about.licences.data.address},
        "author": agents,
        "publisher": {"@id": _named(about.publisher)},
        "keywords": ", ".join(about.keywords),
        "inLanguage": about.language,
        "temporalCoverage": f"{whole.measured.first.isoformat()}/{whole.measured.last.isoformat()}",
        "conformsTo": [{"@id": where} for where, *_ in profiles],
        "identifier": f"https://doi.org/{about.doi}" if about.doi else None,
        "url": citation.address(about, whole.version),
        "creditText": citation.sentence(about, whole.version, whole.released),
        "mainEntity": {"@id": workflow} if workflow else None,
    }


def _declarations(config: str, files: dict[str, File]) -> Entity:
    return {
        "@id": config,
        "@type": "Dataset",
        "name": "Declarations",
        "description": "what was asked for, as YAML",
        "hasPart": [{"@id": path} for path in sorted(files) if path.startswith(config)],
        "exampleOfWork": {"@id": runs.CONFIG},
    }


def _file(path: str, file: File) -> Entity:
    return {
        "@id": path,
        "@type": "File",
        "name": path.rpartition("/")[2],
        "encodingFormat": file.media_type,
        "contentSize": str(file.bytes),
        "sha256": file.sha256,
    }


def _more(path: str, whole: Manifest, about: Citation, workflow: str | None) -> Entity:
    """Return further facts of two files: the one to read first, and the workflow."""
    if path == "README.md":
        return {"about": {"@id": "./"}}
    if path != workflow:
        return {}
    commits = ", ".join(whole.measured.commits) or whole.version
    return {
        "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
        "name": "Spindlemark",
        "version": commits,
        "url": about.repository,
        "programmingLanguage": {"@id": SNAKEMAKE},
        "license": {"@id": about.licences.code.address},
        "conformsTo": {"@id": BIOSCHEMAS},
        "input": [{"@id": runs.PROFILE}, {"@id": runs.CONFIG}],
    }


def _profile(whole: Manifest) -> str:
    return ", ".join(whole.measured.profiles) or whole.measured.profile


def _parameters(whole: Manifest, config: str, workflow: bool) -> list[Entity]:
    """Return the parameters of a run: its profile and its declarations."""
    value = f"{runs.PROFILE}/value"
    profile = {
        "@id": value,
        "@type": "PropertyValue",
        "name": "profile",
        "value": _profile(whole),
        "exampleOfWork": {"@id": runs.PROFILE},
    }
    formal = [
        {
            "@id": runs.PROFILE,
            "@type": "FormalParameter",
            "additionalType": "Text",
            "name": "profile",
            "description": "how much is measured",
            "workExample": {"@id": value},
        },
        {
            "@id": runs.CONFIG,
            "@type": "FormalParameter",
            "additionalType": "Dataset",
            "name": "config",
            "description": "the declarations, see config/",
            "workExample": {"@id": config},
        },
    ]
    languages: list[dict[str, Any]] = [
        {
            "@id": SNAKEMAKE,
            "@type": "ComputerLanguage",
            "name": "Snakemake",
            "identifier": {"@id": "https://snakemake.github.io"},
            "url": {"@id": "https://snakemake.github.io"},
        },
        {"@id": BIOSCHEMAS, "@type": "CreativeWork", "name": "Bioschemas ComputationalWorkflow", "version": "1.0"},
    ]
    return [profile, *formal, *(languages if workflow else [])]


def _author(author: Organisation | Person, about: Citation) -> Entity:
    if isinstance(author, Organisation):
        return {
            "@id": _agent(author),
            "@type": "Organization",
            "name": author.organisation,
            "url": about.site or about.repository,
        }
    return {
        "@id": _agent(author),
        "@type": "Person",
        "name": f"{author.given} {author.family}",
        "familyName": author.family,
        "givenName": author.given,
    }


def _agent(author: Organisation | Person) -> str:
    if isinstance(author, Person) and author.orcid:
        return author.orcid
    return _named(author.name)


def _named(name: str) -> str:
    return "#" + "".join(c if c.isalnum() else "-" for c in name)


def _publisher(about: Citation) -> list[Entity]:
    known = {_agent(author) for author in about.authors}
    where = _named(about.publisher)
    return [] if where in known else [{"@id": where, "@type": "Organization", "name": about.publisher}]


def _licence(licence: Licence) -> Entity:
    return {
        "@id": licence.address,
        "@type": "CreativeWork",
        "name": licence.title,
        "identifier": licence.identifier,
        "description": f"SPDX: {licence.identifier}",
    }
