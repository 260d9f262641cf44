# One job = one repetition, alone on the machine. The path holds the identity, so a change of anything that may
# change the number is a new path; `ancient` and the absence of params keep everything else from running it again.
rule measure_filesystem_lifecycle:
    input:
        ancient("data/raw/{testbed}/filesystem_lifecycle/{experiment}/{identity}/spec.json"),
    output:
        "data/raw/{testbed}/filesystem_lifecycle/{experiment}/{identity}/rep-{n}.json",
    threads: workflow.cores
    retries: 1
    priority: priority_of("filesystem_lifecycle")
    shell:
        "{PYTHON} spindlemark.measure {input} --repetition {wildcards.n} --output {output}"
