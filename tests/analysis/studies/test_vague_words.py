"""One threshold for each vague word: whoever quotes one takes it from the table."""

import re

import pytest

from spindlemark.analysis.studies import claim_model, vague_words
from spindlemark.analysis.studies.load import folders

# Quotations with such a word that are not about how much: the claim would hold or fail without it.
OTHERWISE = {
    "xfs-slowest-delete-picture": "small files, and slowest is enough",
    "fill-xfs-worst-small": "small files",
    "xfs-other-settings-worse": "better is not a little worse",
    "reiserfs-deadline-delete-better": "the half of the sentence after the much worse copy time",
    "ext4-46-gb-is-the-reserve": "what the gain is put down to, whatever its size",
}
WORDS = {name: list(word.words) for name, word in vague_words.read().items()}
CLAIMS = [(folder.name, name, claim) for folder in folders() for name, claim in claim_model.read(folder).claims.items()]


def said(quote: str) -> set[str]:
    """The vague words of a quotation; very small is not small."""
    found, text = set(), quote.casefold()
    for name, spelling in sorted(
        ((n, s) for n, spellings in WORDS.items() for s in spellings), key=lambda p: -len(p[1])
    ):
        edge = r"\b" if spelling[0].isascii() and spelling[0].isalpha() else ""
        text, hits = re.subn(edge + re.escape(spelling.casefold()) + edge, " ", text)
        found |= {name} if hits else set()
    return found


@pytest.mark.parametrize(("study", "name", "claim"), CLAIMS, ids=[f"{study}-{name}" for study, name, _ in CLAIMS])
def test_no_claim_has_a_threshold_of_its_own_for_a_vague_word(study, name, claim):
    if not said(claim.quote) or claim.query is None or name in OTHERWISE:
        return
    assert claim.vague or claim.relation in ("about", "nearly") or "vague('" in claim.query, said(claim.quote)


def test_each_word_is_used_or_asked_for():
    used = {claim.vague for _, _, claim in CLAIMS} | {
        word for _, _, claim in CLAIMS for word in re.findall(r"vague\('([a-z ]+)'\)", claim.query or "")
    }
    assert used <= set(WORDS) | {None} and set(WORDS) - used <= {vague_words.ABOUT}


def test_words_are_found_as_words():
    assert said("a very small difference") == {"very small"}
    assert said("the smallest") == set() and said("a small one") == {"small"}
    assert said("Ext3FS と AVFS での大きな差は見られない") == {"small"}
