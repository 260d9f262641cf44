"""Seeded nonsense: changes of a text, and of the values in it, that no writer of a good file would make."""

import random
from typing import Any

BOMB = "\n".join([f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 9) if n else 'lol'}]" for n in range(12)])
VALUES = [
    None,
    True,
    -1,
    0,
    1,
    7,
    10**8,
    3 * 10**7,
    2**63,
    -(2**63),
    10**30,
    10**400,
    1e308,
    5e-324,
    -0.5,
    float("inf"),
    float("nan"),
    "",
    " ",
    "\0",
    "\x1b[2J",
    "[/x]",
    "[bold]",
    "..",
    "../../..",
    "x$(touch pwned)",
    "`id`",
    "a b",
    "{inodes}",
    "{}",
    "{x",
    "a" * 300,
    "-rf",
    "/",
    "ü" * 70,
    "2026-13-45",
    "2026-01-01",
    "1e400 GiB",
    "9" * 5000,
    "12 parsec",
    "0 B",
    "-1 GiB",
    "yes",
    "1:30",
    "007",
    [],
    {},
    [[]],
    [None],
    [1],
    ["ext4"],
    ["ext4"] * 2000,
    {"": ""},
    {"a": {"b": {"c": 1}}},
    {"[/x]": 1},
]
TEXTS = [
    "!!int abc",
    "!!python/object:os.system id",
    "!!timestamp x",
    "2026-13-45",
    "9" * 5000,
    "[" * 200_000,
    "{a: " * 5000,
    "- " * 3000,
    "&a [*a]",
    "*a",
    "<<: *a",
    "<<: [1]",
    "\t",
    "%YAML 9.9\n",
    "\n---\n",
    "? [a]\n: b\n",
    "\x00",
    "\ufeff",
    '"\\0"',
    '"\\ud800"',
    "[/x]",
    "'",
    '"',
    "|",
    ">",
    "#",
    ": ",
    "1:30:" + "1:" * 3000 + "1",
    ".inf",
    ".nan",
    "0x" + "f" * 5000,
    "1e999",
    BOMB,
    f"\n{BOMB}\n",
    "{",
    "}",
    "]",
    ",",
    "null",
    "NaN",
    "Infinity",
    "1e400",
    '{"a":' * 3000,
    "\\u0000",
    "\udcff",
]


def text(rng: random.Random, whole: str) -> str:
    """`whole` with one to three changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at, end = sorted(rng.randrange(len(whole) + 1) for _ in range(2))
        lines = whole.splitlines(keepends=True) or [""]
        line = rng.randrange(len(lines))
        whole = rng.choice(
            [
                lambda: whole[:at] + rng.choice(TEXTS) + whole[at:],
                lambda: whole[:at],
                lambda: whole[:at] + whole[min(end, at + 20) :],
                lambda: (
                    whole[:at] + chr(rng.choice((rng.randrange(128), rng.randrange(0xD800), 0x202E))) + whole[at + 1 :]
                ),
                lambda: "".join(lines[:line] + lines[line + 1 :]),
                lambda: "".join(lines[:line] + [lines[line]] * 2 + lines[line + 1 :]),
                lambda: "".join(
                    [*lines[:line], lines[line].split(":")[0], ": ", rng.choice(TEXTS), "\n", *lines[line + 1 :]]
                ),
            ]
        )()
    return whole


def values(rng: random.Random, whole: Any) -> Any:
    """`whole`, made of dicts and lists, with one to three values or keys changed; it may become something else."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = list(_places(whole))
        if not places:
            return rng.choice(VALUES)
        holder, key = rng.choice(places)
        match rng.randrange(6):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, dict):
                holder[str(rng.choice(VALUES))[:500]] = holder.pop(key)
            case 2 if isinstance(holder, list):
                holder.append(holder[key])
            case 3:
                other, there = rng.choice(places)
                holder[key] = other[there] if other is not holder and not isinstance(other[there], dict | list) else []
            case _:
                holder[key] = rng.choice(VALUES)
    return whole


def _places(whole: Any) -> Any:
    """Every place below `whole`, as its holder and key."""
    entries = (
        list(whole.items()) if isinstance(whole, dict) else list(enumerate(whole)) if isinstance(whole, list) else []
    )
    for key, value in entries:
        yield whole, key
        yield from _places(value)
