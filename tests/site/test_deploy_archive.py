"""Publishing to a ZIP file: damaged and malicious archives are refused, and the same site gives the same bytes."""

import zipfile

import pytest

import malicious_zip
from online_place import Place
from spindlemark.core.errors import UserError
from spindlemark.site.deploy import zip_target


def test_names_that_lead_elsewhere_are_refused(tmp_path):
    place = Place(tmp_path, "archive")
    place.publish()
    place.spoil("../../etc/passwd", "x")
    with pytest.raises(UserError, match="is not a valid name for a file of a site"):
        place.publish()


DAMAGED = {
    "wrong checksum": lambda whole: malicious_zip.patched(whole, 14, 16, 0xAB),
    "encrypted": lambda whole: malicious_zip.patched(whole, 6, 8, 1),
    "strongly encrypted": lambda whole: malicious_zip.patched(whole, 6, 8, 0x41),
    "patch data": lambda whole: malicious_zip.patched(whole, 6, 8, 0x20),
    "unknown compression": lambda whole: malicious_zip.patched(whole, 8, 10, 99),
    "compressed by bzip2, it says": lambda whole: malicious_zip.patched(whole, 8, 10, 12),
    "compressed by LZMA, it says": lambda whole: malicious_zip.patched(whole, 8, 10, 14),
    "stored, it says": lambda whole: malicious_zip.patched(whole, 8, 10, 0),
    "newer format": lambda whole: malicious_zip.patched(whole, 4, 6, 99),
    "other name before the file": lambda whole: malicious_zip.patched(whole, 30, 45, 0x41),
    "no local header": lambda whole: malicious_zip.patched(whole, 0, 45, 0x41),
    "name that is not UTF-8": lambda whole: malicious_zip.patched(malicious_zip.patched(whole, 7, 9, 8), 30, 46, 0xFF),
    "zeros": lambda whole: whole[:100] + bytes(200) + whole[300:],
    "cut": lambda whole: whole[:-30],
    "begins late": lambda whole: whole[50:],
    "only the end": lambda whole: whole[-22:],
    "empty": lambda whole: b"",
    "not a ZIP file": lambda whole: b"<html>",
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_archive_is_an_error_of_one_line(tmp_path, damage):
    place = Place(tmp_path, "archive")
    place.publish()
    whole = DAMAGED[damage](place.archive.read_bytes())
    place.archive.write_bytes(whole)
    with pytest.raises(UserError, match="site.zip: is not a readable zip archive") as caught:
        place.publish(place.site("new words"))
    assert "\n" not in caught.value.problem and len(caught.value.problem) < 600
    assert place.archive.read_bytes() == whole


def test_an_archive_that_unpacks_to_far_more_than_a_site_is_not_unpacked(monkeypatch, tmp_path):
    place = Place(tmp_path, "archive")
    place.publish()
    monkeypatch.setattr(zip_target, "LEAST_LIMIT", 1 << 20)
    with zipfile.ZipFile(place.archive, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", bytes(32 << 20))
    monkeypatch.setattr(zipfile.ZipFile, "open", None)
    with pytest.raises(UserError, match="unpacks to 335..... bytes, which is not plausible"):
        place.publish()


def test_the_same_site_gives_the_same_archive(tmp_path):
    one, two = (Place(tmp_path / name, "archive") for name in ("one", "two"))
    for place in (one, two):
        place.publish()
    assert one.archive.read_bytes() == two.archive.read_bytes()
