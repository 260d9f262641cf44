# Contributions of other machines -> findings of each, from a database of its own -> replication between machines.
# A contribution never changes and is named by its content, so the time of its file is ignored.
JOINED = [path.stem for path in imported.files()]


rule analyse_contribution:
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
        " analyse {input.bundle:q} --stability {params.width} --output {output:q} > {log:q}"


rule gather:
    input:
        findings="data/build/current/findings.json",
        analysed=expand("data/build/joined/{bundle}.json", bundle=JOINED),
        code=code_of("release.contributions"),
    output:
        "data/build/current/joined.json",
    log:
        "data/build/logs/gather.log",
    conda:
        "../envs/publish.yaml"
    shell:
        f"{PYTHON} spindlemark.release.contributions"
        " gather {input.findings:q} {input.analysed:q} --output {output:q} > {log:q}"
