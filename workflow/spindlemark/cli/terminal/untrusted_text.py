"""What others wrote, on its way to the terminal: shown as it is, and never obeyed."""

from rich.text import Text

from spindlemark.core.errors import plain


def foreign(text: object) -> Text:
    """`text` without markup, its control characters written out."""
    return Text(plain(str(text)))
