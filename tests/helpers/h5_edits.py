"""Editing HDF5 files with the project's editor, and reading them with the package's own tools."""

import subprocess
import sys
from pathlib import Path

from spindlemark.core.durability import Durability
from spindlemark.families.hdf5_edit.editor import atomicity, commands

EVERY = """
CREATE /g/b {H5T_STD_B16BE (2) DATA {1, 0xff}};
CREATE /g/v {H5T_STRING {STRSIZE H5T_VARIABLE; CSET H5T_CSET_UTF8;} (2) DATA {"ä", "x y"}};
CREATE /g/f {H5T_STRING {STRSIZE 5} DATA {"abc"}};
CREATE /d/a {H5T_ARRAY {[2][2] H5T_IEEE_F32LE} (1) DATA {1, 2, 3, 4.5}};
CREATE /d/h {H5T_IEEE_F16LE DATA {1.5}};
CREATE /d/n {H5T_NATIVE_INT DATA {-7}};
MODIFY /d/n {DATA {8}};
MODIFY /g/v {DATA {"q", "r"}};
MODIFY /g/y {H5T_STD_U64BE DATA {18446744073709551615}};
COPY /g/v /d/v2;
COPY /d/a /g/a2;
RENAME /d/h hh;
DELETE /x;
"""
EDITOR = Path(sys.executable).with_name("spindlemark-h5edit")


def said(*words, code=0):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code, done
    return done.stdout + done.stderr


def dump(path):
    return said("h5dump", "-A", path).partition("\n")[2]


def values(path):
    said("h5dump", "-d", "/d", "-b", "LE", "-o", path.with_suffix(".values"), path)
    found = path.with_suffix(".values").read_bytes()
    path.with_suffix(".values").unlink()
    return found


def edited(path, content, level, backup, **how):
    atomicity.edit(path, commands.parse(content, "edits"), Durability(level, backup, **how))
