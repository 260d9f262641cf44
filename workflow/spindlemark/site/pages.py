"""One version's folder for Hugo: data, charts, downloads. Reads everything first, then writes file after file."""

from pathlib import Path
from typing import Any

from spindlemark.analysis.findings import findings_files, question_list
from spindlemark.analysis.findings.model import Findings, Group
from spindlemark.analysis.studies.published_model import Published
from spindlemark.analysis.studies.published_model import read as read_published
from spindlemark.site import (
    address,
    attachments,
    chart_specs,
    contrasts,
    controls,
    differences,
    downloads,
    errata_page,
    experiments,
    explore,
    explore_charts,
    group_writer,
    gzip_files,
    headings,
    home,
    machines,
    methods,
    page_parts,
    palette,
    permalinks,
    query,
    record_packs,
    redirects,
    search_index,
    share_card,
    sql_page,
    vega_script,
    version_info,
)
from spindlemark.site.charts import registry as charts
from spindlemark.site.charts.chart_model import ChartData
from spindlemark.site.configuration_labels import Configurations
from spindlemark.site.context import Context
from spindlemark.site.sources import Sources
from spindlemark.site.studies import build as studies

AT_ONCE = 300  # experiments whose records are in memory


def build(sources: Sources, output: Path) -> None:
    """Write `data/`, `assets/` and `static/` of one version below `output`, which must be empty.

    The same inputs give the same bytes. Raises UserError for inputs that are missing or damaged.
    """
    findings, published = findings_files.read(sources.findings), read_published(sources.published)
    with query.connect(sources.database) as connection:
        records = query.records(connection)
        packs = record_packs.write([row for found in records.values() for row in found], sources, output / "static")
        context = _context(connection, sources, findings, published, records)
        drawn = [key[1] for key, found in records.items() if found[0]["family"] in charts.names()]
        factors = query.factors(connection, drawn)
        listed = _experiments(connection, packs, findings, records, context, output)
        controlled = controls.build(connection, findings)
        studied = studies.build(connection, sources, published, findings, context, output)
    chart_data = ChartData(findings, records, factors, packs.record)
    joined = machines.build(sources, context, output / "static")
    offered = downloads.offer(sources, output / "static")
    about = version_info.about(sources, records, findings) | {"machines": bool(joined["machines"])}
    cited = version_info.cited(sources, offered, output / "static")
    cites = permalinks.Citable(about, cited, output / "static")
    groups = group_writer.build(
        findings, context, chart_data, machines.by_page(joined), cites, sources.filesystems(), output
    )
    metrics = _explore(findings, published, context, cites, output)
    cites.studies(studied)
    about |= _cards(findings, context, about["label"], output)
    data = studied | {
        "groups": sorted(groups, key=lambda entry: entry["family"] != address.FIRST),
        "home": home.build(findings, context, sources.planned()),
        "kernels": contrasts.kernels(findings, context),
        "methods": methods.build(findings, sources),
        "controls": controlled,
        "truth": methods.truth(),
        "glossary": methods.glossary(),
        "downloads": offered,
        "errata": errata_page.build(sources),
        "machines": joined,
        "sql": sql_page.build(sources.version, offered, output / "static"),
        "cited": cited,
        "citable": cites.pages(),
        "version": about,
        "differences": [{"version": name, **differences.compare(findings, other)} for name, other in sources.older()],
    }
    index = search_index.build(
        groups, about["families"], metrics, studied["studies"]["studies"], listed, data["glossary"]
    )
    gzip_files.write(output / "static" / search_index.PATH, page_parts.checked("search", index).encode())
    for name, content in data.items():
        page_parts.write(output / "data" / f"{name}.json", name, content)
    page_parts.write_text(output / "assets" / "vega.js", vega_script.read(sources.vega))


def _cards(findings: Findings, context: Context, label: str, output: Path) -> dict[str, Any]:
    """Write the pictures that other sites show with a link; returns their descriptions."""
    of_version, cards = share_card.build(findings, context, label), share_card.of_questions(findings, context, label)
    for drawn, card in (of_version, *cards.values()):
        file = output / "static" / card["path"]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(drawn)
    return {"card": of_version[1], "cards": {page: card for page, (_, card) in cards.items()}}


