# Records and published studies -> DuckDB, one file per version of the site, and one of the studies alone.
rule database:
    input:
        records_of,
        "workflow/spindlemark/analysis/database.py",
        sorted(str(path) for path in (ROOT / "workflow/sql").rglob("*.sql")),
        FAMILY_CODE,
        STUDIES,
        REFERENCE_CODE,
    output:
        "data/build/{version}/spindlemark.duckdb",
    log:
        "data/build/logs/{version}/database.log",
    conda:
        "../envs/publish.yaml"
    params:
        command=database_command,
    shell:
        f"{PYTHON}" " {params.command} --output {output:q} > {log:q}"
