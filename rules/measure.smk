# One job = one repetition, alone on the machine; its output is the record. The path holds the identity, so a change of
# anything that may change the number is a new path, which is missing, which runs. A record is written once: Snakemake
# neither removes it (`update`) nor makes it again because another file is newer (the spec is `ancient`).
rule measured:
    input:
        PLANNED if MEASURE else [],
        list(dict.fromkeys([*FOUND, *MISSING])) if SHOWN and MEASURE else MISSING,


for family in FAMILIES if MEASURE else []:

    rule:
        name:
            f"measure_{family}"
        input:
            trial_of(family),
            spec=ancient(f"data/raw/{{testbed}}/{family}/{{experiment}}/{{identity}}/spec.json"),
        output:
            update(f"data/raw/{{testbed}}/{family}/{{experiment}}/{{identity}}/rep-{{n}}.json"),
        log:
            f"data/build/logs/measure/{{testbed}}/{family}/{{experiment}}/{{identity}}/rep-{{n}}.log",
        wildcard_constraints:
            identity=LACKING,
        priority: priority_of(family)
        retries: 1
        conda:
            "../envs/measure.yaml"
        threads: workflow.cores
        resources:
            runtime=lambda wildcards: minutes_of(wildcards.identity),
        params:
            why=lambda wildcards: why(wildcards.identity),
        message:
            "Measure {output}: {params.why}"
        shell:
            f"{PYTHON} spindlemark.measure" " {input.spec:q} --repetition {wildcards.n}" f" --run {RUN} > {{log:q}}"
