"""Bundles: what leaves a machine, what is taken from another one, and what is not."""

import zipfile
import zlib

import pytest

import malicious
import malicious_archives
import malicious_records
import malicious_zip
from contributed import refused, some
from malicious import Good
from spindlemark.core.errors import UserError
from spindlemark.core.record import Gate, Record
from spindlemark.release.contributions import anonymise, archive, checks, consistency, exact_zip, export, imported


def test_what_the_forgers_start_from_is_taken(tmp_path, good):
    file = tmp_path / "given.zip"
    file.write_bytes(good.bytes())
    found, heard = imported.checked(file, 0.2, tmp_path / "joined")
    assert (heard.records, heard.machine.cpu) == (2, "Intel(R) Xeon(R) Processor")
    assert imported.take(found, tmp_path / "joined")
    assert (tmp_path / "joined" / found.name).read_bytes() == file.read_bytes()
    assert not imported.take(found, tmp_path / "joined"), "it is there already"


@pytest.mark.parametrize("name", malicious_records.RECORDS_OF)
def test_forged_records_are_refused(tmp_path, good, name):
    change, reason = malicious_records.RECORDS_OF[name]
    told = refused(tmp_path, good.changed(change))
    assert "given.zip: refused: " in told
    assert reason in told


@pytest.mark.parametrize(
    "kind",
    [
        malicious.texts,
        malicious_archives.archives,
        malicious_zip.hidden,
        malicious_zip.unreadable,
        malicious_zip.names,
        malicious_zip.nested,
        malicious_zip.manifests,
    ],
)
def test_forged_files_are_refused(tmp_path, good, kind):
    cases = kind(good)
    assert len(cases) > 8
    wrong = {}
    for name, (content, reason) in cases.items():
        try:
            told = refused(tmp_path, content)
        except BaseException as error:
            raise AssertionError(name) from error
        if reason not in told or "given.zip: " not in told:
            wrong[name] = told
    assert not wrong


@pytest.mark.parametrize(
    ("family", "change", "reason"),
    [
        ("file_creation", lambda said: said["fio"]["jobs"][0]["write"].update(runtime=1), "own commands, factors"),
        ("file_creation", lambda said: said.clear(), "cannot be computed again"),
        ("storage_profile", lambda said: said["fio"]["jobs"][1].update(read={}, write={}), "cannot be computed again"),
    ],
)
def test_numbers_follow_from_what_the_tools_printed(family, change, reason):
    [record] = some(family, "*", 1)
    assert consistency.problem(record) is None
    forged = record.model_dump(mode="json")
    change(forged["attachments"])
    assert reason in consistency.problem(Record.model_validate(forged))


@pytest.mark.parametrize(("slower", "agrees"), [(1.0, True), (1.1, False)])
def test_a_repeated_command_counts_with_the_mean_of_its_runs(slower, agrees):
    """Since method 3 of filesystem_lifecycle a short check is repeated."""
    [record] = some("filesystem_lifecycle", "btrfs--frames", 1)
    [check] = [command for command in record.commands if command.step == "check"]
    again = check.model_copy(update={"seconds": slower * check.seconds})
    found = consistency.problem(record.model_copy(update={"commands": [*record.commands, again]}))
    assert found is None if agrees else "check_seconds" in found


def test_what_was_joined_is_not_joined_twice(tmp_path, good):
    home = tmp_path / "joined"
    file = tmp_path / "given.zip"
    file.write_bytes(good.bytes())
    imported.take(imported.checked(file, 0.2, home)[0], home)
    part = tmp_path / "part.zip"
    part.write_bytes(good.bytes(good.text(good.records[:1])))
    with pytest.raises(UserError, match="1 of its 1 repetitions are already in"):
        imported.checked(part, 0.2, home)


def test_an_imported_file_is_not_replaced_by_other_bytes_of_the_same_records(tmp_path, good):
    home = tmp_path / "joined"
    first, second = tmp_path / "first.zip", tmp_path / "second.zip"
    first.write_bytes(good.bytes())
    found, _ = imported.checked(first, 0.2, home)
    second.write_bytes(_packed_loosely(good))
    other, _ = imported.checked(second, 0.2, home)
    assert other.name == found.name and other.content != found.content
    assert imported.take(found, home)
    with pytest.raises(UserError, match="has the same records in a file of other bytes"):
        imported.checked(second, 0.2, home)
    with pytest.raises(UserError, match="never changes"):
        imported.take(other, home)
    assert (home / found.name).read_bytes() == found.content


