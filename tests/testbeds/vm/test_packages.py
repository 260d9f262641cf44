"""Kernel packages for virtual machines: from a real archive, small and on this disk, with the real apt and dpkg."""

import os
import time

import pytest
import yaml

from debian_archive import ARCHITECTURE, Archive
from spindlemark import config
from spindlemark.config import VmTestbed
from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Unsupported
from spindlemark.core.process.tools import find
from spindlemark.testbeds import kernel_modules, vm
from spindlemark.testbeds.vm import packages, pins, sources
from spindlemark.testbeds.vm.archive import require_pinned
from spindlemark.testbeds.vm.sources import Source

pytestmark = pytest.mark.skipif(
    not all(map(find, ("apt-get", "dpkg-deb", "depmod"))) or ARCHITECTURE is None,
    reason="needs apt, dpkg and kmod on x86_64",
)


@pytest.fixture
def archive(tmp_path, monkeypatch):
    made = Archive(tmp_path / "archive")
    monkeypatch.setattr(packages, "debian", lambda: made.source)
    monkeypatch.setattr(pins, "LIST", tmp_path / "kernels.yaml")
    pins.LIST.write_text("{}")
    return made


def pin(package, version, sha256, _=None):
    fields = {"package": package, "version": version, "sha256": sha256}
    pins.LIST.write_text(yaml.safe_dump({"tiny": {ARCHITECTURE: fields}}))


def bed_of(folder):
    return VmTestbed(
        description="",
        kind="vm",
        kernel="tiny",
        kernels=str(folder),
        directory=str(folder / "bed"),
        direct_io=False,
        scheduler="none",
        source_directory="/dev/shm",
        busy_bound=0.1,
        cpus=1,
        memory="1 GiB",
        boot_seconds=1,
        silence_seconds=1,
        repetition_seconds=1,
        idle_seconds=1,
    )


def test_what_is_pinned_is_fetched_once_and_kept_whatever_else_is_offered(archive, tmp_path):
    archive.offer_kernel("6.1.0-9", "6.1.9-1")
    archive.offer_kernel("6.1.0-10", "6.1.10-1")
    pin(*archive.packages[0])
    kernels = tmp_path / "kernels"
    kernel = packages.fetch(str(kernels), "tiny")
    assert (kernel.release, kernel.version, kernel.sha256) == ("6.1.0-9", "6.1.9-1", archive.packages[0][2])
    assert kernel.image.read_text() == "kernel" and kernel.has("minix") and not kernel.has("jfs")
    archive.offer_kernel("6.1.0-11", "6.1.11-1")
    assert packages.fetch(str(kernels), "tiny") == kernel == packages.cached(str(kernels), "tiny")
    assert not list(kernels.glob("**/*.deb")) and not list(kernels.glob(".*.partial"))
    assert packages.facts(str(kernels), "tiny")["kernel.fetched.sha256"] == kernel.sha256


def test_a_kernel_that_is_pinned_no_longer_is_fetched_anew(archive, tmp_path):
    archive.offer_kernel("6.1.0-9", "6.1.9-1")
    archive.offer_kernel("6.1.0-10", "6.1.10-1")
    pin(*archive.packages[0])
    packages.fetch(str(tmp_path / "kernels"), "tiny")
    pin(*archive.packages[1])
    assert packages.cached(str(tmp_path / "kernels"), "tiny") is None
    assert packages.fetch(str(tmp_path / "kernels"), "tiny").release == "6.1.0-10"


@pytest.mark.parametrize(
    "pinned", [None, ("linux-image-6.1.0-8", "6.1.8-1", "1" * 64), ("linux-image-6.1.0-9", "6.1.9-1", "2" * 64)]
)
def test_what_is_not_pinned_is_told_with_the_lines_that_take_it_and_they_do(archive, tmp_path, pinned):
    archive.offer_kernel("6.1.0-9", "6.1.9-1")
    if pinned:
        pin(*pinned)
    with pytest.raises(Unsupported) as caught:
        packages.fetch(str(tmp_path / "kernels"), "tiny")
    name, version, digest, _ = archive.packages[0]
    assert " ".join(pinned[:2]) in caught.value.reason if pinned else "pins none" in caught.value.reason
    assert (
        f"write below tiny: {ARCHITECTURE}: in envs/kernels.yaml: package: {name}, version: {version}, "
        f"sha256: {digest}" in caught.value.reason
    )
    assert not (tmp_path / "kernels" / "tiny").exists()
    pin(name, version, digest)
    later = time.time() + 5
    os.utime(pins.LIST, (later, later))
    assert packages.fetch(str(tmp_path / "kernels"), "tiny").version == version


