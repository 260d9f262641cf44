"""`python ro_crate.py CRATE PROFILE...`: validate a RO-Crate with the field's validator; issues as JSON.

Nothing is fetched: all that the validator needs from elsewhere is the context of RO-Crate 1.1, which `rocrate` carries.
"""

import json
import sys
from importlib.resources import files
from types import SimpleNamespace

from rocrate_validator import services
from rocrate_validator.models import Severity, ValidationSettings
from rocrate_validator.utils.http import HttpRequester

CONTEXT = "https://w3id.org/ro/crate/1.1/context"


def get(self: HttpRequester, where: str, *_: object, **__: object) -> SimpleNamespace:
    """In the place of the validator's own request."""
    if where != CONTEXT:
        raise OSError(f"{where}: nothing is fetched here")
    text = files("rocrate").joinpath("data/ro-crate.jsonld").read_text(encoding="utf-8")
    return SimpleNamespace(
        status_code=200,
        headers={"Content-Type": "application/ld+json"},
        url=where,
        text=text,
        content=text.encode(),
        json=lambda: json.loads(text),
        raise_for_status=lambda: None,
    )


def main() -> None:
    HttpRequester.get = get
    crate, *profiles = sys.argv[1:]
    found = []
    for profile in profiles:
        result = services.validate(
            ValidationSettings(
                rocrate_uri=crate,
                profile_identifier=profile,
                requirement_severity=Severity.RECOMMENDED,
                skip_availability_check=True,
            )
        )
        found += [
            {
                "profile": profile,
                "severity": issue.severity.name,
                "check": issue.check.identifier,
                "message": issue.message,
                "entity": issue.violatingEntity,
            }
            for issue in result.get_issues()
        ]
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
