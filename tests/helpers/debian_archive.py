"""A Debian archive in a folder of this disk, for the real apt and dpkg."""

import hashlib
import os
import subprocess

from spindlemark.testbeds.vm.sources import Source

ARCHITECTURE = "amd64" if os.uname().machine == "x86_64" else None


class Archive:
    """One suite, named tiny."""

    def __init__(self, root):
        self.root, self.packages = root, []
        root.mkdir()
        (root / "keys.gpg").touch()
        self.source = Source(f"file:{root}", f"{root}/keys.gpg\nTrusted: yes")

    def offer_kernel(self, release, version):
        """Put a kernel package in, and the metapackage that asks for it."""
        name = f"linux-image-{release}"
        files = {
            f"boot/vmlinuz-{release}": "kernel",
            f"lib/modules/{release}/modules.order": "",
            f"lib/modules/{release}/modules.builtin": "kernel/fs/minix/minix.ko\n",
        }
        self.offer(name, version, files)
        self._list(
            "main",
            f"Package: linux-image-{ARCHITECTURE}\nVersion: {version}\nArchitecture: {ARCHITECTURE}\n"
            f"Depends: {name} (= {version})\nFilename: pool/none.deb\nSize: 1\nSHA256: {'0' * 64}\n",
        )

    def offer(self, name, version, files, component="main"):
        """Put a package with these files in; return its name, version, SHA-256 and file."""
        control = f"Package: {name}\nVersion: {version}\nArchitecture: {ARCHITECTURE}\n"
        tree = self.root / "trees" / name
        for path, text in (files | {"DEBIAN/control": f"{control}Maintainer: x\nDescription: x\n"}).items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_text(text)
            (tree / path).chmod(0o755)
        (self.root / "pool").mkdir(exist_ok=True)
        file = self.root / "pool" / f"{name}.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, file], check=True, capture_output=True)
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        self.packages.append((name, version, digest, file))
        sizes = f"Size: {file.stat().st_size}\nSHA256: {digest}\n"
        self._list(component, f"{control}Filename: pool/{name}.deb\n{sizes}")
        return self.packages[-1]

    def _list(self, component, entry):
        """Add an entry to the index of a component, and write the list of all indexes."""
        suite = self.root / "dists" / "tiny"
        index = suite / component / f"binary-{ARCHITECTURE}" / "Packages"
        index.parent.mkdir(parents=True, exist_ok=True)
        with index.open("a") as file:
            file.write(f"{entry}\n")
        indexes = sorted(suite.glob("*/*/Packages"))
        digests = "".join(
            f" {hashlib.sha256(each.read_bytes()).hexdigest()} {each.stat().st_size} {each.relative_to(suite)}\n"
            for each in indexes
        )
        components = " ".join(each.parent.parent.name for each in indexes)
        (suite / "Release").write_text(
            f"Suite: tiny\nCodename: tiny\nComponents: {components}\nArchitectures: {ARCHITECTURE}\n"
            f"Date: Sat, 01 Jan 2022 00:00:00 UTC\nSHA256:\n{digests}"
        )
