"""Citation files: valid by the formats' own schemas or parsers, and nothing lost in escaping."""

import json

import bibtexparser
import jsonschema
import pytest
import rispy
import yaml
from hypothesis import given
from hypothesis import strategies as st

import validating
from citing import DAY, measured, vendored
from spindlemark.core.errors import UserError
from spindlemark.release.citation import formats as citation
from spindlemark.release.citation import text_formats
from spindlemark.release.citation.citation_model import Citation, Organisation, Person

NASTY = 'Ägypten & {Söhne} 50% "x" \\ $a_b^c ~ #1 </script> 映画'


def nasty() -> Citation:
    return citation.load().model_copy(
        update={
            "title": NASTY,
            "description": f"{NASTY}\nTY  - BOOK",
            "publisher": NASTY,
            "keywords": ["a & b", "ü"],
            "authors": [
                Organisation(organisation="Müller and {Sons}"),
                Person(family="D'Arc", given="Zoë", orcid="https://orcid.org/0000-0002-1825-0097"),
            ],
            "repository": "https://example.org/a_b?c=%20&d",
            "site": "https://example.org/s",
            "doi": "10.1234/a_b",
        }
    )


BOTH = pytest.mark.parametrize("about", [citation.load(), nasty()], ids=["declared", "nasty"])


def latex_plain(text: str) -> str:
    """What LaTeX prints for the escapes used."""
    for character, command in text_formats.BIBTEX.items():
        if command.endswith("{}"):
            text = text.replace(command, character)
    for character in "&%$#_":
        text = text.replace(f"\\{character}", character)
    return text


@BOTH
def test_cff_meets_the_official_schema(about):
    text = citation.files(about, "2026.11", DAY, measured())["CITATION.cff"]
    content = yaml.load(text, Loader=yaml.BaseLoader)
    schema = vendored("check_jsonschema", "builtin_schemas/vendor/citation-file-format.json")
    jsonschema.validate(content, schema, format_checker=jsonschema.FormatChecker())
    assert (content["title"], content["version"], content["date-released"]) == (about.title, "2026.11", "2026-11-21")
    assert yaml.safe_load(text)["version"] == "2026.11", "a version must not become a number"


@BOTH
def test_datacite_meets_the_official_schema(about):
    content = json.loads(citation.files(about, "2026.11", DAY, measured())["citation.datacite.json"])
    schema = vendored("datacite", "schemas/datacite-v4.5.json")
    jsonschema.Draft201909Validator(schema).validate(content)
    assert content["titles"][0]["title"] == about.title
    assert content.get("doi") == about.doi
    assert {"date": "2026-11-20/2026-11-21", "dateType": "Collected"} in content["dates"]


@BOTH
def test_bibtex_is_one_entry_that_prints_what_was_declared(about):
    text = citation.files(about, "2026.11", DAY, measured())["citation.bib"]
    library = bibtexparser.parse_string(text)
    assert not library.failed_blocks and len(library.entries) == 1
    fields = library.entries[0].fields_dict
    assert latex_plain(fields["title"].value.strip("{}")) == about.title
    assert fields["year"].value == "2026"
    assert ("doi" in fields) == (about.doi is not None)
    if about.repository:
        assert fields["url"].value == "https://example.org/s/2026.11/"


def test_bibtex_keeps_organisations_together():
    author = bibtexparser.parse_string(citation.bibtex(nasty(), "2026.11", DAY, measured())).entries[0]["author"]
    assert author == r"{Müller and \textbraceleft{}Sons\textbraceright{}} and D'Arc, Zoë"


@given(st.text(min_size=1))
def test_bibtex_braces_always_balance(text):
    assert not bibtexparser.parse_string(citation.bibtex(citation.load(), "2026.11", DAY, measured(text))).failed_blocks


@BOTH
def test_ris_is_one_data_set(about):
    text = citation.files(about, "2026.11", DAY, measured())["citation.ris"]
    assert text.startswith("TY  - DATA\r\n") and text.endswith("ER  - \r\n")
    entries = rispy.loads(text.replace("\r\n", "\n"))
    assert len(entries) == 1, "a line break in a value must not begin another entry"
    entry = entries[0]
    assert entry["type_of_reference"] == "DATA"
    assert entry["authors"] == [author.name for author in about.authors]
    assert entry["title"] == about.title and entry["keywords"] == about.keywords
    assert (entry["year"], entry["date"]) == ("2026", "2026/11/21")


