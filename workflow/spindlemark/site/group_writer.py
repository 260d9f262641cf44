"""The pages of all groups: written in parts, each with its charts, pictures, files of its answer and data for other weights."""

from pathlib import Path

from spindlemark.analysis.findings.model import Findings, Group
from spindlemark.config.models import Filesystem
from spindlemark.site import (
    address,
    answer_files,
    answer_tabs,
    chart_files,
    chart_parts,
    chart_specs,
    features,
    group_pages,
    gzip_files,
    heatmap,
    page_parts,
    permalinks,
)
from spindlemark.site.charts import registry as charts
from spindlemark.site.charts.chart_model import ChartData
from spindlemark.site.context import Context

UNWEIGHED = 6  # metrics with a chart where no task is weighed


def build(
    findings: Findings,
    context: Context,
    chart_data: ChartData,
    replications: dict[str, list[dict]],
    cites: permalinks.Citable,
    filesystems: dict[str, Filesystem],
    output: Path,
) -> list[dict]:
    """Write the page of every group, in parts, with charts, pictures and draws; return data of each for other pages.

    `replications`: page -> conclusions of several machines on its question.
    """
    entries: list[dict] = []
    # Place -> the entry with the most values and configurations.
    leads: dict[tuple[str, str], tuple[tuple[int, int], dict]] = {}
    with page_parts.Parts(output, "libraries") as libraries, page_parts.Parts(output, "questions") as answers:
        for group in findings.groups:
            page = _group(group, context, chart_data, output)
            cites.group(page)
            page["elsewhere"] = replications.get(page["path"], [])
            page["tabs"] = answer_tabs.of_groups(
                [g for g in findings.groups if g.family == group.family], context, group
            )
            page["features"] = features.table(group, filesystems)
            page["amounts"] = heatmap.amounts(group, findings.groups, context)
            own = answer_files.of_group(group, findings, context, cites.about)
            page["badge"] = answer_files.BADGE in own
            for name, text in own.items():
                page_parts.write_text(output / "static" / page["path"] / name, text)
            (libraries if group.family == address.FIRST else answers).add(page, {})
            entries.append(entry := group_pages.entry(page))
            for shown in entry["pictures"]:
                rank, key = (
                    (chart_parts.values(shown), len(group.configurations)),
                    group_pages.picture_place(group.family, shown),
                )
                leads[key] = max(leads.get(key, ((0, 0), {})), (rank, entry), key=lambda found: found[0])
    known = {family for family, name in leads if name}
    for entry in entries:
        keys = [(group_pages.picture_place(entry["family"], p), p) for p in entry["pictures"]]
        entry["pictures"] = [p for key, p in keys if leads[key][1] is entry and (key[1] or key[0] not in known)]
    return entries


def _group(group: Group, context: Context, chart_data: ChartData, output: Path) -> dict:
    page = group_pages.page(group, context) | {"pictures": _pictures(group, context, chart_data, output)}
    tasked = group.recommendation.tasks if group.recommendation else []
    tasks = [t.metric for t in tasked] or [t.metric for t in group.metrics if t.ranked][:UNWEIGHED]
    tables = {table.metric: table for table in group.metrics}
    files: chart_files.Files = {}
    for shown in page["metrics"]:
        table = tables[shown["metric"]]
        shown["task"] = table.metric in tasks
        shown["for"] = next(
            (
                f"task {t.title}, weight {t.weight:g}" + ("" if t.counted else ", not counted")
                for t in tasked
                if t.metric == table.metric
            ),
            None,
        )
        drawn = {cell["subject"]["name"] for cell in shown["first"]}
        spec = chart_specs.metric_chart(table, context.looks, drawn) if shown["task"] else None
        if spec:
            shown["svg"] = chart_specs.svg(spec, f"{table.title}, {page['title']}: every sample. {table.statement}")
            shown["spec"] = chart_files.add(files, page_parts.text(spec).encode(), chart_files.JSON)
    chart_files.write(files, output / "static")
    advice = group.recommendation
    for name, weighed in (("draws", advice and advice.draws), ("weighing", advice and advice.weighing)):
        if weighed:
            page["weigh"] = {"kind": name, "path": f"{page['path']}{name}.json.gz"}
            gzip_files.write(
                output / "static" / page["weigh"]["path"], page_parts.checked(name, weighed.model_dump()).encode()
            )
    page["metrics"].sort(key=lambda shown: tasks.index(shown["metric"]) if shown["task"] else len(tasks))
    return page


def _pictures(group: Group, context: Context, chart_data: ChartData, output: Path) -> list[dict]:
    wanted = [o.configuration for o in group.recommendation.options] if group.recommendation else []
    pages, files = chart_parts.page(
        charts.of_group(group, chart_data),
        context,
        context.configurations.leading(group.configurations, wanted),
    )
    chart_files.write(files, output / "static")
    return pages