def test_a_package_of_other_content_is_not_unpacked(archive, tmp_path):
    archive.offer_kernel("6.1.0-9", "6.1.9-1")
    name, version, digest, file = archive.packages[0]
    pin(name, version, digest)
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(Unsupported):
        packages.fetch(str(tmp_path / "kernels"), "tiny")
    with pytest.raises(Unsupported, match=f"not {digest}; it was deleted"):
        require_pinned(file, pins.pinned("tiny"))
    assert not list((tmp_path / "kernels").glob("**/vmlinuz*"))


@pytest.mark.parametrize(
    ("key", "value"), [("sha256", "abc"), ("package", "linux-image-../x"), ("version", "1; id"), ("more", "x")]
)
def test_a_pin_that_is_none_is_told_with_file_and_key(archive, key, value):
    fields = {"package": "linux-image-6", "version": "6-1", "sha256": "0" * 64} | {key: value}
    pins.LIST.write_text(yaml.safe_dump({"tiny": {ARCHITECTURE: fields}}))
    with pytest.raises(UserError, match=rf"kernels.yaml: .*tiny.{ARCHITECTURE}.{key}"):
        pins.pinned("tiny")


def test_every_virtual_machine_that_is_declared_has_its_kernel_pinned():
    beds = [bed for bed in config.load().testbeds.values() if isinstance(bed, VmTestbed)]
    assert beds and all(pins.pinned(bed.kernel) for bed in beds)


def test_an_archive_out_of_reach_is_unsupported_and_plans_go_on(tmp_path, monkeypatch):
    monkeypatch.setattr(packages, "debian", lambda: Source(f"file:{tmp_path}/nowhere", None))
    kernels = tmp_path / "kernels"
    with pytest.raises(Unsupported, match="the kernel of tiny cannot be fetched: .*nowhere"):
        packages.fetch(str(kernels), "tiny")
    monkeypatch.setattr(packages, "debian", lambda: pytest.fail("it was asked again at once"))
    with pytest.raises(Unsupported, match="nowhere"):
        packages.fetch(str(kernels), "tiny")
    computer = vm.computer(bed_of(kernels))
    assert computer.kernel is None and not computer.has("ext4") and computer.facts["accelerator"] is None


def test_without_apt_the_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(packages, "find", lambda tool: None)
    with pytest.raises(Unsupported, match="the package apt brings it"):
        packages.fetch(str(tmp_path / "kernels"), "tiny")


def test_filesystems_served_by_another_module_are_there(tmp_path):
    (tmp_path / "modules.dep").write_text("kernel/fs/ext4/ext4.ko: kernel/fs/jbd2/jbd2.ko\n")
    (tmp_path / "modules.alias").write_text("alias fs-ext3 ext4\nalias pci:v0 other\n")
    assert kernel_modules.modules(tmp_path) >= {"ext4", "ext3"}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "sources.list",
            "# deb http://x/debian a main\ndeb [arch=amd64 signed-by=/k.gpg] http://m/debian/ a main contrib # c\n",
            Source("http://m/debian/", "/k.gpg"),
        ),
        (
            "sources.list.d/d.sources",
            "Types: deb\nEnabled: no\nURIs: http://off/debian\nSuites: a\nComponents: main\n\n"
            "Types: deb-src deb\nURIs: http://s/debian-security http://m/debian\nSuites: a\n"
            "Components: main\nSigned-By:\n -----BEGIN\n .\n x\n",
            None,
        ),
    ],
)
def test_the_hosts_own_archive_and_keys_are_used(tmp_path, name, text, expected):
    (tmp_path / "sources.list.d").mkdir()
    (tmp_path / name).write_text(text)
    found = sources.debian(tmp_path)
    assert found == (expected or Source("http://m/debian", "\n -----BEGIN\n .\n x"))
    assert found.stanza("b").startswith(f"Types: deb\nURIs: {found.address}\nSuites: b\n")


def test_a_host_of_another_distribution_is_told(tmp_path):
    (tmp_path / "sources.list").write_text(
        "deb http://archive.ubuntu.com/ubuntu noble main\n"
        "deb https://download.docker.com/linux/debian bookworm stable\n"
    )
    with pytest.raises(Unsupported, match="no Debian archive"):
        sources.debian(tmp_path)
