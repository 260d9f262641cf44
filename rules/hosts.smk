# Testbeds of other hosts: one job for each host, which measures its testbeds one after another. Only asked for by name.
rule hosts:
    input:
        expand("data/build/runs/{run}/hosts/{host}", run=RUN.rpartition("/")[2], host=HOSTS),


rule host:
    output:
        touch("data/build/runs/{run}/hosts/{host}"),
    log:
        "data/build/runs/{run}/logs/hosts/{host}.log",
    conda:
        "../envs/measure.yaml"
    resources:
        # All processors and all memory of the host: no number of them is asked for.
        cpus_per_task=-1,
        slurm_extra=lambda wildcards: f"--nodelist={wildcards.host} --exclusive",
    params:
        settings=lambda wildcards: json.dumps(config),  # a function: Snakemake would read its braces as wildcards
    shell:
        f"{PYTHON} spindlemark.cli.hosts" " {wildcards.host:q} {params.settings:q} > {log:q} 2>&1"
