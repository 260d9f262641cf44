"""Text from other people or machines, made safe for the terminal."""

from rich.text import Text

from spindlemark.core.errors import plain


def escaped(text: object) -> Text:
    """`text` without markup, with control characters written as escapes."""
    return Text(plain(str(text)))
