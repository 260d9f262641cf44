"""Declarations that were made to break the reader: one line with file and key or line, never a traceback or a hang."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from editing import edit
from spindlemark import config as declare
from spindlemark.analysis.findings import settings
from spindlemark.config import loader
from spindlemark.core.errors import UserError
from spindlemark.core.paths import CONFIG, ROOT
from spindlemark.measure import plan
from spindlemark.release.citation import formats as citation

BOMB = "\n".join([f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 9) if n else 'lol'}]" for n in range(12)])


def refused(config, *named):
    with pytest.raises(UserError) as raised:
        declare.load(config)
    problem = raised.value.problem
    assert "\n" not in problem and len(problem) < 600
    for words in named:
        assert words in problem
    return raised.value


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("seed: 2026-13-45", ["seed", "integer"]),
        ("seed: !!int abc", ["line 3", "tags"]),
        ("seed: !!python/object/apply:os.system [id]", ["line 3", "tags"]),
        (f"seed: {'9' * 5000}", ["line 3", "more than 100"]),
        (f"seed: 1{':59' * 100_000}", ["line 3", "more than 100"]),
        (f"seed: {'- ' * 3000}1", ["line 3"]),
        (f"seed: {'{a: ' * 200}", ["line 3", "deep"]),
        ("seed: 1\nseed: 2", ["line 4", "seed", "duplicate"]),
        ("seed: &a [*a]", ["line 3", "inside"]),
        ("seed: *nowhere", ["line 3", "alias"]),
        ("seed: 1\n<<: [1]", ["line 4", "merging"]),
        (BOMB, ["values"]),
        ("seed: 1\n? [a]\n: b", ["unhashable"]),
        ("seed: 1\n---\nseed: 1", ["line 4", "document"]),
        ("seed: .inf", ["seed"]),
        ("seed: -1", ["seed", "greater"]),
        (f"seed: {2**63}", ["seed", "less"]),
    ],
)
def test_nonsense_is_told_by_key_or_line(config, text, named):
    (config / "config.yaml").write_text(f"profile: quick\ntestbed: loop\n{text}\n")
    refused(config, "config.yaml", *named)


def test_a_deep_nest_does_not_crash_the_process(config):
    (config / "config.yaml").write_text(f"seed: {'[' * 200_000}{']' * 200_000}\n")
    code = (
        "from pathlib import Path\nfrom spindlemark import config\nfrom spindlemark.core import errors\n"
        f"errors.command(lambda: config.load(Path({str(config)!r})))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr.count("\n")) == (2, 2)
    assert "config.yaml" in done.stderr and "line 1" in done.stderr


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", "profile: is missing"),
        (b"- 1\n- 2\n", "the file: "),
        (b"\xff\xfe\x00\x01", "not YAML"),
        (b"7", "the file: "),
        (b"profile: \x00", "not YAML"),
        (b'profile: "\\0"\ntestbed: loop\nseed: 1', "profile: is not a valid name"),
    ],
)
def test_what_is_no_mapping_is_refused(config, content, named):
    (config / "config.yaml").write_bytes(content)
    refused(config, "config.yaml", named)


def test_a_byte_order_mark_is_no_fault(config):
    path = config / "config.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert declare.load(config) == declare.load()


@pytest.mark.parametrize("name", ["config.yaml", "profiles/quick.yaml", "recommendations.yaml"])
@pytest.mark.parametrize(
    ("put", "named"),
    [
        (lambda path: path.mkdir(), "is not a regular file"),
        (os.mkfifo, "is not a regular file"),
        (lambda path: path.symlink_to("/dev/zero"), "is not a regular file"),
        (lambda path: path.symlink_to(path.name), "symbolic links"),
        (lambda path: path.symlink_to("nowhere"), "no such file"),
        (lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), 2 << 30), "the limit is"),
    ],
)
def test_something_else_in_the_place_of_a_file_is_refused_at_once(config, name, put, named):
    path = config / name
    path.unlink()
    put(path)
    with pytest.raises(UserError, match=named) as raised:
        settings.load(path) if name == "recommendations.yaml" else declare.load(config)
    assert str(path) in str(raised.value)


def test_a_file_without_permission_is_refused(needs_root):
    with tempfile.TemporaryDirectory() as place:  # that another user may look into
        config = shutil.copytree(CONFIG, Path(place) / "config")
        Path(place).chmod(0o755)
        (config / "config.yaml").chmod(0)
        code = (
            "import os\nfrom pathlib import Path\nfrom spindlemark import config\nfrom spindlemark.core import errors\nos.setuid(65534)\n"
            f"errors.command(lambda: config.load(Path({str(config)!r})))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "config.yaml: cannot be read: Permission denied" in done.stderr


NAMES = ["..", "../../..", ".hidden", "x$(touch pwned)", "a b", "{x}", "a/b", "-rf", "a;b", "ü", "a" * 65, "", "a\nb"]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_could_leave_its_folder_or_command_a_shell_is_refused(config, name):
    quoted = '"' + name.replace("\n", "\\n") + '"'
    places = {
        "filesystems.yaml": f"\n{quoted}:\n  title: x\n",
        "libraries.yaml": f"\n{quoted}:\n  title: x\n",
        "experiments/aging.yaml": f"\n  - factors: {{filesystem: [ext4], rate: [{quoted}]}}\n",
        "experiments/file_creation.yaml": f"\n  - factors: {{filesystem: [ext4], {quoted}: [x]}}\n",
        "experiments/storage_profile.yaml": f"\n  - factors: {{filesystem: [{quoted}]}}\n",
    }
    for file, added in places.items():
        good = (config / file).read_text()
        (config / file).write_text(good + added)
        refused(config, file)
        (config / file).write_text(good)
    edit(config / "filesystems.yaml", "    noatime: {", f"    {quoted}: {{")
    refused(config, "filesystems.yaml", "variants")


@pytest.mark.parametrize("stem", ["loop copy", "loop (copy)", "x$(id)", "{x}", "a" * 70])
@pytest.mark.parametrize("folder", ["testbeds", "profiles", "experiments"])
def test_a_file_whose_name_is_no_name_is_refused(config, folder, stem):
    shutil.copy(next((config / folder).glob("*.yaml")), config / folder / f"{stem}.yaml")
    refused(config, f"{stem}.yaml", "its name")


def test_hidden_files_of_an_editor_are_not_read(config):
    shutil.copy(config / "testbeds" / "loop.yaml", config / "testbeds" / "...yaml")  # would be called ..
    (config / "testbeds" / ".#loop.yaml").symlink_to("someone@host.1234")
    assert declare.load(config) == declare.load()


@pytest.mark.parametrize(
    ("file", "old", "new", "key"),
    [
        ("profiles/quick.yaml", "repetitions: 3", "repetitions: 100000000", "repetitions"),
        ("profiles/quick.yaml", "most_repetitions: 40", "most_repetitions: 100000000", "stability.most_repetitions"),
        (
            "profiles/quick.yaml",
            "        repetitions: 1",
            "        repetitions: 100000000",
            "testbeds.vm.families.storage_profile.repetitions",
        ),
        ("profiles/quick.yaml", "budget_minutes: 30", "budget_minutes: .inf", "budget_minutes"),
        ("profiles/quick.yaml", "budget_minutes: 30", "budget_minutes: .nan", "budget_minutes"),
        ("profiles/quick.yaml", "budget_minutes: 30", "budget_minutes: -1", "budget_minutes"),
        ("profiles/quick.yaml", "image_size: 2 GiB", "image_size: 0", "image_size"),
        ("profiles/quick.yaml", "image_size: 2 GiB", "image_size: 4 EiB", "image_size"),
        ("profiles/quick.yaml", "image_size: 2 GiB", f"image_size: '{'9' * 400} GiB'", "image_size"),
        ("libraries.yaml", "files: 1345102", "files: 9999999999", "picture.files"),
        ("libraries.yaml", "title: Pictures", f"title: {'x' * 1001}", "picture.title"),
        ("libraries.yaml", "title: Pictures", 'title: "a\\eb"', "picture.title"),
        ("testbeds/loop.yaml", "directory: data", 'directory: "\\0data', "directory"),
        ("testbeds/loop.yaml", "directory: data/build/testbed", f"directory: {'x' * 5000}", "directory"),
        ("testbeds/loop.yaml", "directory: data/build/testbed", "directory: ''", "directory"),
        ("testbeds/loop.yaml", "busy_bound: 0.10", "busy_bound: .nan", "busy_bound"),
        ("testbeds/vm.yaml", "boot_seconds: 240", "boot_seconds: 1e300", "boot_seconds"),
        ("filesystems.yaml", "version: [mke2fs, -V]", "version: []", "ext3.version"),
        ("filesystems.yaml", "module: ext3", "module: ../ext3", "ext3.module"),
    ],
)
def test_a_value_beyond_sense_names_its_key(config, file, old, new, key):
    text = (config / file).read_text()
    new = new + '"' if new.startswith('directory: "') else new
    if new.endswith('data"'):
        text, old = text.replace("directory: data/build/testbed", old), old
    (config / file).write_text(text.replace(old, new, 1))
    refused(config, file, key)


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("publisher: Spindlemark developers", 'publisher: "a\\e[2J"', "publisher"),
        ("language: en", 'language: en\nsite: "https://a\\0"', "site"),
        ("language: en", 'language: en\ndoi: "10.1234/\\a"', "doi"),
    ],
)
def test_a_citation_has_no_control_characters(config, old, new, key):
    edit(config / "citation.yaml", old, new)
    with pytest.raises(UserError, match=f"citation.yaml: {key}"):
        citation.load(config / "citation.yaml")


def test_the_combinations_of_a_set_are_bounded(config):
    rates = ", ".join(f"{n}-mbit" for n in range(1, 500))
    (config / "experiments" / "aging.yaml").write_text(
        f"description: x\nsets:\n  - factors: {{filesystem: [ext3, ext4, xfs], rate: [{rates}]}}\n"
    )
    refused(config, "aging.yaml", "1497 combinations")


def test_names_that_together_make_no_folder_are_refused(config):
    long = ", ".join(f"{letter * 60}: [{letter * 60}]" for letter in "abcd")
    (config / "experiments" / "aging.yaml").write_text(
        f"description: x\nsets:\n  - factors: {{filesystem: [ext4], {long}}}\n"
    )
    refused(config, "aging.yaml", "too long")


def test_a_set_of_libraries_needs_a_library(config):
    (config / "experiments" / "filesystem_lifecycle.yaml").write_text(
        "description: x\nsets:\n  - factors: {filesystem: [ext4]}\n"
    )
    with pytest.raises(UserError, match="filesystem_lifecycle.yaml.*library: is missing"):
        plan.make(declare.load(config), plan.Request(testbed="loop"))


def test_a_library_of_more_than_an_exbibyte_is_refused(config):
    edit(config / "libraries.yaml", "mean: 18377986633", "mean: 1 PiB")
    edit(config / "libraries.yaml", "largest: 36840 MiB", "largest: 2 PiB")
    edit(config / "libraries.yaml", "files: 35", "files: 100000000")
    edit(
        config / "profiles" / "quick.yaml", "  video-hd: {files: 0.115, largest: 3 GB, mean: 1600 MB}", "  video-hd: {}"
    )
    # In memory it would be cut to what fits.
    edit(config / "testbeds" / "loop.yaml", "source_directory: /dev/shm", "source_directory: /")
    with pytest.raises(UserError, match="video-hd.mean"):
        plan.make(declare.load(config), plan.Request(testbed="loop", family="filesystem_lifecycle"))


@pytest.mark.parametrize("repetitions", [3 * 10**7, 0, -1, "three"])
def test_repetitions_beyond_sense_are_refused_however_they_come(repetitions):
    with pytest.raises(UserError, match="from 1 to 1000"):
        plan.make(declare.load(), plan.Request(repetitions=repetitions, testbed="loop"))


def test_anchors_and_merges_that_make_sense_still_work(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("a: &a {k: 1, l: 2}\nb: {<<: *a, k: 3}\nc: *a\n")
    assert declare.read_yaml(path, dict) == {"a": {"k": 1, "l": 2}, "b": {"k": 3, "l": 2}, "c": {"k": 1, "l": 2}}
    path.write_text("[" * (loader.MOST_DEPTH - 1) + "]" * (loader.MOST_DEPTH - 1))
    declare.read_yaml(path, list)


@pytest.mark.parametrize(
    "words",
    [
        ["run", "--repetitions", "30000000"],
        ["run", "--budget", "inf"],
        ["run", "--budget", "nan"],
        ["run", "--nonesuch"],
        ["plan", "--testbed", "../.."],
        ["plan", "--family", "\udcff[/x]"],
        ["plan", "--testbed", "a" * 100_000],
        ["plan", "--testbed", "loop", "--only", "[/x]\x1b[2J"],
        ["show", "[/x]\x1b]0;x\x07"],
        ["show", "\udcff"],
        ["release", "../.."],
    ],
)
def test_words_that_make_no_sense_end_with_exit_code_2(words):
    done = subprocess.run(
        [sys.executable, "-m", "spindlemark", *words],
        capture_output=True,
        check=False,
        timeout=120,
        cwd=ROOT,
        env=os.environ | {"CI": "1"},
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 2, done.stderr
    for output in (done.stdout, done.stderr):
        assert b"Traceback" not in output and b"\x1b" not in output
