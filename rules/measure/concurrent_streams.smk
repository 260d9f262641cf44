# One job = one repetition, alone on the machine. The path holds the identity, so a change of anything that may
# change the number is a new path; `ancient` and the absence of params keep everything else from running it again.
rule measure_concurrent_streams:
    input:
        ancient("data/raw/{testbed}/concurrent_streams/{experiment}/{identity}/spec.json"),
    output:
        "data/raw/{testbed}/concurrent_streams/{experiment}/{identity}/rep-{n}.json",
    threads: workflow.cores
    retries: 1
    priority: priority_of("concurrent_streams")
    shell:
        "{PYTHON} spindlemark.measure {input} --repetition {wildcards.n} --output {output}"
