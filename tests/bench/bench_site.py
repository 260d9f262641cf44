"""How long the site of 10,000 experiments takes to build, what its comparison weighs, and how quick its filter is.

10,000 experiments (10 testbeds x 10 libraries x 100 settings, one repetition, three metrics), each with a page of its
own and a row in every comparison. The findings are made up here, since their computing is another benchmark's matter.

Run: .venv/bin/python tests/bench/bench_site.py [--json FILE]
"""

import argparse
import gzip
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "site")]

import factory  # noqa: E402
from browsing import CHROMIUM, FLAGS, serving  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

from spindlemark import database  # noqa: E402
from spindlemark.findings.report import Cell, Draws, Findings, Group, MetricTable, Recommendation, Task  # noqa: E402
from spindlemark.paths import REFERENCE  # noqa: E402

TESTBEDS, LIBRARIES, SETTINGS, DRAWS = 10, 10, 100, 50
METRICS = {"copy_seconds": "Copy", "check_seconds": "Check", "delete_seconds": "Delete"}
CLICKS = 40
FILTER = """async (clicks) => {
    const boxes = [...document.querySelectorAll('.facets input')].slice(0, clicks / 2);
    const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const times = [];
    for (const box of [...boxes, ...boxes]) {
        const begun = performance.now();
        box.click();
        await painted();
        times.push(performance.now() - begun);
    }
    return times;
}"""


def group(testbed: str, library: str, records: dict, rng: random.Random) -> Group:
    """Findings of one group, from made-up medians."""
    subjects = [s for t, lib, s in records if (t, lib) == (testbed, library)]
    mine = [records[testbed, library, s] for s in subjects]
    tables = [table(metric, title, mine, rng) for metric, title in METRICS.items()]
    tasks = [Task(task=m, title=t, description="made up", metric=m, weight=1, reason="made up", counted=True)
             for m, t in METRICS.items()]
    draws = [[[round(abs(rng.gauss(0.2, 0.1)), 4) for _ in tasks] for _ in subjects] for _ in range(DRAWS)]
    advice = Recommendation(
        supported=False, statements=["Made up by a benchmark."], tasks=tasks, options=[],
        scores=dict.fromkeys(subjects, 1.0), probability_best=dict.fromkeys(subjects, 1 / len(subjects)), draws=Draws(
            subjects=subjects, tasks=list(METRICS), point=draws[0], log_ratio=draws, weight_factor=[[1.0] * 3] * DRAWS))
    factors = {"name": library, "files": 10, "directories": 1, "smallest": 1, "largest": 2, "total": 20,
               "content": "zero"}
    return Group(group=f"{testbed}--{library}", testbed=testbed, family="filesystem_lifecycle", library=library,
                 library_factors=factors, conditions={}, subjects=subjects, metrics=tables, absent=[], notes=[],
                 recommendation=advice)


def table(metric: str, title: str, experiments: list, rng: random.Random) -> MetricTable:
    medians = sorted((rng.lognormvariate(1, 0.4), i) for i in range(len(experiments)))
    best = medians[0][0]
    cells = [Cell(subject=experiments[i].experiment.split("--")[0], experiment=experiments[i].experiment,
                  identity=experiments[i].identity(), n=5, samples=[m * rng.lognormvariate(0, 0.05) for _ in range(5)],
                  noisy=[rng.random() < 0.1 for _ in range(5)], median=m, low=m * rng.uniform(0.9, 1),
                  high=m * rng.uniform(1, 1.1), stable=rng.random() < 0.9, rank=rank, tier=1 + rank // 20,
                  ratio=m / best, ratio_low=m / best * rng.uniform(0.85, 1), ratio_high=m / best * rng.uniform(1, 1.2))
             for rank, (m, i) in enumerate(medians, 1)]
    return MetricTable(metric=metric, title=title, unit="s", better="lower", ranked=True, why_unranked=None,
                       cells=cells, pairs=[], statement="Made up by a benchmark.")


def inputs(root: Path) -> None:
    """Records, database, findings and an empty list of versions below `root`."""
    rng, experiments, written = random.Random(1), {}, []
    for t in range(TESTBEDS):
        for lib in range(LIBRARIES):
            for s in range(SETTINGS):
                e = factory.experiment(f"fs{s % 10}", f"library{lib}", f"v{s:03d}", testbed=f"bed{t}")
                experiments[e.testbed, f"library{lib}", e.experiment.split("--")[0]] = e
                written += factory.write(root, e, 1)
    database.build(written, root / "spindlemark.duckdb", REFERENCE)
    findings = Findings(confidence=0.95, practical_threshold=0.05, shortest_rankable_seconds=0.2, weight_spread=0.35,
                        relative_width=0.2, groups=[group(f"bed{t}", f"library{lib}", experiments, rng)
                                                    for t in range(TESTBEDS) for lib in range(LIBRARIES)])
    (root / "findings.json").write_text(findings.model_dump_json())
    (root / "versions.json").write_text("[]")


def timed(*argv: str) -> float:
    """Wall seconds of one of our commands."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-m", *argv], check=True)
    return time.perf_counter() - begun


def browse(folder: Path) -> dict[str, float]:
    """Compressed weight of the comparison before a chart is used, and the time from a click to the painted table."""
    with serving(folder) as root, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page, answers = browser.new_page(), []
        page.on("response", lambda answer: answers.append(answer))
        page.goto(root + "compare/")
        page.wait_for_selector("#compare[data-ready]")
        page.wait_for_load_state("networkidle")
        weight = sum(len(gzip.compress(answer.body(), 6)) for answer in answers)
        times = page.evaluate(FILTER, CLICKS)
        browser.close()
    return {"page_kib": weight / 1024, "filter_median_ms": median(times), "filter_p95_ms": quantiles(times, n=20)[-1]}


def main() -> None:
    """Print a table; with --json also write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="spindlemark-bench-") as folder:
        root = Path(folder)
        inputs(root)
        found = {"rows": TESTBEDS * LIBRARIES * SETTINGS}
        studied = [str(root / name) for name in ("audit.json", "published.json")]
        vega = str(root / "vega.js")
        timed("spindlemark.publish.vega", "--output", vega)
        timed("spindlemark.reference.audit", str(root / "spindlemark.duckdb"), "--output", studied[0])
        timed("spindlemark.reference.statistics", str(root / "spindlemark.duckdb"), "--stability", "0.2", "--output", studied[1])
        found["publish_seconds"] = timed(
            "spindlemark.publish", str(root / "spindlemark.duckdb"), str(root / "findings.json"),
            "--audit", studied[0], "--published", studied[1], "--vega", vega, "--version", "current",
            "--versions", str(root / "versions.json"), "--raw", str(root / "data/raw"), "--output", str(root / "pages"))
        found["hugo_seconds"] = timed(
            "spindlemark.publish.site", "--pages", str(root / "pages"), "--output", str(root / "html"))
        found["assemble_seconds"] = timed(
            "spindlemark.publish.assemble", "--root", "current", "--output", str(root / "site"),
            f"current={root / 'html'}")
        found |= browse(root / "site")
    print("| rows | publish, s | Hugo, s | assemble, s | page, KiB gzip | filter median, ms | 95th percentile, ms |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    print("| {rows:,} | {publish_seconds:.1f} | {hugo_seconds:.1f} | {assemble_seconds:.1f} | {page_kib:.0f} | "
          "{filter_median_ms:.0f} | {filter_p95_ms:.0f} |".format(**found))
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
