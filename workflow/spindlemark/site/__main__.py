"""`python -m spindlemark.site DATABASE FINDINGS --audit FILE --published FILE --vega FILE --version V
--versions FILE --output DIR`.
"""

import argparse
from pathlib import Path

from spindlemark.core import paths
from spindlemark.core.errors import command
from spindlemark.site import pages, sources, static_charts
from spindlemark.site.replace_folder import swapped


def main() -> int:
    """Write the Hugo input of one version."""
    parser = argparse.ArgumentParser(prog="spindlemark.site", description=__doc__)
    parser.add_argument("database", type=Path)
    parser.add_argument("findings", type=Path)
    parser.add_argument("--audit", type=Path, required=True, help="audit of the published studies")
    parser.add_argument("--joined", type=Path, nargs="?", help="conclusions of other machines; a release may have none")
    parser.add_argument("--published", type=Path, required=True, help="statistics of the published studies")
    parser.add_argument("--vega", type=Path, required=True, help="script that draws the charts in a browser")
    parser.add_argument("--version", required=True, help="`current`, or the name of a release")
    parser.add_argument("--versions", type=Path, required=True, help="list of all releases")
    parser.add_argument("--output", type=Path, required=True, help="folder to write; replaced when it exists")
    parser.add_argument("--raw", type=Path, default=paths.RAW, help="folder of the unreleased records")
    parser.add_argument("--releases", type=Path, default=paths.RELEASES, help="folder of the releases")
    given = parser.parse_args()
    chosen = sources.Sources(
        given.version,
        sources.read_versions(given.versions),
        given.database,
        given.findings,
        given.audit,
        given.published,
        given.vega,
        given.raw,
        given.releases,
        given.joined,
    )
    sources.check(given.version, chosen)
    with swapped(given.output) as folder:
        pages.build(chosen, folder)
    static_charts.forget()
    return 0


if __name__ == "__main__":
    command(main)
