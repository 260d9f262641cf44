"""The shape of a JSON text, from its punctuation."""

import json

import pytest

from spindlemark.core.limits import MOST_VALUES, shape


@pytest.mark.parametrize(
    ("value", "levels"),
    [
        (1, 0),
        ("[[[,,,{", 0),
        ('"\\"[', 0),
        ("\\", 0),
        ([], 1),
        ({"a[": {"b\\": ["]", "}"]}}, 3),
        ([[1, 2], [3, [4]]], 3),
    ],
)
def test_levels_are_exact_and_texts_count_once(value, levels):
    values, found = shape(json.dumps(value))
    assert found == levels and values <= len(json.dumps(value))


def test_values_are_an_upper_bound():
    assert shape(json.dumps([1] * 40)) == (41, 1)
    assert shape(json.dumps({"a,b": [1, 2, "c,[d"]})) == (5, 2)
    assert shape("[" * MOST_VALUES) == (MOST_VALUES + 1, 0)


@pytest.mark.parametrize(
    "text", ['"' + '\\"' * 2_000_000, '"' * 3_999_999, '"' + "\\" * 3_999_999, '"\\' + "]" * 4_000_000]
)
def test_a_text_without_an_end_is_read_once(text):
    """A pattern that starts again at each quotation mark would need hours."""
    assert shape(text) == (1, 0)
