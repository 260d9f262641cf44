"""Slips: one slip of the authors that shows in several claims counts once."""

from collections import Counter
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

from spindlemark.analysis.studies.audit_model import Checked, Slipped
from spindlemark.analysis.studies.claim_model import Slip
from spindlemark.analysis.studies.claim_verdict import Verdict
from spindlemark.core.errors import UserError

FAILED = ("contradicted", "cut off")


def assign(folder: Path, declared: dict[str, Slip], checked: list[Checked]) -> list[Checked]:
    """The claims with the slip that each shows. Raises UserError for a slip that shows nowhere, or twice in a claim."""
    of: dict[str, str] = {}
    for name, slip in declared.items():
        shown = [c.id for c in checked if c.verdict in FAILED and any(fnmatchcase(c.id, p) for p in slip.claims)]
        twice = [id_ for id_ in shown if id_ in of]
        if not shown or twice:
            problem = f"{twice[0]} shows {of[twice[0]]} too" if twice else "no contradicted claim shows it"
            raise UserError(f"{folder / 'claims.yaml'}: slips.{name}: {problem}", "fix its list of claims")
        of |= dict.fromkeys(shown, name)
    return [c.model_copy(update={"slip": of[c.id]}) if c.id in of else c for c in checked]


def of_study(source: str, declared: dict[str, Slip], checked: Iterable[Checked]) -> list[Slipped]:
    """The slips of one study with the claims that show each."""
    return [
        Slipped(source=source, id=name, what=slip.what, claims=[c.id for c in checked if c.slip == name])
        for name, slip in declared.items()
    ]


def counted(checked: Iterable[Checked]) -> Counter[Verdict]:
    """Claims by verdict; those that show one slip are one, with its gravest verdict."""
    slips: dict[str, Verdict] = {}
    found: Counter[Verdict] = Counter()
    for c in checked:
        if c.slip is None:
            found[c.verdict] += 1
        elif slips.get(c.slip) != "contradicted":
            slips[c.slip] = c.verdict
    found.update(slips.values())
    return found
