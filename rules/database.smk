# Records and published studies -> DuckDB, one file per version of the site, and one of the studies alone.
rule database:
    input:
        records_of,
        sorted(str(path) for path in (ROOT / "workflow/sql").rglob("*.sql")),
        STUDIES,
        ERRATA,
        code=code_of("analysis.database", "release"),
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
