"""The transcription against the documents' texts, where these are at hand."""

import hashlib
import re
from collections import Counter
from functools import cache

import pytest

from spindlemark.analysis.studies import claim_model, published_cells
from spindlemark.analysis.studies.load import folders
from spindlemark.analysis.studies.published_cells import table_rows
from spindlemark.core.paths import ROOT

SOURCES = ROOT.parent / "shared" / "sources"
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
read = cache(published_cells.read)
STUDIES = {folder.name: folder for folder in folders()}
TABLES = [(study, name) for study, folder in STUDIES.items() for name in read(folder).tables]
OWN_COLUMNS = ("(order)", "(line of the text)", "(number at the caption)")
OTHER_LINES = {"figure-13", "figure-14", "list-of-tables-and-figures", "commands", "platform-coco1", "table-2.2"}


@pytest.fixture
def lines():
    """Lines of a document's text."""

    def of(study: str) -> list[str]:
        path = SOURCES / read(STUDIES[study]).text
        if not path.exists():
            pytest.skip(f"{path} is not here: the transcription cannot be compared with the document")
        return path.read_text(encoding="utf-8").splitlines()

    return of


def numbers(text: str) -> Counter:
    return Counter(found.replace(",", "") for found in NUMBER.findall(text))


def printed(study: str, name: str) -> list[str]:
    """Text of each row, without the columns that the document does not print."""
    table = read(STUDIES[study]).tables[name]
    columns = [column for column, heading in table.columns.items() if heading not in OWN_COLUMNS]
    return [" ".join(row[column] for column in columns) for row in table_rows(STUDIES[study], name, table)]


def line_by_line(study: str, name: str) -> bool:
    """Whether each row of the table is the whole of one line of the text."""
    return read(STUDIES[study]).tables[name].lines == len(printed(study, name)) and name not in OTHER_LINES


@pytest.mark.parametrize("study", STUDIES)
def test_the_text_is_the_one_that_was_transcribed(study, lines):
    lines(study)
    source = read(STUDIES[study])
    assert hashlib.sha256((SOURCES / source.text).read_bytes()).hexdigest() == source.sha256


@pytest.mark.parametrize(("study", "name"), TABLES)
def test_every_number_occurs_at_the_place_of_its_table(study, name, lines):
    table = read(STUDIES[study]).tables[name]
    place = numbers(" ".join(lines(study)[table.line - 1 : table.line - 1 + table.lines]))
    wanted = Counter() if table.columns.get("line") else numbers(" ".join(printed(study, name)))
    assert not wanted - place, "numbers of the CSV that the text does not have there"


@pytest.mark.parametrize(("study", "name"), [key for key in TABLES if line_by_line(*key)])
def test_each_row_has_exactly_the_numbers_of_its_line(study, name, lines):
    for row, line in zip(
        printed(study, name), lines(study)[read(STUDIES[study]).tables[name].line - 1 :], strict=False
    ):
        assert numbers(row) == numbers(line)


@pytest.mark.parametrize("study", [s for s, folder in STUDIES.items() if "text-figures" in read(folder).tables])
def test_figures_of_the_text_stand_on_their_line(study, lines):
    text = lines(study)
    for row in table_rows(STUDIES[study], "text-figures", read(STUDIES[study]).tables["text-figures"]):
        assert numbers(row["printed"]) <= numbers(text[int(row["line"]) - 1].replace("x", " ")), row["item"]


@pytest.mark.parametrize("study", STUDIES)
def test_quotations_are_in_the_text(study, lines):
    def plain(text: str) -> str:
        return re.sub(r"[\W_]+", " ", re.sub(r"</?b>", "", text)).casefold()

    whole = plain(" ".join(line for line in lines(study) if line.strip()))
    claimed = claim_model.read(STUDIES[study]).claims
    missing = [
        name
        for name, claim in claimed.items()
        if not all(part.strip() in whole for part in map(plain, claim.quote.split("...")))
    ]
    assert not missing
