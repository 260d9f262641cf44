# Records and published studies -> DuckDB, one file per version of the site, and one of the studies alone.
def records_of(wildcards):
    """A release's manifest vouches for its records; the current version depends on each of its own."""
    if wildcards.version == "studies":
        return []
    if wildcards.version == "current":
        return [*PLANNED, *FOUND, *NOTES]
    return f"data/releases/{wildcards.version}/manifest.json"


def source_of(wildcards):
    if wildcards.version == "studies":
        return "--studies"
    if wildcards.version == "current":
        return "--current"
    return f"--release data/releases/{wildcards.version}"


rule database:
    input:
        records_of,
        "workflow/spindlemark/database.py",
        sorted(str(path) for path in (ROOT / "workflow/sql").rglob("*.sql")),
        FAMILY_CODE,
        STUDIES,
        REFERENCE_CODE,
    output:
        "data/build/{version}/spindlemark.duckdb",
    params:
        source=source_of,
    shell:
        "{PYTHON} spindlemark.database {params.source} --output {output:q}"
