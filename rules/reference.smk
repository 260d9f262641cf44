# Published studies -> the audit of their claims, and our statistics on their samples. Each version has its own, so that
# its pages need nothing else; the studies are those of data/reference as committed now, for old releases too.
STUDIES = sorted(str(path) for path in (ROOT / "data/reference").rglob("*") if path.is_file())
REFERENCE_CODE = sorted(
    str(path)
    for path in (ROOT / "workflow/spindlemark/reference").rglob("*")
    if path.suffix in (".py", ".sql")
)


rule audit:
    input:
        database="data/build/{version}/spindlemark.duckdb",
        studies=STUDIES,
        code=REFERENCE_CODE,
    output:
        "data/build/{version}/audit.json",
    shell:
        "{PYTHON} spindlemark.reference.audit {input.database} --output {output}"


rule published:
    input:
        database="data/build/{version}/spindlemark.duckdb",
        recommendations="config/recommendations.yaml",
        studies=STUDIES,
        code=REFERENCE_CODE,
        findings=sorted(str(path) for path in (ROOT / "workflow/spindlemark/findings").glob("*.py")),
    output:
        "data/build/{version}/published.json",
    params:
        width=PLAN.stability.relative_width,
    shell:
        "{PYTHON} spindlemark.reference.statistics {input.database} --stability {params.width} --output {output}"
