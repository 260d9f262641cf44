"""ZFS for the packaged kernel: fetched from a real archive, small and on this disk, and built by the real shell and make."""

import subprocess

import pytest
import yaml

from debian_archive import ARCHITECTURE, Archive
from spindlemark import config
from spindlemark.config import VmTestbed
from spindlemark.core.process import programs
from spindlemark.core.process.tools import find
from spindlemark.testbeds.vm import packages, pins, zfs

NEEDED = ("apt-get", "dpkg-deb", "depmod", "gcc-12", "make", "strip")
RELEASE = "6.1.0-9-tiny"
# Writes a makefile that builds one module, if the headers are where a kernel expects them.
CONFIGURE = """\
#!/bin/sh
test -e /usr/src/linux-headers-6.1.0-9-common/here || { echo "error: no headers" >&2; exit 1; }
mkdir -p module/zfs
printf 'all:\\n\\techo "int x;" | gcc-12 -g -xc -c - -o module/zfs/zfs.ko\\n' > Makefile
"""
pytestmark = pytest.mark.skipif(ARCHITECTURE is None, reason="needs packages of x86_64")


@pytest.fixture
def archive(tmp_path, monkeypatch, needs_root):
    if absent := [tool for tool in NEEDED if find(tool) is None]:
        pytest.skip(f"not here: {', '.join(absent)}")
    made = Archive(tmp_path / "archive")
    monkeypatch.setattr(packages, "debian", lambda: made.source)
    monkeypatch.setattr(zfs, "debian", lambda: made.source)
    monkeypatch.setattr(pins, "LIST", tmp_path / "kernels.yaml")
    monkeypatch.setattr(pins, "ZFS_LIST", tmp_path / "zfs.yaml")
    # Folders that only root can write, as in /var/lib.
    monkeypatch.setattr(zfs, "FOLDER", tmp_path / "state" / "zfs")
    monkeypatch.setattr(programs, "UNPACKED", tmp_path / "state" / "packages")
    (tmp_path / "state").mkdir(mode=0o755)
    made.offer_kernel(RELEASE, "6.1.9-1")
    pins.LIST.write_text(yaml.safe_dump({"tiny": {ARCHITECTURE: fields(made.packages[0])}}))
    return made


def fields(package):
    name, version, digest, _ = package
    return {"package": name, "version": version, "sha256": digest}


def offered(archive, headers="usr/src/linux-headers-6.1.0-9-common/here"):
    """Offer all packages of ZFS, and pin them."""
    build = [
        archive.offer("linux-headers", "6.1.9-1", {headers: ""}),
        archive.offer("zfs-dkms", "2.1-1", {"usr/src/zfs-2.1/configure": CONFIGURE}, component="contrib"),
    ]
    tools = [archive.offer("zfsutils-linux", "2.1-1", {"sbin/zpool": "#!/bin/sh\necho zfs-2.1\n"}, component="contrib")]
    listed = {"build": [fields(each) for each in build], "programs": [fields(each) for each in tools]}
    pins.ZFS_LIST.write_text(yaml.safe_dump({"tiny": {ARCHITECTURE: listed}}))
    return listed


def test_the_modules_are_built_once_for_the_kernel_and_the_programs_are_found(archive, tmp_path, capsys):
    offered(archive)
    kernels = str(tmp_path / "kernels")
    assert zfs.make(kernels, "tiny") == []
    kernel = packages.cached(kernels, "tiny")
    assert kernel.has("zfs") and kernel.has("minix")
    assert programs.find("zpool") == str(programs.UNPACKED / "zfsutils-linux" / "sbin" / "zpool")
    assert "Building ZFS for Linux 6.1.0-9-tiny" in capsys.readouterr().out
    assert sorted(each.name for each in zfs.FOLDER.iterdir()) == [".lock", "apt"]
    assert zfs.make(kernels, "tiny") == [] and capsys.readouterr().out == ""
    sections = subprocess.run(["readelf", "-S", zfs.modules_of(kernel) / "zfs.ko"], capture_output=True, text=True)
    assert ".data" in sections.stdout + ".bss" and ".debug_info" not in sections.stdout


def test_other_packages_are_built_again(archive, tmp_path, capsys):
    listed = offered(archive)
    zfs.make(str(tmp_path / "kernels"), "tiny")
    newer = archive.offer("libzfs", "2.2-1", {"lib/libzfs.so.4": ""})
    listed["programs"].append(fields(newer))
    pins.ZFS_LIST.write_text(yaml.safe_dump({"tiny": {ARCHITECTURE: listed}}))
    capsys.readouterr()
    assert zfs.make(str(tmp_path / "kernels"), "tiny") == [] and "Building ZFS" in capsys.readouterr().out
    assert (programs.UNPACKED / "zfsutils-linux" / "lib" / "libzfs.so.4").exists()


def test_a_build_that_fails_is_told_with_its_error_and_leaves_nothing(archive, tmp_path):
    offered(archive, headers="usr/src/other")
    assert zfs.make(str(tmp_path / "kernels"), "tiny") == [
        "ZFS cannot be built for Linux 6.1.0-9-tiny: error: no headers"
    ]
    assert not packages.cached(str(tmp_path / "kernels"), "tiny").has("zfs")
    assert not programs.UNPACKED.exists() and not (zfs.FOLDER / "build").exists()


def test_packages_that_the_archive_lacks_and_those_that_are_not_pinned_are_told(archive, tmp_path):
    listed = offered(archive)
    listed["build"][1]["version"] = "9"
    pins.ZFS_LIST.write_text(yaml.safe_dump({"tiny": {ARCHITECTURE: listed}}))
    (reason,) = zfs.make(str(tmp_path / "kernels"), "tiny")
    assert reason.startswith("ZFS cannot be built for the kernel of tiny: ") and "zfs-dkms" in reason
    pins.ZFS_LIST.write_text("{}")
    (reason,) = zfs.make(str(tmp_path / "kernels"), "tiny")
    assert reason == "ZFS cannot be built for the kernel of tiny: envs/zfs.yaml pins no packages"


def test_the_headers_are_those_of_the_kernel_that_is_booted():
    """Modules for another kernel cannot be loaded."""
    machines = {bed.kernel for bed in config.load().testbeds.values() if isinstance(bed, VmTestbed)}
    pinned = {suite: found for suite in machines if (found := pins.zfs(suite))}
    assert pinned
    for suite, found in pinned.items():
        kernel = pins.pinned(suite)
        release = kernel.package.removeprefix("linux-image-")
        assert found.build[0].package == f"linux-headers-{release}" and found.build[0].version == kernel.version
