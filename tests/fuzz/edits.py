"""Damaged HDF5 files and command files for the editor, by a seed: each case in a process of its own, which HDF5 may crash.

    python edits.py (files|commands) SEED COUNT FOLDER
"""

import os
import random
import shutil
import signal
import sys
from pathlib import Path

import h5py
from spindlemark.errors import UserError
from spindlemark.h5edit import levels, promises, sample, worker

LONGEST_SECONDS = 60
EDITS = "\n".join(sample.commands(3)) + '\nMODIFY /g/y {DATA {"longer"}};\nCOPY /g/y /d/y;\nRENAME /x z;\nDELETE /z;\n'
SPARE = ["CREATE", "MODIFY", "DELETE", "COPY", "RENAME", "DATA", "H5T_STRING", "H5T_ARRAY", "STRSIZE", "H5T_VARIABLE", "{", "}", "(",
         ")", "[", "]", ";", ",", '"', "\\", "#", "/", "/../../outside", "99999999999999999999", "1e999", "-1", "0x", "\0", "ä", "\n"]


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
        return bytes(data[:chance.randrange(len(data))])
    for _ in range(chance.choice((1, 2, 5, 40))):
        place = chance.randrange(min(len(data), chance.choice((128, 4096, len(data)))))
        if kind == 1:
            data[place] = chance.choice((0, 1, 0x7F, 0xFF, chance.randrange(256)))
        else:
            data[place:place + 8] = chance.randbytes(8)
    return bytes(data)


def nonsense(text, chance):
    """Commands with words left out, doubled, exchanged or put in."""
    words = text.split(" ")
    for _ in range(chance.choice((1, 2, 6, 20))):
        place = chance.randrange(len(words))
        words[place:place + chance.randrange(3)] = chance.choices([*SPARE, *words], k=chance.randrange(3))
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
    """One edit of one damaged thing; an assertion for whatever it must not do."""
    chance = random.Random(f"{kind} {seed} {number}")
    inner = folder / "inner"
    shutil.rmtree(inner, ignore_errors=True)
    inner.mkdir()
    content, text = whole[number % len(whole)], EDITS
    if kind == "files":
        content = damaged(content, chance)
    else:
        text = nonsense(text, chance)
    file, commands = inner / "file.h5", inner / "edits"
    file.write_bytes(content)
    commands.write_text(text)
    level, backup = chance.choice([("yes", "copy"), ("yes", "aside"), ("inc", "aside"), ("yes", "onion")])
    code = edited([str(file), "-c", str(commands), "--atomic", level, "--backup", backup, "--no-sync"])
    told = f"{level} {backup}: ended with {code}: {text if kind == 'commands' else ''}"
    assert code in (0, 2) or (kind == "files" and code < 0 and code != -signal.SIGALRM), told
    if code and level == "yes":
        left = levels.backup_of(file) if levels.backup_of(file).exists() else file
        assert left.read_bytes() == content, f"{told}: the file as it was is gone"
    assert sorted(path.name for path in folder.iterdir()) == ["inner", "outside"], told
    assert (folder / "outside").read_bytes() == whole[0], f"{told}: a file elsewhere was changed"


def main(kind, seed, count, folder):
    whole = []
    for libver in promises.LIBVERS:
        original(folder / "outside", libver)
        whole.append((folder / "outside").read_bytes())
    (folder / "outside").write_bytes(whole[0])
    for number in range(int(count)):
        print(f"case {number}", flush=True)
        case(kind, number, seed, folder, whole)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4]))
