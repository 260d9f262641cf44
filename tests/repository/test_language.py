"""The project's prose and names use its terms (docs/style/). Older words are counted per file, and their number only falls."""

from collections import Counter

import pytest

import language


def test_no_file_has_more_words_to_replace_than_its_baseline():
    found = language.check([])
    allowed, counts = language.baseline(), Counter(one.file for one in found)
    new = [f"{one.file}:{one.line}: {one.word} -> {one.use}" for one in found if counts[one.file] > allowed[one.file]]
    assert not new, "\n".join(new)
    assert allowed == counts, "fewer words than the baseline: .venv/bin/python tests/helpers/language.py --lower"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It tells nobody.", ["tells", "nobody"]),
        ("That is no result.", ["is no"]),
        ("There is no result; it is no longer here.", []),
        ("It stands for a host and stands in the file.", ["stands"]),
        ("An intell and an untold one", []),
    ],
)
def test_words_are_found_whole(text, words):
    assert [word for word, _ in language.Rules("words.yaml").find(text)] == words


def test_python_is_checked_in_comments_texts_and_names():
    source = (
        'def all_told(x):\n    """Tell it.\n\n    Say anew, not `anew`."""\n    return f"{x} lies here"  # beside\n'
    )
    words, names = language.Rules("words.yaml"), language.Rules("names.yaml")
    prose = sorted((line, word) for line, text in language.python_prose(source) for word, _ in words.find(text))
    assert prose == [(2, "Tell"), (4, "anew"), (5, "beside"), (5, "lies")]
    assert [hit[0] for _, part in language.python_names(source) for hit in names.find(part)] == ["told"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.sql", "select subject from t -- beside it"),
        ("a.yaml", "subject: ext4 beside xfs"),
        ("a.html", '<p class="told">{{ .subject\n}} beside</p>'),
        ("a.md", "`told` beside [it](told.md)"),
    ],
)
def test_code_in_other_files_is_not_prose(name, text):
    assert [word for word, _ in language.Rules("words.yaml").find(language.prose_of(name, text))] == ["beside"]


def test_a_count_only_goes_down_and_moves_with_its_file():
    here = "tests/helpers/language.py"
    assert language.lowered(Counter({here: 3}), Counter({here: 2})) == {here: 2}
    assert language.lowered(Counter({"gone.py": 3}), Counter({here: 3})) == {here: 3}
    with pytest.raises(SystemExit):
        language.lowered(Counter({here: 2}), Counter({here: 3}))
