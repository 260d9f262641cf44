# Before the first repetition: the plan with its specs, and a trial of each testbed that lacks a record.
localrules:
    plan,


rule plan:
    output:
        f"{RUN}/provenance.json",
        NEW_SPECS,
    log:
        "data/build/logs/plan.log",
    priority: 1000000
    conda:
        "../envs/measure.yaml"
    threads: workflow.cores  # alone: what publishes would hold a core that the trial waits for
    params:
        settings=lambda wildcards: json.dumps(config),  # a function, so that Snakemake does not read its braces as wildcards
    message:
        "Write the plan"
    shell:
        f"{PYTHON} spindlemark.measure" " --plan {params.settings:q}" f" --run {RUN} > {{log:q}}"


# A testbed that cannot work fails here; with `keep-going` its repetitions are skipped, and the other testbeds are measured.
rule trial:
    input:
        f"{RUN}/provenance.json",
    output:
        f"{RUN}/tried/{{testbed}}",
    log:
        "data/build/logs/tried/{testbed}.log",
    priority: 1000000
    retries: 1
    conda:
        "../envs/measure.yaml"
    threads: workflow.cores
    message:
        "Try testbed {wildcards.testbed}"
    shell:
        f"{PYTHON} spindlemark.measure" " --try {wildcards.testbed:q} --output {output:q}" f" --run {RUN} > {{log:q}}"
