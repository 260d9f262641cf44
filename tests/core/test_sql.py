"""Statements in files: read without their title, and nowhere else."""

from spindlemark.core import sql


def test_a_statement_is_read_without_its_heading_and_last_semicolon(tmp_path):
    (tmp_path / "b.sql").write_text("-- What b says.\n-- And why.\nselect 1; -- one\nselect '{b}';\n")
    (tmp_path / "a.sql").write_text("-- A.\nselect 2;\n")
    assert sql.folder(tmp_path) == [
        ("a", "A.", "select 2"),
        ("b", "What b says.", "select 1; -- one\nselect '{b}'"),
    ]


def test_identifiers_are_put_into_a_statement():
    assert sql.read("studies/empty", table="claim") == "delete from claim"