def _packed_loosely(good: Good) -> bytes:
    """The same records by another level of compression, which a file may have."""
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    stream = packer.compress(good.text()) + packer.flush()
    records = exact_zip.deflate(archive.RECORDS, good.text())._replace(stream=stream)
    return exact_zip.assemble([exact_zip.deflate(archive.MANIFEST, good.manifest()), records])


@pytest.mark.parametrize("file", imported.files(), ids=lambda file: file.stem)
def test_imported_contributions_have_the_exact_form(file):
    found = archive.read(file)
    with zipfile.ZipFile(file) as packed:
        assert packed.read(archive.RECORDS).decode() == "".join(f"{line}\n" for line in found.lines)


def test_a_link_and_a_false_name_are_refused(tmp_path, good):
    home = tmp_path / "joined"
    home.mkdir()
    (home / "a.zip").write_bytes(good.bytes())
    with pytest.raises(UserError, match="follows from its content"):
        imported.checked(home / "a.zip", 0.2, home)
    (home / "b.zip").symlink_to("/etc/passwd")
    with pytest.raises(UserError, match="is a link"):
        imported.files(home)
    with pytest.raises(UserError, match="is a link"):
        imported.checked(home / "b.zip", 0.2, home)


def test_a_file_that_is_not_there_is_nobodys_fault(tmp_path):
    with pytest.raises(UserError, match="no such file") as error:
        imported.checked(tmp_path / "nosuch.zip", 0.2, tmp_path / "joined")
    assert "name the file" in error.value.remedy


def test_a_bundle_is_the_same_bytes_whatever_the_order():
    records = some("filesystem_lifecycle", "btrfs--frames")
    assert archive.pack(records) == archive.pack(records[::-1])


def test_nobody_is_named(tmp_path):
    [record] = some("filesystem_lifecycle", "btrfs--frames", 1)
    spoken = {
        "stdout": "alice@studio7:/home/alice/film on /mnt/alice-disk, serial: WD-123, 52:54:00:12:34:56, "
        "8.8.8.8 and 198.18.0.1, 01234567-89ab-cdef-0123-456789abcdef, S3RIAL99 alice"
    }
    commands = [command.model_copy(update=spoken) for command in record.commands]
    named = record.model_copy(update={"commands": commands, "environment": record.environment | {"timezone": "+0200"}})
    known = {"alice": "name of a user", "studio7": "name of the machine", "S3RIAL99": "serial number"}
    packed = export.pack([named], known)
    file = export.write(packed, tmp_path)
    told = checks.read(file)[1][0].commands[0].stdout
    personal = ("alice", "studio7", "film", "WD-123", "52:54", "8.8.8.8", "01234567", "S3RIAL99")
    assert [word for word in personal if word in told] == []
    assert "198.18.0.1" in told
    assert "timezone" not in checks.read(file)[1][0].environment
    assert packed.removed["name of a user"] >= 1
    assert checks.read(file)[1][0].identity == record.identity


def test_a_name_in_what_identities_hash_is_told():
    [record] = some("filesystem_lifecycle", "btrfs--frames", 1)
    moved = record.experiment.model_copy(update={"testbed": "alice-disk"})
    named = record.model_copy(update={"experiment": moved})
    assert anonymise.remaining(named, {"alice": "name of a user"}) == {"name of a user"}


def test_one_machine_and_one_session_are_chosen():
    records = some("filesystem_lifecycle", "btrfs--frames")
    both = [_of_host(records[0], "0" * 12), _of_host(records[0], "1" * 12)]
    with pytest.raises(UserError, match="there are several"):
        export.chosen(both, None, None)
    with pytest.raises(UserError, match="there are: 2026-11-22"):
        export.chosen(records, "2020-01-01-abcd", None)
    machine = checks.of(both[1].experiment.fingerprint).id
    assert export.chosen(both, None, machine) == both[1:]


def _of_host(record: Record, host: str) -> Record:
    other = record.experiment.model_copy(update={"fingerprint": record.experiment.fingerprint | {"host": host}})
    return record.model_copy(update={"experiment": other, "identity": other.identity()})


@pytest.mark.parametrize(("points", "agrees"), [(37, True), (1, True), (0, False)])
def test_a_kill_has_any_number_of_points_but_not_none(points, agrees):
    gate = Gate(gate="completeness", step="kill", ok=True, observed=points, bound=1, unit="1", detail="points")
    assert (list(consistency._gate("validity.0", gate)) == []) is agrees
