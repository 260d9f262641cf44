"""Foreign text in one line of a message. Needs the standard library alone, as messages of programs do."""

_LONGEST_SHOWN = 200


def cut(text: str) -> str:
    """`text` on one line, without its middle when it is long."""
    text = text.replace("\n", "\\n")
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN // 2]} ... {text[-_LONGEST_SHOWN // 4 :]}"
