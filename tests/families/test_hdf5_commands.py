"""Command files of the HDF5 editor: what they mean, and where they are wrong."""

import os

import numpy as np
import pytest

from spindlemark.core.errors import UserError
from spindlemark.families.hdf5_edit.editor import commands

SOURCE = """
CREATE /newattrI32BE {H5T_STD_I32BE (1, 2, 3) DATA {11, 12, 21, 22, 31,32}};
CREATE /newattrF64LE {H5T_IEEE_F64LE (2, 2, 2) DATA {0.1E1, 0.2E1, -1.1e2, -1.2e2, 2.1E-3, 2.2E-3, -3.1E-3, -3.2E-2}};
""" + "".join(f"CREATE /newattr{n} {{H5T_STD_I32BE (1, 2, 3) DATA {{11, 12, 21, 22, 31,32}}}};\n" for n in range(1, 8))


def test_the_nine_commands_of_the_source_are_read():
    found = commands.parse(SOURCE, "t_comm_file1")
    assert [str(c.attribute) for c in found] == [
        "/newattrI32BE",
        "/newattrF64LE",
        *(f"/newattr{n}" for n in range(1, 8)),
    ]
    first, second = (c.data for c in found[:2])
    held = first.type.array([value for value, _ in first.values], first.dimensions)
    assert held.dtype == np.dtype(">i4") and held.tolist() == [[[11, 12, 21], [22, 31, 32]]]
    assert second.dimensions == (2, 2, 2) and second.values[7][0] == -0.032


def test_every_verb_and_type_is_read():
    found = commands.parse(
        """
        # a comment
        modify "/a group/data set/name" {DATA {-1, 0x10}}; RENAME /x "new name"; COPY /g/x /y; DELETE /g/d/z;
        CREATE /s {H5T_STRING {STRSIZE 4; STRPAD H5T_STR_NULLPAD; CSET H5T_CSET_UTF8; CTYPE H5T_C_S1;} DATA {"q\\"\\n\\\\"}};
        CREATE /v {H5T_STRING {STRSIZE H5T_VARIABLE} (2) DATA {"", "long"}};
        CREATE /e {H5T_ARRAY {[2][3] H5T_STD_U8LE} (0) DATA {}}; CREATE /b {H5T_NATIVE_B16 DATA {65535}};
        """,
        "file",
    )
    assert [c.verb for c in found] == ["MODIFY", "RENAME", "COPY", "DELETE", "CREATE", "CREATE", "CREATE", "CREATE"]
    assert found[0].attribute == ("/a group/data set", "name") and [v for v, _ in found[0].data.values] == [-1, 16]
    assert found[1].name == "new name" and found[2].target == ("/", "y") and found[4].data.values[0][0] == 'q"\n\\'
    assert found[6].data.type.shape == (2, 3) and found[7].data.type.dtype.kind == "u"


@pytest.mark.parametrize(
    ("content", "place", "why"),
    [
        ("CREATE /a {H5T_STD_I8LE DATA {1}}\nCREATE", "line 2, column 1", "is written where ; is expected"),
        ("MAKE /a;", "line 1, column 1", "CREATE or MODIFY"),
        ("DELETE a;", "line 1, column 8", "a path"),
        ("DELETE /a/;", "line 1, column 8", "names no attribute"),
        ("CREATE /a {H5T_STD_I8LE DATA {\n 1, 128}};", "line 2, column 5", "2 values for 1 places"),
        ("CREATE /a {H5T_STD_I8LE (2) DATA {\n 1, 128}};", "line 2, column 5", "not within -128 to 127"),
        ("CREATE /a {H5T_STD_U8LE DATA {1.5}};", "line 1, column 31", "not a whole number"),
        ('CREATE /a {H5T_STD_U8LE DATA {"1"}};', "line 1, column 31", "the type is a number"),
        ("CREATE /a {H5T_IEEE_F16LE DATA {1e9}};", "line 1, column 33", "too large for 16 bits"),
        (f"CREATE /a {{H5T_IEEE_F64LE DATA {{{'9' * 400}}}}};", "line 1, column 33", "too large for 64 bits"),
        (f"CREATE /a {{H5T_IEEE_F64LE DATA {{0x{'f' * 400}}}}};", "line 1, column 33", "too large for 64 bits"),
        ("CREATE /a {H5T_IEEE_F64LE DATA {1e999}};", "line 1, column 33", "too large for 64 bits"),
        ("CREATE /a {H5T_IEEE_F8LE DATA {1}};", "line 1, column 12", "not a plain type"),
        ('CREATE /a {H5T_STRING {STRSIZE 3} DATA {"abc"}};', "line 1, column 41", "takes 3 bytes of 2"),
        (
            "CREATE /a {H5T_ARRAY {[2] H5T_ARRAY {[2] H5T_STD_I8LE}} DATA {}};",
            "line 1, column 12",
            "is not an array of numbers",
        ),
        ("CREATE /a {H5T_STD_I8LE (-1) DATA {}};", "line 1, column 26", "not a whole number from 0"),
        ('DELETE "/a\n\nb"; ?', "line 1, column 8", "cannot be read"),
        ("   # nothing\n", "no command", ""),
        ("CREATE /a {", "line 1, column 12", "a type"),
    ],
)
def test_what_is_wrong_is_told_with_its_line_and_column(content, place, why):
    with pytest.raises(UserError) as error:
        commands.parse(content, "edits.txt")
    assert error.value.problem.startswith("edits.txt") and place in error.value.problem and why in str(error.value)


def test_a_file_that_is_none_is_told(tmp_path):
    (tmp_path / "binary").write_bytes(b"CREATE \xff")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "large").write_bytes(b" " * (commands.MOST_BYTES + 1))
    for name, why in (
        ("binary", "byte 7 is not UTF-8"),
        ("large", "the limit is"),
        ("absent", "no such file"),
        (".", "is not a regular file"),
        ("fifo", "is not a regular file"),
    ):
        with pytest.raises(UserError, match=why):
            commands.read(tmp_path / name)
