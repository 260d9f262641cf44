# DuckDB -> findings.json. A release keeps the findings that it was published with.
rule findings:
    input:
        database="data/build/current/spindlemark.duckdb",
        recommendations="config/recommendations.yaml",
        questions=sorted(str(path.relative_to(ROOT)) for path in (ROOT / "config/questions").glob("*.yaml")),
        words=["config/filesystems.yaml", "config/libraries.yaml"],
        code=code_of("analysis.findings"),
        sql=sources("workflow/sql"),
    output:
        "data/build/current/findings.json",
    log:
        "data/build/logs/findings.log",
    conda:
        "../envs/publish.yaml"
    params:
        width=PLAN.stability.relative_width,
    shell:
        f"{PYTHON} spindlemark.analysis.findings"
        " {input.database:q} --stability {params.width} --output {output:q} > {log:q}"
