"""The README of a release: its content, and how to read, check and cite it."""

from datetime import date

from spindlemark.release.citation.citation_model import Citation, Measured, sentence

TEXT = """\
# {title}, version {version}

Released on {released}. {former}{statement}

{description}

## Files

| file | content |
|---|---|
| `repetitions.parquet` | every repetition: status, reason of a failure, time and session |
| `measurements.parquet` | every measured value: experiment, repetition, metric, unit, value |
| `factors.parquet` | every factor of every experiment, with all defaults filled in |
| `environment.parquet` | the state of the machine at each repetition |
| `commands.parquet` | every command with its exit code, duration in seconds and output |
| `validity.parquet` | every validity gate: observed value and bound |
| `claims.parquet` | every claim of the published studies, its verdict from the study's own figures, and the query |
| `findings.json.zst` | intervals, tiers and recommendations as published with this version |
| `records.parquet` | the raw results, from which everything else was computed: path, SHA-256 and bytes of each record and spec |
| `config/` | the declarations at the time of the release |
| `workflow.zip` | the rules of the workflow that froze the release, if it was run from its repository |
| `envs/kernels.yaml` | the kernels of the virtual machines, by SHA-256 |
| `envs/zfs.yaml` | the packages of ZFS for them, by SHA-256 |
| `CITATION.cff`, `citation.*` | this version in the formats of reference managers and repositories |
| `manifest.json` | size, media type and SHA-256 of every other file, SHA-256 of every record, the commit of the program |

Times are UTC. Bytes are bytes; MiB and GiB are powers of 1024. The unit of each value is in the same row.

## Values

{variables}

## Outcome of the repetitions

{statuses}

Collected from {first} to {last}{commits}.

## Check

`python -m spindlemark.release verify {version}` compares every file and record with the manifest;
`./spindlemark release unpack {version} --output FOLDER` writes each record and table as a plain file. A release never changes:
a correction is a new version.

## Measure it again

On a Debian-like Linux machine with Python 3.11 and root:

```sh
{again}
```

## Cite

{citation}

## Licence

The data are under {licence} ({identifier}, {address}).
"""


def text(
    citation: Citation, version: str, released: date, measured: Measured, again: list[str], former: str | None = None
) -> str:
    """Return the README as Markdown. `again`: the commands that measure it again; `former`: its earlier name."""
    data = citation.licences.data
    return TEXT.format(
        title=citation.title,
        version=version,
        released=released,
        former=f"Until format 2 of releases it was called {former}. " if former else "",
        statement=measured.statement,
        description=citation.description,
        first=measured.first,
        last=measured.last,
        commits=_commits(measured),
        variables="\n".join(f"- `{v.name}` ({v.unit}): {v.title}; {v.description}" for v in measured.variables),
        statuses="\n".join(f"- {status}: {count}" for status, count in measured.statuses.items()),
        again="\n".join(again),
        citation=sentence(citation, version, released),
        licence=data.title,
        identifier=data.identifier,
        address=data.address,
    )


def _commits(measured: Measured) -> str:
    return f", by this project's code at commit {', '.join(measured.commits)}" if measured.commits else ""
