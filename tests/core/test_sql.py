"""Statements in files: read without their title, and nowhere else."""

import ast
import re

from spindlemark.core import sql
from spindlemark.core.paths import PROJECT


def test_a_statement_is_read_without_its_heading_and_last_semicolon(tmp_path):
    (tmp_path / "b.sql").write_text("-- What b says.\n-- And why.\nselect 1; -- one\nselect '{b}';\n")
    (tmp_path / "a.sql").write_text("-- A.\nselect 2;\n")
    assert sql.folder(tmp_path) == [
        ("a", "A.", "select 2"),
        ("b", "What b says.", "select 1; -- one\nselect '{b}'"),
    ]


def test_identifiers_are_put_into_a_statement():
    assert sql.read("studies/empty", table="claim") == "delete from claim"


def test_python_holds_no_sql():
    statement = re.compile(
        r"\s*(select\s.*\sfrom\b|with\s+\w+\s+as\s*\(|insert\s+into\b|delete\s+from\b|describe\s+\w+\s*$|copy\s*\(.*\bto\b"
        r"|create\s+(or\s+replace\s+)?(temp\s+)?(table|view|macro)\b|drop\s+(table|view)\b|attach\s+'|set\s+\w+\s*=)",
        re.IGNORECASE | re.DOTALL,
    )
    found = [
        f"{path.relative_to(PROJECT)}:{node.lineno}"
        for path in (PROJECT / "workflow" / "spindlemark").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and statement.match(node.value)
    ]
    assert not found
