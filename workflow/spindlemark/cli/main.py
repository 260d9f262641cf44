"""Define the command line: the name, the order in the help and an example of each command."""

import typer

from spindlemark.cli.commands import contributions, development, measuring, releases, results
from spindlemark.cli.terminal import exit_codes

PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True}

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="Measure how to store and serve media, and publish the results as a citable site.",
)
release = typer.Typer(
    cls=releases.ReleaseGroup, no_args_is_help=True, help="Freeze what was measured, or unpack a release."
)
new = typer.Typer(no_args_is_help=True, help="Write the files that something new needs, from working templates.")


def _example(words: str) -> str:
    return f"Example: `./spindlemark {words}`"


# The help lists commands in this order, and groups after them.
app.command("run", epilog=_example("run --profile quick --budget 20"))(measuring.run)
app.command("plan", epilog=_example("plan --profile standard"))(measuring.plan)
app.command("site", epilog=_example("site && ./spindlemark serve"))(results.site)
app.command("serve", epilog=_example("serve --port 8080"))(results.serve)
app.command("cite", epilog=_example("cite 2026.11 --doi 10.5281/zenodo.1234567"))(releases.cite)
app.command("crate", epilog=_example("crate 2026.11"))(releases.crate)
app.command("export", epilog=_example("export --session 2026-11-23-f0ac"))(contributions.export)
app.command("import", epilog=_example("import amd-epyc-ccba36e7-2b038d3994cb.zip"))(contributions.import_contributions)
app.command("deploy", epilog=_example("deploy --folder /srv/www/spindlemark"))(results.deploy)
app.command("doctor", epilog=_example("doctor"))(development.doctor)
app.command("show", epilog=_example("show ext4--picture"))(results.show)
app.command("test", context_settings=PASSED_ON, epilog=_example("test -k guard"))(development.test)
release.command("unpack")(releases.unpack)
release.command("freeze")(releases.freeze)
app.add_typer(release, name="release", epilog=_example("release 2026.11"))
new.command("family", epilog=f"{_example('new family file_copies')}; see docs/add-a-family.md")(development.new_family)
app.add_typer(new, name="new")

# Former names still work.
app.command("bundle", hidden=True)(contributions.export)
app.command("join", hidden=True)(contributions.import_contributions)
app.command("publish", hidden=True)(results.deploy)


def main() -> None:
    """Run the command line; `exit_codes.exits` says how it ends."""
    with exit_codes.exits():
        app()
