# Findings -> pages -> HTML, one Hugo build per version, then all versions under one root.
# Where versions are published: pages and citations say it.
PUBLISHED = sources("data/publications")


rule versions:
    input:
        expand("data/releases/{version}/manifest.json", version=RELEASED),
    output:
        "data/build/versions.json",
    log:
        "data/build/logs/versions.log",
    conda:
        "../envs/publish.yaml"
    shell:
        f"{PYTHON} spindlemark.release" " versions --output {output:q} > {log:q}"


# Charts that answer to the mouse need one script, the same for every version.
rule vega:
    input:
        "uv.lock",
        code=code_of("site.vega_script"),
    output:
        "data/build/vega.js",
    log:
        "data/build/logs/vega.log",
    conda:
        "../envs/publish.yaml"
    shell:
        f"{PYTHON} spindlemark.site.vega_script" " --output {output:q} > {log:q}"


# The page that asks with SQL needs an engine: it is fetched from npm, once for all versions.
rule sql_engine:
    input:
        "envs/node/package-lock.json",
        code=code_of("site.sql_engine"),
    output:
        directory("data/build/sql_engine"),
    log:
        "data/build/logs/sql_engine.log",
    conda:
        "../envs/publish.yaml"
    shell:
        f"{PYTHON} spindlemark.site.sql_engine" " --output {output:q} > {log:q}"


rule pages:
    input:
        database="data/build/{version}/spindlemark.duckdb",
        findings=findings_of,
        joined=joined_of,
        audit="data/build/studies/audit.json",
        published="data/build/studies/published.json",
        vega="data/build/vega.js",
        # Of it only what is older matters, so that a new release leaves the pages of the others as they are.
        versions=ancient("data/build/versions.json"),
        citation=["config/citation.yaml", *PUBLISHED],
        # The method's page shows what families say of themselves.
        declared=[
            "config/formats.yaml",
            "config/glossary.yaml",
            "config/libraries.yaml",
            "config/looks.yaml",
            *ERRATA,
            *sources(
                "docs/methods",
                "config/testbeds",
                "config/experiments",
                "config/profiles",
                "config/questions",
                "workflow/sql",
            ),
            *(str(path) for path in (ROOT / "tests/bench").glob("truth.json")),
        ],
        # The page of versions shows how each differs from the older ones.
        released=older_than,
        code=code_of("site"),
    output:
        report(
            directory("data/build/{version}/pages"),
            patterns=["tables/{table}.csv"],
            caption="../workflow/report/tables.rst",
            category="Tables",
            subcategory="{version}",
            labels={"table": "{table}"},
        ),
    log:
        "data/build/logs/{version}/pages.log",
    conda:
        "../envs/publish.yaml"
    shell:
        f"{PYTHON} spindlemark.site"
        " {input.database:q} {input.findings:q} --audit {input.audit:q}"
        " --joined {input.joined:q} --published {input.published:q} --vega {input.vega:q} --version {wildcards.version}"
        " --versions {input.versions:q} --output {output:q} > {log:q}"


# The main charts as files, for `snakemake --report`.
rule charts:
    input:
        pages="data/build/{version}/pages",
        colours="site/assets/css/tokens.css",
        code=code_of("site.report_charts"),
    output:
        report(
            directory("data/build/{version}/charts"),
            patterns=["{family}/{chart}.svg", "{family}/{chart}.png"],
            caption="../workflow/report/charts.rst",
            category="Charts",
            subcategory="{version}",
            labels={"family": "{family}", "chart": "{chart}"},
        ),
    log:
        "data/build/logs/{version}/charts.log",
    conda:
        "../envs/publish.yaml"
    shell:
        f"{PYTHON} spindlemark.site.report_charts" " {input.pages:q} --output {output:q} > {log:q}"


rule html:
    input:
        pages="data/build/{version}/pages",
        engine="data/build/sql_engine",
        templates=sources("site"),
    output:
        directory("data/build/{version}/html"),
    log:
        "data/build/logs/{version}/html.log",
    conda:
        "../envs/publish.yaml"
    shell:
        f"{PYTHON} spindlemark.site.hugo"
        " --pages {input.pages:q} --engine {input.engine:q} --output {output:q} > {log:q}"


# A version that is no longer the newest, in a third of the bytes.
rule archived:
    input:
        html="data/build/{version}/html",
        code=code_of("site.archived"),
    output:
        directory("data/build/{version}/archived"),
    log:
        "data/build/logs/{version}/archived.log",
    conda:
        "../envs/publish.yaml"
    shell:
        f"{PYTHON} spindlemark.site.archived" " {input.html:q} --output {output:q} > {log:q}"


rule site:
    input:
        "data/build/site/index.html",
        expand("data/build/{version}/charts", version=VERSIONS[:1]),


rule assemble:
    input:
        list(html_of(VERSIONS).values()),
        published=PUBLISHED,
        versions="data/build/versions.json",
    output:
        # The old site stays whole until the new one takes its place: a plain output would be removed before.
        update("data/build/site/index.html"),
    log:
        "data/build/logs/assemble.log",
    conda:
        "../envs/publish.yaml"
    params:
        root=VERSIONS[0] if VERSIONS else "",
        folders=[f"{version}={folder}" for version, folder in html_of(VERSIONS).items()],
    shell:
        f"{PYTHON} spindlemark.site.assemble"
        " --root {params.root:q} --output data/build/site --versions {input.versions:q} {params.folders:q} > {log:q}"


# The site that `./spindlemark deploy` publishes. One with unreleased results is built only by name, in a folder of its own.
rule assemble_deployed:
    input:
        lambda wildcards: list(html_of(deployed_of(wildcards)).values()),
        published=PUBLISHED,
        versions="data/build/versions.json",
    output:
        update("data/build/deployed/{what}/index.html"),
    log:
        "data/build/logs/assemble-{what}.log",
    wildcard_constraints:
        what="released|everything",
    conda:
        "../envs/publish.yaml"
    params:
        root=lambda wildcards: deployed_of(wildcards)[0],
        folders=lambda wildcards: [f"{version}={folder}" for version, folder in html_of(deployed_of(wildcards)).items()],
    shell:
        f"{PYTHON} spindlemark.site.assemble"
        " --public --root {params.root:q} --output data/build/deployed/{wildcards.what}"
        " --versions {input.versions:q} {params.folders:q} > {log:q}"
