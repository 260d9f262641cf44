# One job = one repetition, alone on the machine. The path holds the identity, so a change of anything that may
# change the number is a new path; `ancient` and the absence of params keep everything else from running it again.
rule measure_aging:
    input:
        ancient("data/raw/{testbed}/aging/{experiment}/{identity}/spec.json"),
    output:
        "data/raw/{testbed}/aging/{experiment}/{identity}/rep-{n}.json",
    threads: workflow.cores
    retries: 1
    priority: priority_of("aging")
    shell:
        "{PYTHON} spindlemark.measure {input} --repetition {wildcards.n} --output {output}"
