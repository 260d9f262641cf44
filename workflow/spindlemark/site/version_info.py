"""Data of every page about its version: name, position among the releases, citation tags."""

from datetime import date
from pathlib import Path
from typing import Any

from spindlemark.analysis.findings import question_list
from spindlemark.analysis.findings.intervals import RANGE_BELOW
from spindlemark.analysis.findings.model import Findings
from spindlemark.analysis.findings.text import listed
from spindlemark.analysis.format import percent
from spindlemark.core.content_security import POLICY
from spindlemark.release import manifest, reproduce
from spindlemark.release.citation import formats as citation
from spindlemark.site import address, testbed_labels
from spindlemark.site.conditions import plain_value
from spindlemark.site.query import Key, Row
from spindlemark.site.sources import CURRENT, Sources

Page = dict[str, Any]
FORMATS = {
    "citation.bib": "BibTeX",
    "citation.ris": "RIS",
    "citation.csl.json": "CSL-JSON",
    "citation.datacite.json": "DataCite JSON",
    "CITATION.cff": "CITATION.cff",
}


def about(sources: Sources, found: dict[Key, list[Row]], findings: Findings) -> Page:
    """The version's name, date, position among the releases, and the size of its content."""
    known = sources.until()
    released = next((v["released"] for v in known if v["version"] == sources.version), None)
    return {
        "version": sources.version,
        "label": "unreleased" if sources.version == CURRENT else sources.version,
        "unreleased": sources.version == CURRENT,
        "released": released,
        "newest": known[0]["version"] if known else None,
        "policy": POLICY,
        "versions": [{key: v[key] for key in ("version", "released", "statement")} for v in known],
        "empty": not findings.groups,
        "measured": measured(found),
        "machine": machine(findings),
        "testbeds": beds(sources, found, findings),
        "kernels": any(c.question == question_list.KERNEL for c in findings.contrasts),
        "families": [
            {"family": name, "title": question_list.title(name), "path": address.family(name)}
            for name in question_list.order(g.family for g in findings.groups)
            if name != address.FIRST
        ],
        "declared": {
            "range": RANGE_BELOW,
            "confidence": percent(findings.confidence),
            "threshold": percent(findings.practical_threshold),
            "shortest_seconds": f"{findings.shortest_rankable_seconds:g}",
            "width": percent(findings.relative_width),
        },
    }


def beds(sources: Sources, found: dict[Key, list[Row]], findings: Findings) -> list[Page]:
    """Every testbed with results: description, kernels and warning."""
    used = {rows[0]["testbed"] for rows in found.values()}
    known = {g.testbed: testbed_labels.of_group(g) for g in reversed(findings.groups)}
    order = [*testbed_labels.order(findings), *sorted(used - set(known))]
    declared = sources.testbeds()
    return [
        {
            "name": name,
            "title": testbed_labels.title(name),
            "mark": "",
            **known.get(name, {}),
            "kernel": _kernels(findings, name),
            "description": declared[name].description if name in declared else "",
        }
        for name in order
        if name in used
    ]


def _kernels(findings: Findings, testbed: str) -> str:
    """The kernels of a testbed's results; a group of several sessions names all of its own."""
    own = (str(g.conditions.get("kernel", "")) for g in findings.groups if g.testbed == testbed)
    names = {name for each in own for name in each.split(", ") if name}
    return listed(sorted(names)) if names else ""


def measured(found: dict[Key, list[Row]]) -> Page:
    """Numbers and days of the measurements."""
    rows = [row for group in found.values() for row in group]
    if not rows:
        return {"experiments": 0, "repetitions": 0}
    days = sorted({row["started_at"].date() for row in rows} | {row["finished_at"].date() for row in rows})
    return {
        "experiments": len(found),
        "repetitions": len(rows),
        "ok": sum(r["status"] == "ok" for r in rows),
        "not_ok": sum(r["status"] != "ok" for r in rows),
        "first": days[0].isoformat(),
        "last": days[-1].isoformat(),
        "subjects": len({row["configuration"] for row in rows}),
    }


def machine(findings: Findings) -> list[Page]:
    """Facts about the machine that all groups share."""
    shared = [set(group.conditions.items()) for group in findings.groups]
    common = dict(set.intersection(*shared)) if shared else {}
    names = {
        "machine.cpu": "Processor",
        "machine.cpus": "CPUs",
        "kernel": "Kernel",
        "device.kind": "Device",
        "device.bytes": "Device size",
    }
    return [
        {"label": label, "value": plain_value(name, common[name])} for name, label in names.items() if name in common
    ]


def cited(sources: Sources, downloads: list[Page], static: Path) -> Page:
    """How to cite this version; only releases can be cited, because unreleased results change.

    Writes citation files below `static`, because those in a release lack addresses that it got later.
    """
    declared = sources.publication.of(citation.load(sources.config / "citation.yaml"))
    found = {
        "title": declared.title,
        "licence": declared.licences.data.model_dump(),
        "code_licence": declared.licences.code.model_dump(),
        "repository": declared.repository,
        "site": declared.site.rstrip("/") + "/" if declared.site else None,
        "description": declared.description,
    }
    if not sources.frozen:
        return found
    whole = manifest.read(sources.frozen)
    about_it = declared, whole.version, whole.released, whole.measured
    own = f"{found['site']}{whole.version}/" if found["site"] else ""
    # JSON-LD is read without the page, so it needs full addresses.
    offered = [file | {"path": own + file["path"]} for file in downloads]
    return found | {
        "sentence": citation.sentence(declared, whole.version, whole.released),
        "statement": whole.measured.statement,
        "archive": sources.publication.archive,
        "again": "\n".join(reproduce.commands(sources.frozen, whole.version, whole.measured, whole.code)),
        "formats": _formats(citation.files(*about_it), static),
        "highwire": highwire(declared, whole.version, whole.released),
        "jsonld": citation.script_text(citation.jsonld(*about_it, offered)),
    }


def highwire(declared: citation.Citation, version: str, released: date) -> list[Page]:
    """Return the citation tags of a page head."""
    return [{"name": name, "content": content} for name, content in citation.highwire(declared, version, released)]


def _formats(files: dict[str, str], static: Path) -> list[Page]:
    (static / "cite").mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (static / "cite" / name).write_bytes(text.encode())
    return [{"title": title, "path": f"cite/{name}", "text": files[name].strip()} for name, title in FORMATS.items()]
