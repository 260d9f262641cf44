# Bundles of other machines -> what each says, from a database of its own -> the machines beside one another.
# A bundle never changes and is called by its content: its file's time means nothing.
JOINED = [path.stem for path in imported.files()]


rule hear:
    input:
        bundle=ancient("data/joined/{bundle}.zip"),
        code=code_of("release.contributions"),
        sql=sources("workflow/sql"),
        declared=["config/recommendations.yaml", "config/filesystems.yaml", "config/libraries.yaml"],
        questions=sources("config/questions"),
    output:
        "data/build/joined/{bundle}.json",
    log:
        "data/build/logs/joined/{bundle}.log",
    conda:
        "../envs/publish.yaml"
    params:
        width=PLAN.stability.relative_width,
    shell:
        f"{PYTHON} spindlemark.release.contributions"
        " hear {input.bundle:q} --stability {params.width} --output {output:q} > {log:q}"


rule gather:
    input:
        findings="data/build/current/findings.json",
        heard=expand("data/build/joined/{bundle}.json", bundle=JOINED),
        code=code_of("release.contributions"),
    output:
        "data/build/current/joined.json",
    log:
        "data/build/logs/gather.log",
    conda:
        "../envs/publish.yaml"
    shell:
        f"{PYTHON} spindlemark.release.contributions"
        " gather {input.findings:q} {input.heard:q} --output {output:q} > {log:q}"
