"""Damaged AAF files for a reader in Python, by one process that reads each in a child of its own: `python readers.py READER FOLDER`.

Prints `name code` for each file. A child ends by itself, with 0 and a line for what it read, or with 1 and a line for what is wrong.
"""

import os
import random
import signal
import struct
import sys
from pathlib import Path

from aaf2.cfb import CompoundFileBinary

from spindlemark.core.compound_files import SECTORS
from spindlemark.families.aaf_scale import olefile_program, program_protocol, pyaaf2_program
from spindlemark.families.project_exchange import formats
from spindlemark.families.project_exchange.timelines import Shape, timeline
from spindlemark.families.shared.aaf import __main__ as whole_file
from spindlemark.families.shared.aaf import graph

LONGEST_SECONDS = 20
KNOWN = "/MetaDictionary"  # what each reader of AAF knows as well


def lean(source, target, sector):
    """The same file without definitions that every reader has: a fifth of its size, and quick to read."""
    with source.open("rb") as old, target.open("wb+") as new:
        before, after = CompoundFileBinary(old, "rb"), CompoundFileBinary(new, "wb+", sector_size=sector)
        after.root.class_id = before.root.class_id
        copy(before, before.root, after, "")
        after.close()


def copy(before, storage, after, path):
    for item in before.listdir(storage):
        own = f"{path}/{item.name}"
        if item.isdir():
            if not path.startswith(KNOWN):
                after.makedir(own, item.class_id)
                copy(before, item, after, own)
            continue
        content = bytes(item.open("r").read())
        if path.startswith(KNOWN) and own.endswith(" index"):
            content = struct.pack("<I", 0) + content[4:15]  # of no entries
        stream = after.open(own, "w")
        stream.write(content)
        stream.close()


def whole_files(folder):
    """Small files of two writers and both sectors."""
    for sector in SECTORS:
        graph.write(folder / "whole", graph.Shape(1, sector))
        lean(folder / "whole", folder / "lean", sector)
        yield (folder / "lean").read_bytes()
    with (folder / "whole").open("wb+") as file:
        formats.write(timeline(Shape(3, 3, 60, 1, 0)), formats.AAF, file)
    lean(folder / "whole", folder / "lean", 4096)
    yield (folder / "lean").read_bytes()


def damaged(content, chance):
    """Cut off, or with bytes exchanged, mostly where it says where everything lies: the header, and the first sectors behind it."""
    data = bytearray(content)
    if chance.randrange(3) == 0:
        return bytes(data[: chance.randrange(len(data))])
    for _ in range(chance.choice((1, 8, 64))):
        place = chance.randrange(chance.choice((76, 512, 8192, len(data))))
        data[place] = chance.choice((0, 1, 0x7F, 0xFE, 0xFF, chance.randrange(256)))
    return bytes(data)


def put(folder, seed, count):
    """As many damaged files."""
    wholes = list(whole_files(folder))
    for name in ("whole", "lean"):
        (folder / name).unlink()
    for number in range(count):
        chance = random.Random(f"{seed} {number}")
        (folder / f"{number}.aaf").write_bytes(damaged(chance.choice(wholes), chance))


def container(read):
    """A reader of compound files, as its own program calls it."""
    return lambda path: program_protocol.main(None, read)


def project(path):
    with path.open("rb") as file:
        formats.read(formats.AAF, file)
    print("read")
    return 0


READERS = {
    "pyaaf2": container(pyaaf2_program.read),
    "olefile": container(olefile_program.read),
    "aaf": lambda path: whole_file.main(),
    "otio": project,
}


def ended(reader, path):
    """How reading ended: the exit code, negative for a signal, and whether anything was said."""
    said = os.memfd_create("said")
    child = os.fork()
    if child == 0:
        code = 3
        try:
            signal.alarm(LONGEST_SECONDS)
            os.dup2(said, 1)
            os.dup2(said, 2)
            sys.argv = ["", "read", str(path)]
            code = reader(path)
        except SystemExit as end:
            code = end.code
        except Exception as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            code = 1
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    spoken = os.fstat(said).st_size > 0
    os.close(said)
    return code, spoken


def main(name, folder):
    for path in sorted(folder.iterdir()):
        code, spoken = ended(READERS[name], path)
        print(path.name, code if spoken else "silent", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
