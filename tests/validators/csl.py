"""`python csl.py FILE`: read CSL-JSON with citeproc and format it in a style; text and complaints as JSON."""

import json
import sys
import warnings
from pathlib import Path

from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
from citeproc.source.json import CiteProcJSON


def main() -> None:
    items = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        style = CitationStylesStyle("harvard-cite-them-right", validate=False)
        bibliography = CitationStylesBibliography(style, CiteProcJSON(items), formatter.plain)
        for item in items:
            bibliography.register(Citation([CitationItem(item["id"])]))
        text = [str(entry) for entry in bibliography.bibliography()]
    print(
        json.dumps({"text": text, "complaints": [str(each.message) for each in told if each.category is UserWarning]})
    )


if __name__ == "__main__":
    main()
