# A run: its plan, the trial of each testbed, the repetitions (measure/), the account.
localrules:
    plan,


# The plan becomes the last run's: the specs are there, and what is published follows it.
rule plan:
    output:
        "data/build/runs/{run}/planned",
    log:
        "data/build/runs/{run}/logs/plan.log",
    priority: 1000000
    conda:
        "../envs/measure.yaml"
    params:
        settings=lambda wildcards: json.dumps(config),  # a function: its braces are no wildcards
    shell:
        f"{PYTHON} spindlemark.measure.plan" " {params.settings:q} --output {output:q} > {log:q}"


# Each testbed is tried once before its first repetition; one that cannot work is set aside, and the others are measured.
rule trial:
    input:
        PLANNED,
    output:
        "data/build/runs/{run}/tried/{testbed}",
    log:
        "data/build/runs/{run}/logs/tried/{testbed}.log",
    priority: 1000000
    conda:
        "../envs/measure.yaml"
    threads: workflow.cores
    shell:
        f"{PYTHON} spindlemark.measure"
        " --try {wildcards.testbed:q} --run data/build/runs/{wildcards.run:q} --output {output:q} > {log:q}"


# Fails when something was set aside, after everything else was measured.
rule account:
    input:
        NOTES,
    output:
        touch("data/build/runs/{run}/accounted"),
    log:
        "data/build/runs/{run}/logs/account.log",
    conda:
        "../envs/measure.yaml"
    shell:
        f"{PYTHON} spindlemark.measure" " --account --run data/build/runs/{wildcards.run:q} > {log:q}"


rule measured:
    input:
        PLANNED,
        [f"{RUN}/accounted"] if NOTES else [],
