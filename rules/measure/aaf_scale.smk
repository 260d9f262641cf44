# One job = one repetition, alone on the machine. The path holds the identity, so a change of anything that may change the
# number is a new path; what is missing is asked for by name, and nothing else makes a job run again.
rule measure_aaf_scale:
    input:
        "data/build/runs/{run}/tried/{testbed}",
    output:
        touch("data/build/runs/{run}/measured/{round}/{testbed}/aaf_scale/{experiment}/{identity}/rep-{n}.json"),
    log:
        "data/build/runs/{run}/logs/{round}/{testbed}/aaf_scale/{experiment}/{identity}/rep-{n}.log",
    priority: priority_of("aaf_scale")
    retries: 1
    conda:
        "../../envs/measure.yaml"
    threads: workflow.cores
    shell:
        f"{PYTHON} spindlemark.measure"
        " data/raw/{wildcards.testbed:q}/aaf_scale/{wildcards.experiment:q}/{wildcards.identity}/spec.json"
        " --repetition {wildcards.n} --round {wildcards.round:q} --run data/build/runs/{wildcards.run:q} > {log:q}"
