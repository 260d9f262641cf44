"""How long the site of 10,000 experiments takes to build in real shapes, what it weighs, and how quick its filter is.

The records are those of the newest release, over and over on further testbeds (`shapes.py`). A second building shows what a
version costs whose charts were drawn before. CPU seconds and the most memory of each stage.

Run: .venv/bin/python tests/bench/bench_site.py [--copies 22] [--repetitions 10] [--json FILE]
"""

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median, quantiles

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "helpers")]

from playwright.sync_api import sync_playwright  # noqa: E402

import shapes  # noqa: E402
from browsing import CHROMIUM, FLAGS, serving  # noqa: E402

CLICKS = 40
# With drawings of its own: those of the project may be there from the last time.
PUBLISH = """import sys
from pathlib import Path
from spindlemark.core import paths
from spindlemark.core.errors import command
from spindlemark.site.__main__ import main
paths.BUILD = Path(sys.argv.pop(1))
command(main)"""
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


def measured(*argv: object) -> tuple[float, float]:
    """CPU seconds of a Python program and the most memory that it held, in MB."""
    child = subprocess.Popen([sys.executable, "-P", *map(str, argv)], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{argv[1]}: ended with {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def stages(root: Path) -> dict[str, tuple[float, float]]:
    """Every command from records to a site, in their order: its CPU seconds and MB."""
    database, findings, pages, html = (root / name for name in ("x.duckdb", "findings.json", "pages", "html"))
    (root / "versions.json").write_text("[]")
    measured("-m", "spindlemark.site.vega_script", "--output", root / "vega.js")
    measured("-m", "spindlemark.site.sql_engine", "--output", root / "sql_engine")
    found = {"database": measured("-c", shapes.DATABASE, root / "records", database)}
    measured("-m", "spindlemark.analysis.studies.audit", database, "--output", root / "audit.json")
    measured(
        "-m",
        "spindlemark.analysis.studies.statistics",
        database,
        "--stability",
        0.2,
        "--output",
        root / "published.json",
    )
    found["findings"] = measured(
        "-m", "spindlemark.analysis.findings", database, "--stability", 0.2, "--output", findings
    )
    for name in ("publish", "publish again"):
        found[name] = measured(
            "-c",
            PUBLISH,
            root / "build",
            database,
            findings,
            "--audit",
            root / "audit.json",
            "--published",
            root / "published.json",
            "--vega",
            root / "vega.js",
            "--version",
            "current",
            "--versions",
            root / "versions.json",
            "--raw",
            root / "records",
            "--output",
            pages,
        )
    found["Hugo"] = measured(
        "-m", "spindlemark.site.hugo", "--pages", pages, "--engine", root / "sql_engine", "--output", html
    )
    return found


def browse(folder: Path) -> dict[str, float]:
    """Compressed weight of Explore before a chart is used, and the time from a click to the painted table."""
    with serving(folder) as root, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page, answers = browser.new_page(), []
        page.on("response", lambda answer: answers.append(answer))
        page.goto(root + "explore/")
        page.wait_for_selector("#explore[data-ready]")
        page.wait_for_load_state("networkidle")
        weight = sum(len(gzip.compress(answer.body(), 6)) for answer in answers)
        times = page.evaluate(FILTER, CLICKS)
        browser.close()
    return {"page_kib": weight / 1024, "filter_median_ms": median(times), "filter_p95_ms": quantiles(times, n=20)[-1]}


def main() -> None:
    """Print two tables; with --json also write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--copies", type=int, default=22, help="how often the release's experiments are there")
    parser.add_argument("--repetitions", type=int, help="of each; without it, as many as it has")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="spindlemark-bench-") as folder:
        root = Path(folder)
        records = shapes.write(root / "records", given.copies, given.repetitions)
        found = stages(root)
        pages = [page.stat().st_size for page in (root / "html").rglob("*.html")]
        weighed = {
            "records": records,
            "pages": len(pages),
            "largest_kib": max(pages) / 1024,
            "pages_mib": sum(pages) / 2**20,
        }
        shutil.rmtree(root / "records")
        weighed |= browse(root / "html")
    print("| stage | CPU, s | memory, MB |\n|---|---:|---:|")
    for stage, (seconds, size) in found.items():
        print(f"| {stage} | {seconds:.1f} | {size:.0f} |")
    print(
        "\n| records | pages | HTML, MiB | largest page, KiB | comparison, KiB gzip | filter median, ms | 95th percentile, ms |"
        "\n|---:|---:|---:|---:|---:|---:|---:|"
    )
    print(
        "| {records:,} | {pages:,} | {pages_mib:.0f} | {largest_kib:.0f} | {page_kib:.0f} | {filter_median_ms:.0f} | "
        "{filter_p95_ms:.0f} |".format(**weighed)
    )
    if given.json:
        given.json.write_text(json.dumps({"stages": found} | weighed, indent=1))


if __name__ == "__main__":
    main()
