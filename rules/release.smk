# The current version -> an immutable folder. Only asked for by name: ./spindlemark release VERSION.
# The folder itself is not an output: Snakemake removes outputs before it makes them, and a release is never removed.
rule release:
    input:
        database="data/build/current/spindlemark.duckdb",
        findings="data/build/current/findings.json",
        joined="data/build/current/joined.json",
        plan="data/build/plan.json",
    output:
        touch("data/build/releases/{version}.frozen"),
    log:
        "data/build/logs/{version}/release.log",
    conda:
        "../envs/publish.yaml"
    shell:
        f"{PYTHON} spindlemark.release"
        " freeze {wildcards.version} --plan {input.plan:q} --database {input.database:q}"
        " --findings {input.findings:q} --joined {input.joined:q} > {log:q}"
