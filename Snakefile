# The map: what is declared is measured, recorded, gathered, judged and published. See AGENTS.md.
from snakemake.utils import min_version

min_version("9.27")


include: "rules/common.smk"
include: "rules/trial.smk"
include: "rules/measure.smk"
include: "rules/hosts.smk"
include: "rules/reference.smk"
include: "rules/database.smk"
include: "rules/findings.smk"
include: "rules/joining.smk"
include: "rules/site.smk"
include: "rules/release.smk"


# Where jobs are submitted, publishing runs on this machine.
localrules:
    database,
    audit,
    published,
    findings,
    versions,
    vega,
    pages,
    charts,
    html,
    assemble,
    crate,
    release,


rule all:
    default_target: True
    input:
        rules.measured.input,
        rules.site.input,