def _context(connection: Any, sources: Sources, findings: Findings, published: Published, records: dict) -> Context:
    named = {r["configuration"] for found in records.values() for r in found} | _configurations(findings.groups)
    families = {g.family for g in findings.groups}
    every = [g for study in published.studies for g in study.groups]
    configurations = Configurations(query.configurations(connection))
    published_names = sorted(_configurations([g for g in every if g.family in families]))
    looks = palette.assign(
        configurations,
        named,
        [*published_names, *sorted(_configurations(every))],
        [
            names
            for group in findings.groups
            for names in (_configurations([group]) | _study(group.family), group.candidates)
        ]
        + [
            _configurations([g for g in findings.groups if g.family == family]) | _study(family)
            for family in sorted(families)
        ],
    )
    pages = address.experiments(records)
    places = {(found[0]["testbed"], found[0]["family"], key[0]): pages[key] for key, found in records.items()}
    studied = studies.studied(connection, published)
    return Context(looks, pages, places, sources.libraries(), findings, studied, configurations)


def _configurations(groups: list[Group]) -> set[str]:
    return {s for g in groups for s in [*g.configurations, *(a.configuration for a in g.absent)]}


def _study(family: str) -> set[str]:
    return {palette.STUDY} if family in charts.with_published_values() else set()


def _explore(
    findings: Findings, published: Published, context: Context, cites: permalinks.Citable, output: Path
) -> list[dict]:
    """Write the list of metrics, their columns, the charts, and redirects from the former pages of the metrics; returns the metrics."""
    listed, drawn = [], set()
    for metric, columns in explore.metrics(findings, published, context):
        metric["columns"] = address.columns(metric["metric"])
        if metric["measured"] and metric["family"] not in drawn and (spec := explore_charts.ratios(columns)):
            drawn.add(metric["family"])
            metric["svg"] = chart_specs.svg(
                spec, f"{metric['title']}: ratio to the best, by workload and configuration."
            )
        gzip_files.write(output / "static" / metric["columns"], page_parts.checked("columns", columns).encode())
        cites.explored(metric)
        listed.append(metric)
    page_parts.write(
        output / "data" / "explore.json", "explore", {"metrics": listed, "presets": explore.presets(findings)}
    )
    page_parts.write_text(output / "static" / "explore" / "charts.json", page_parts.text(explore_charts.templates()))
    for path, text in redirects.of_metrics(listed).items():
        page_parts.write_text(output / "static" / path, text)
    return listed


def _experiments(
    connection: Any, packs: record_packs.Packs, findings: Findings, records: dict, context: Context, output: Path
) -> list[dict]:
    """Write the page of every experiment, in parts, and the list of all; returns data of each for other pages."""
    cells = experiments.cells_by_experiment(findings)
    known = {(g.testbed, g.family, g.library): g for g in reversed(findings.groups)}
    same = experiments.same_experiment(records)
    entries = []
    with page_parts.Parts(output, "experiments") as pages:
        for keys in (list(records)[at : at + AT_ONCE] for at in range(0, len(records), AT_ONCE)):
            found = query.details(connection, [identity for _, identity in keys])
            for key in keys:
                # Sessions under several kernels are one answer, whose cells have the identity of the newest.
                first, own = records[key][0], next((cells[each] for each in [key, *same[key]] if each in cells), [])
                settings = {factor["name"]: factor["value"] for factor in found.factors.get(key, [])}
                named = headings.of(first["family"], found.names[key[1]], settings, context.declared)
                look = context.looks[own[0][2].configuration if own else first["configuration"]]
                page = experiments.head(
                    records[key], context.experiments[key], look, named, _group_of(first, own, known, context)
                )
                entries.append(experiments.entry(page))
                name, equal, differing = experiments.environment(found.environments.get(key[1], {}))
                pages.add(
                    page
                    | experiments.details(key, own, found)
                    | {
                        "others": experiments.others(key, same[key], records, context.experiments),
                        "attached": attachments.of_experiment(records[key], packs.record),
                        "pack": packs.name(first),
                        "environment": name,
                        "differing": differing,
                    },
                    {name: equal},
                )
    measured = question_list.order(found[0]["family"] for found in records.values())
    titles = {family: question_list.title(family) for family in measured}
    listed = experiments.index(entries, titles, context.configurations)
    page_parts.write(output / "data" / "index.json", "index", experiments.placed(listed))
    return entries


def _group_of(row: dict, cells: list | None, known: dict, context: Context) -> dict:
    """Title and page of an experiment's group; an older result may only have a group with its workload."""
    group = cells[0][0] if cells else known.get((row["testbed"], row["family"], row["workload"]))
    return (
        {"path": context.groups[group.group], "group": context.title(group)} if group else {"path": None, "group": ""}
    )
