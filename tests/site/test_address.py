"""Addresses stay below the folder of their version, whatever a release calls its groups and metrics."""

import pytest

from spindlemark.site import address


@pytest.mark.parametrize("name", ["..", ".", "...", "../..", "/", "/etc", "a/../b", "..\\x", "\0", "x\n", "é"])
def test_no_name_leads_out_of_its_folder(name):
    assert address.slug(name) not in (".", "..", "...") and not set(address.slug(name)) & set("/\\\0\n")


@pytest.mark.parametrize("name", ["ext4", "vm-6.12", "file_creation", "loop--picture", "a..b"])
def test_known_names_keep_their_addresses(name):
    assert address.slug(name) == name
    assert address.slug("ext4+m0@bfq") == "ext4-m0-bfq"
