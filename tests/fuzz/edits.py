"""Damaged HDF5 files, histories and command files for the editor, by a seed: each case in a process of its own, which HDF5 may crash.

python edits.py (files|commands|histories) SEED COUNT FOLDER
"""

import os
import random
import re
import shutil
import signal
import sys
from pathlib import Path

import h5py

from spindlemark.core import durability
from spindlemark.core.errors import UserError
from spindlemark.families.hdf5_edit.editor import atomicity, onion, sample, worker
from spindlemark.families.hdf5_edit.editor import commands as commands_of

LONGEST_SECONDS = 60
EDITS = "\n".join(sample.commands(3)) + '\nMODIFY /g/y {DATA {"longer"}};\nCOPY /g/y /d/y;\nRENAME /x z;\nDELETE /z;\n'
SPARE = [
    "CREATE",
    "MODIFY",
    "DELETE",
    "COPY",
    "RENAME",
    "DATA",
    "H5T_STRING",
    "H5T_ARRAY",
    "STRSIZE",
    "H5T_VARIABLE",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    '"',
    "\\",
    "#",
    "/",
    "/../../outside",
    "99999999999999999999",
    "1e999",
    "-1",
    "0x",
    "\0",
    "ä",
    "\n",
]


def original(path, libver):
    """A small file with all that is edited."""
    with h5py.File(path, "w", libver=libver) as file:
        file.create_dataset("d", data=range(2000), chunks=(500,))
        file.attrs["x"] = 1
        file.create_group("g").attrs["y"] = "text"
        file["out"] = h5py.ExternalLink("../outside", "/")


def damaged(content, chance):
    """Cut off, with bytes exchanged (more of them where metadata is), or with a piece that is elsewhere."""
    data = bytearray(content)
    kind = chance.randrange(3)
    if kind == 0:
        return bytes(data[: chance.randrange(len(data))])
    for _ in range(chance.choice((1, 2, 5, 40))):
        place = chance.randrange(min(len(data), chance.choice((128, 4096, len(data)))))
        if kind == 1:
            data[place] = chance.choice((0, 1, 0x7F, 0xFF, chance.randrange(256)))
        else:
            data[place : place + 8] = chance.randbytes(8)
    return bytes(data)


def nonsense(text, chance):
    """Commands drawn anew, some of them twice; or with words left out, doubled, exchanged or put in."""
    if chance.random() < 0.5:
        lines = text.splitlines()
        return "\n".join(chance.choices(lines, k=len(lines)))
    words = text.split(" ")
    for _ in range(chance.choice((1, 2, 6, 20))):
        place = chance.randrange(len(words))
        words[place : place + chance.randrange(3)] = chance.choices([*SPARE, *words], k=chance.randrange(3))
        words = words or [""]
    return " ".join(words)


def edited(words):
    """How an edit ended: its exit code, 1 for a traceback, negative for a signal."""
    child = os.fork()
    if child == 0:
        signal.alarm(LONGEST_SECONDS)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        try:
            os._exit(worker.main(words))
        except UserError as error:
            os._exit(2 if error.problem and error.remedy else 1)
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def case(kind, number, seed, folder, whole):
    """One edit of one damaged thing; an assertion for whatever it must not do. `whole`: files, each with its history."""
    chance = random.Random(f"{kind} {seed} {number}")
    inner = folder / "inner"
    shutil.rmtree(inner, ignore_errors=True)
    inner.mkdir()
    (content, history), text = whole[number % len(whole)], EDITS
    if kind == "files":
        content = damaged(content, chance)
    elif kind == "commands":
        text = nonsense(text, chance)
    file, commands = inner / "file.h5", inner / "edits"
    file.write_bytes(content)
    commands.write_text(text)
    if kind == "histories":
        history = damaged(history, chance)
        onion.history(file).write_bytes(history)
        told = of_history(file, commands, content, history, chance)
    else:
        told = of_file(kind, file, commands, content, text, chance)
    assert sorted(path.name for path in folder.iterdir()) == ["inner", "outside"], told
    assert (folder / "outside").read_bytes() == whole[0][0], f"{told}: a file elsewhere was changed"


def of_file(kind, file, commands, content, text, chance):
    level, backup = chance.choice([("yes", "copy"), ("yes", "aside"), ("inc", "aside"), ("yes", "onion")])
    code = edited([str(file), "-c", str(commands), "--atomic", level, "--backup", backup, "--no-sync"])
    told = f"{level} {backup}: ended with {code}: {text if kind == 'commands' else ''}"
    assert code in (0, 2) or (kind == "files" and code < 0 and code != -signal.SIGALRM), told
    if code and level == "yes":
        left = atomicity.backup_of(file) if atomicity.backup_of(file).exists() else file
        assert left.read_bytes() == content, f"{told}: the file as it was is gone"
    if code == 2 and level == "inc":
        assert file.read_bytes() == by_single_commands(file, text, content), (
            f"{told}: it is not as after whole commands"
        )
    return told


def by_single_commands(file, text, content):
    """The file after all commands before the first that cannot be done, each in an edit of its own."""
    alone, one = file.with_name("alone.h5"), file.with_name("one")
    alone.write_bytes(content)
    try:
        parsed = commands_of.parse(text, "text")
    except UserError:
        return content
    for command in parsed:
        one.write_text(written(command, text))
        if edited([str(alone), "-c", str(one), "--backup", "aside", "--no-sync"]):
            break
    return alone.read_bytes()


def written(command, text):
    """The text of one command: from where it begins to its semicolon, as the reader finds both."""
    line, column = (int(number) for number in re.findall(r"\d+", command.where)[-2:])
    rest = "\n".join(text.split("\n")[line - 1 :])[column - 1 :]
    for end in (found.end() for found in re.finditer(";", rest)):
        try:
            if len(commands_of.parse(rest[:end], "one")) == 1:
                return rest[:end]
        except UserError:
            continue
    raise AssertionError(f"{command.where}: its end was not found")


def of_history(file, commands, content, history, chance):
    """The file below its history is never touched, and what cannot be edited is left as it was."""
    words = chance.choice(
        [["-c", str(commands), "--backup", "onion", "--no-sync"], ["--unlock"], ["--export", f"{file}.out"]]
    )
    code = edited([str(file), *words])
    told = f"{words}: ended with {code}"
    assert code in (0, 2) or (code < 0 and code != -signal.SIGALRM), told
    assert file.read_bytes() == content, f"{told}: the file below its history was changed"
    if code == 2:
        assert onion.history(file).read_bytes() == history, f"{told}: the history was changed"
    return told


def main(kind, seed, count, folder):
    whole, outside, text = [], folder / "outside", folder / "edits"
    text.write_text(EDITS)
    for libver in durability.LIBVERS:
        original(outside, libver)
        assert edited([str(outside), "-c", str(text), "--backup", "onion", "--no-sync"]) == 0
        whole.append((outside.read_bytes(), onion.history(outside).read_bytes()))
        onion.history(outside).unlink()
    text.unlink()
    outside.write_bytes(whole[0][0])
    for number in range(int(count)):
        print(f"case {number}", flush=True)
        case(kind, number, seed, folder, whole)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4]))
