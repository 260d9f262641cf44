"""What strangers and catalogues find first: the root's citation, the guide to `config/`, the workflow catalogue's file."""

import json
import re
import tomllib
from importlib import resources

import jsonschema
import yaml

from spindlemark.core.paths import CONFIG, ROOT, SCHEMAS
from spindlemark.release.citation import formats as citation


def test_the_root_is_cited_as_the_program_that_it_is():
    content = yaml.load((ROOT / "CITATION.cff").read_text(), Loader=yaml.BaseLoader)
    schema = resources.files("check_jsonschema").joinpath("builtin_schemas/vendor/citation-file-format.json")
    jsonschema.validate(content, json.loads(schema.read_text()), format_checker=jsonschema.FormatChecker())
    project, about = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"], citation.load()
    assert (content["version"], content["license"]) == (project["version"], project["license"])
    assert content["license"] == about.licences.code.identifier
    assert [author["name"] for author in content["authors"]] == [author.name for author in about.authors]


def test_the_guide_names_all_that_can_be_configured():
    rows = dict(re.findall(r"^\| `([^`]+)` \|.*\| (?:`(.+)`)? ?\|$", (CONFIG / "README.md").read_text(), re.MULTILINE))
    there = {path.name + "/" * path.is_dir() for path in CONFIG.iterdir() if path.name != "README.md"}
    assert rows.keys() == there
    for schema in filter(None, rows.values()):
        assert (SCHEMAS / f"{schema}.schema.json").is_file()


def test_the_catalogue_s_file_has_the_standard_s_keys_and_flags_that_exist():
    said = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert said.keys() == {"mandatory-flags", "software-stack-deployment", "report"}
    assert said["software-stack-deployment"].keys() == {"conda", "apptainer", "apptainer+conda"}
    option, profile = said["mandatory-flags"]["flags"].split()
    assert option == "--workflow-profile" and (ROOT / profile / "config.yaml").is_file()
    assert 'include: "../Snakefile"' in (ROOT / "workflow" / "Snakefile").read_text()