@BOTH
def test_csl_item_has_what_styles_need(about):
    (item,) = json.loads(citation.files(about, "2026.11", DAY, measured())["citation.csl.json"])
    assert item["type"] == "dataset" and item["id"] and item["title"] == about.title
    assert item["issued"] == {"date-parts": [[2026, 11, 21]]}
    assert all({"literal"} == set(a) or {"family", "given"} == set(a) for a in item["author"])


def test_a_style_formats_what_csl_says(tmp_path):
    """Both at once: each start of the processor takes a second."""
    items = [
        json.loads(citation.files(about, version, DAY, measured())["citation.csl.json"])[0]
        for about, version in ((citation.load(), "2026.11"), (nasty(), "2026.12"))
    ]
    (tmp_path / "items.json").write_text(json.dumps(items))
    told = validating.validate("csl", tmp_path / "items.json")
    assert told["complaints"] == [] and len(told["text"]) == 2
    assert told["text"][0].startswith("Spindlemark developers (2026)") and "映画" in told["text"][1]


def test_schema_org_knows_every_type_and_property(tmp_path):
    files = [{"path": "/data/measurements.csv", "media_type": "text/csv", "bytes": 12, "sha256": "ab"}]
    content = citation.jsonld(nasty(), "2026.11", DAY, measured(), files)
    told = []
    for known in (content, content | {"repetitions": 6, "contentSize": "1 B"}):
        (tmp_path / "page.json").write_text(json.dumps(known))
        told.append(validating.validate("schema_org", tmp_path / "page.json"))
    assert told[0]["found"] == [] and told[0]["statements"] > 30
    assert len(told[1]["found"]) == 2, "a term that is none, and one of something else"


@BOTH
def test_jsonld_describes_the_data_set(about):
    files = [{"path": "/data/measurements.csv", "media_type": "text/csv", "bytes": 12, "sha256": "ab"}]
    content = citation.jsonld(about, "2026.11", DAY, measured(), files)
    assert content["@type"] == "Dataset" and content["@context"] == "https://schema.org/"
    assert 50 <= len(content["description"]) <= 5000
    assert content["creator"] and content["license"].startswith("https://")
    assert content["variableMeasured"][0]["unitText"] == "s"
    assert content["distribution"] == [
        {
            "@type": "DataDownload",
            "name": "measurements.csv",
            "contentUrl": "/data/measurements.csv",
            "encodingFormat": "text/csv",
            "contentSize": "12 B",
            "sha256": "ab",
        }
    ]
    assert ("identifier" in content) == (about.doi is not None)


def test_jsonld_cannot_end_its_script_element():
    content = citation.jsonld(nasty(), "2026.11", DAY, measured(), [])
    text = citation.script_text(content)
    assert "<" not in text and json.loads(text) == content


def test_highwire_names_every_author_and_the_day():
    tags = citation.highwire(nasty(), "2026.11", DAY)
    assert [value for name, value in tags if name == "citation_author"] == ["Müller and {Sons}", "D'Arc, Zoë"]
    assert ("citation_publication_date", "2026/11/21") in tags
    assert ("citation_abstract_html_url", "https://example.org/s/2026.11/") in tags


def test_nothing_is_invented_while_nothing_is_declared():
    text = "".join(citation.files(citation.load(), "2026.11", DAY, measured()).values()).lower()
    assert "doi" not in text and "example" not in text
    assert ("citation_publication_date", "") not in citation.highwire(citation.load(), "current", None)
    assert "datePublished" not in citation.jsonld(citation.load(), "current", None, measured(), [])


def test_sentence_to_cite_by():
    line = citation.sentence(citation.load(), "2026.11", DAY)
    assert line.startswith("Spindlemark developers (2026). ") and "version 2026.11" in line and "http" not in line


def test_misspelt_key_is_named(tmp_path):
    path = tmp_path / "citation.yaml"
    path.write_text("titel: x\n", encoding="utf-8")
    with pytest.raises(UserError, match="citation.yaml"):
        citation.load(path)
