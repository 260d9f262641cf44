# Published studies -> the audit of their claims, and our statistics on their samples. Made once and shown by every version:
# the studies are those of data/reference as committed now, for old releases too, and no measurement changes them.
STUDIES = sorted(str(path) for path in (ROOT / "data/reference").rglob("*") if path.is_file())


rule audit:
    input:
        database="data/build/studies/spindlemark.duckdb",
        code=code_of("analysis.studies.audit"),
        sql=sources("workflow/sql"),
    output:
        "data/build/studies/audit.json",
    log:
        "data/build/logs/audit.log",
    conda:
        "../envs/publish.yaml"
    shell:
        f"{PYTHON} spindlemark.analysis.studies.audit" " {input.database:q} --output {output:q} > {log:q}"


rule published:
    input:
        database="data/build/studies/spindlemark.duckdb",
        recommendations="config/recommendations.yaml",
        questions=sorted(str(path.relative_to(ROOT)) for path in (ROOT / "config/questions").glob("*.yaml")),
        code=code_of("analysis.studies.statistics"),
        sql=sources("workflow/sql"),
    output:
        "data/build/studies/published.json",
    log:
        "data/build/logs/published.log",
    conda:
        "../envs/publish.yaml"
    params:
        width=PLAN.stability.relative_width,
    shell:
        f"{PYTHON} spindlemark.analysis.studies.statistics"
        " {input.database:q} --stability {params.width} --output {output:q} > {log:q}"
