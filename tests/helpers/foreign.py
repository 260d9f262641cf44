"""Foreign content of disks: by real tools where they are quick and need no kernel module, else the documented bytes.

Each entry of MAKERS is (name, the type that must be named in the refusal, size in MiB, function of the disk).
"""

import os
import struct
import uuid
import zlib

from disks import MIB, Disk, call

SECTOR = 512


def tool(*argv):
    """A maker that calls a formatting tool with the node as its last word."""
    return lambda disk: call(*argv, disk.node)


def magic(*places):
    """A maker that writes (offset, bytes) pairs; a negative offset counts from the end."""

    def make(disk: Disk) -> None:
        for offset, data in places:
            disk.write(data, offset)

    return make


def mbr(disk: Disk, kind: int = 0x83, first: int = 2048) -> None:
    """One partition in the table of the master boot record."""
    count = disk.size // SECTOR - first
    entry = struct.pack("<B3sB3sII", 0, b"\x20\x21\x00", kind, b"\xfe\xff\xff", first, count)
    disk.write(bytes(440) + b"TEST" + bytes(2) + entry + bytes(48) + b"\x55\xaa")


def gpt(disk: Disk, protective: bool = True, where: str = "both") -> None:
    """An empty GUID partition table, first and second copy, with its protective record."""
    last = disk.size // SECTOR - 1
    entries = bytes(128 * 128)
    identity = uuid.uuid4().bytes_le

    def header(own: int, other: int, table: int) -> bytes:
        fields = struct.pack(
            "<8sIIIIQQQQ16sQIII",
            b"EFI PART",
            0x10000,
            92,
            0,
            0,
            own,
            other,
            34,
            last - 33,
            identity,
            table,
            128,
            128,
            zlib.crc32(entries),
        )
        return fields[:16] + struct.pack("<I", zlib.crc32(fields)) + fields[20:]

    if where != "second":
        disk.write(header(1, last, 2), SECTOR)
    if where != "first":
        disk.write(header(last, 1, last - 32), last * SECTOR)
    if protective:
        mbr(disk, kind=0xEE, first=1)


def hybrid(disk: Disk) -> None:
    """A GUID partition table whose boot record names an ordinary partition too."""
    gpt(disk)
    table = bytearray(disk.read(SECTOR))
    table[462:478] = struct.pack("<B3sB3sII", 0x80, b"\x20\x21\x00", 0x0C, b"\xfe\xff\xff", 2048, 2048)
    disk.write(bytes(table))


def md1(disk: Disk, offset: int) -> None:
    """Superblock of a Linux RAID member, version 1."""
    body = struct.pack("<IIII16s32sQIIQII", 0xA92B4EFC, 1, 0, 0, uuid.uuid4().bytes, b"host:0", 0, 1, 0, 0, 0, 2)
    body = body.ljust(128, b"\0") + struct.pack("<QQQ", 2048, disk.size // SECTOR - 2048, offset // SECTOR)
    body = bytearray(body.ljust(256, b"\0"))
    total = sum(struct.unpack("<64I", body))
    body[216:220] = struct.pack("<I", ((total & 0xFFFFFFFF) + (total >> 32)) & 0xFFFFFFFF)
    disk.write(bytes(body), offset)


def md0(disk: Disk) -> None:
    """Superblock of a Linux RAID member, version 0.90: in the last whole 64 KiB but one."""
    body = struct.pack("<IIIIIIII", 0xA92B4EFC, 0, 90, 0, 0, 1, 0, 1).ljust(4096, b"\0")
    disk.write(body, disk.size // 65536 * 65536 - 65536)


def lvm(disk: Disk) -> None:
    """Label of an LVM physical volume, in the second sector; its checksum begins at 0xf597a6cf."""
    body = b"LVM2 001" + b"0123456789abcdefghijklmnopqrstuv" + bytes(SECTOR - 32 - 8 - 32 + 20)
    tail = (struct.pack("<I", 32) + body)[: SECTOR - 20]
    crc = ~zlib.crc32(tail, ~0xF597A6CF & 0xFFFFFFFF) & 0xFFFFFFFF
    disk.write(b"LABELONE" + struct.pack("<QI", 1, crc) + tail, SECTOR)


def luks(version: int):
    """Header of an encrypted disk."""
    rest = struct.pack(">Q", 16384) if version == 2 else b"aes"
    return magic((0, b"LUKS\xba\xbe" + struct.pack(">H", version) + rest + bytes(100)))


def zfs(disk: Disk) -> None:
    """Uberblocks in the first label of a ZFS pool member."""
    for number in range(8):
        disk.write(struct.pack("<QQQ", 0x00BAB10C, 5000, 1), 128 * 1024 + number * 1024)


def bcache(disk: Disk) -> None:
    """Superblock of a backing device."""
    known = bytes.fromhex("c68573f64e1a45ca8265f57f48ba6d81")
    body = struct.pack("<QQQ16s16s", 0, 8, 1, known, uuid.uuid4().bytes).ljust(208, b"\0")
    disk.write(body, 4096)


def ntfs(disk: Disk) -> None:
    """Boot sector, and the beginning of the master file table that probes look for."""
    sectors = disk.size // SECTOR
    shape = struct.pack("<HBH3sHBHHHIII", 512, 8, 0, b"\0\0\0", 0, 0xF8, 0, 63, 255, 0, 0, 0x800080)
    boot = (b"\xeb\x52\x90NTFS    " + shape).ljust(40, b"\0")
    boot += struct.pack("<QQQbxxxbxxxQ", sectors - 1, 4, 8, -10, 1, 0x1234567890ABCDEF)
    disk.write(boot.ljust(510, b"\0") + b"\x55\xaa")
    record = (b"FILE" + bytes(60)).ljust(1024, b"\0")
    for number in range(8):
        disk.write(record, 4 * 4096 + number * 1024)


def vfat(disk: Disk) -> None:
    """Boot sector of FAT16."""
    sectors = disk.size // SECTOR
    boot = b"\xeb\x3c\x90mkfs.fat" + struct.pack("<HBHBHHBHHHII", 512, 4, 4, 2, 512, sectors, 0xF8, 32, 32, 2, 0, 0)
    boot += struct.pack("<BBBI11s8s", 0x80, 0, 0x29, 0x12345678, b"FILMS      ", b"FAT16   ")
    disk.write(boot.ljust(510, b"\0") + b"\x55\xaa")
    for copy in range(2):
        disk.write(b"\xf8\xff\xff\xff", (4 + copy * 32) * SECTOR)


def squashfs(disk: Disk) -> None:
    """Superblock of version 4.0."""
    disk.write(struct.pack("<4sIIIIHHHHHH", b"hsqs", 1, 0, 131072, 0, 1, 17, 0, 1, 4, 0).ljust(96, b"\0"))


def iso9660(disk: Disk) -> None:
    """Primary volume descriptor."""
    disk.write(b"\x01CD001\x01\x00" + b"LINUX".ljust(32) + b"FILMS".ljust(32) + bytes(1968), 32768)
    disk.write(b"\xffCD001\x01", 34816)


def two_kinds(disk: Disk) -> None:
    """A filesystem in the middle of another: blkid calls that ambivalent."""
    call("mkfs.ext4", "-q", "-F", disk.node)
    disk.write(b"\x01CD001\x01\x00" + b"LINUX".ljust(32) + b"FILMS".ljust(32), 32768)


def swapped_off(disk: Disk) -> None:
    """Swap that nobody uses now."""
    call("mkswap", disk.node)


MAKERS = [
    ("ext2", "ext2", 8, tool("mkfs.ext2", "-q", "-F")),
    ("ext3", "ext3", 16, tool("mkfs.ext3", "-q", "-F")),
    ("ext4", "ext4", 16, tool("mkfs.ext4", "-q", "-F")),
    ("xfs", "xfs", 32, tool("mkfs.xfs", "-q", "-f", "--unsupported")),
    ("btrfs", "btrfs", 32, tool("mkfs.btrfs", "-q", "-f", "--mixed")),
    ("jfs", "jfs", 16, tool("mkfs.jfs", "-q")),
    ("reiserfs", "reiserfs", 40, tool("mkfs.reiserfs", "-q", "-f", "-f")),
    ("f2fs", "f2fs", 64, tool("mkfs.f2fs", "-q", "-f")),
    ("nilfs2", "nilfs2", 144, tool("mkfs.nilfs2", "-q", "-f")),
    ("exfat", "exfat", 8, tool("mkfs.exfat")),
    ("vfat", "vfat", 16, vfat),
    ("ntfs", "ntfs", 8, ntfs),
    ("iso9660", "iso9660", 8, iso9660),
    ("squashfs", "squashfs", 8, squashfs),
    ("swap", "swap", 8, swapped_off),
    ("lvm", "LVM2_member", 8, lvm),
    ("md-1.0", "linux_raid_member", 8, lambda disk: md1(disk, disk.size - 8192)),
    ("md-1.1", "linux_raid_member", 8, lambda disk: md1(disk, 0)),
    ("md-1.2", "linux_raid_member", 8, lambda disk: md1(disk, 4096)),
    ("md-0.90", "linux_raid_member", 8, md0),
    ("luks1", "crypto_LUKS", 8, luks(1)),
    ("luks2", "crypto_LUKS", 8, luks(2)),
    ("zfs", "zfs_member", 64, zfs),
    ("bcache", "bcache", 8, bcache),
    ("mbr", "dos", 8, mbr),
    ("gpt", "gpt", 8, gpt),
    ("gpt-without-mbr", "gpt", 8, lambda disk: gpt(disk, protective=False)),
    ("gpt-second-copy-only", "gpt", 8, lambda disk: gpt(disk, protective=False, where="second")),
    ("hybrid-mbr", "dos|gpt", 8, hybrid),
    ("two-kinds", "ext4.*iso9660|iso9660.*ext4", 16, two_kinds),
]

# Where bytes that no probe knows lie on a disk of 8 MiB.
UNKNOWN = {"first": 0, "first-but-late": MIB - 4, "middle": 4 * MIB, "last": 8 * MIB - 4, "last-but-early": 7 * MIB}

# Made on a partition of 40 MiB, whose table is then lost.
PARTITIONED = {
    "ext4": ("mkfs.ext4", "-q", "-F"),
    "xfs": ("mkfs.xfs", "-q", "-f", "--unsupported"),
    "btrfs": ("mkfs.btrfs", "-q", "-f", "--mixed"),
    "swap": ("mkswap",),
}


def partitioned_once(disk: Disk, kind: str, start: int = MIB, size: int = 40 * MIB) -> None:
    """A filesystem on a partition from byte `start` on; then the first and last MiB were zeroed, as zapping does."""
    mbr(disk, first=start // SECTOR)
    call("addpart", disk.node, "1", start // SECTOR, size // SECTOR)
    call(*PARTITIONED[kind], f"{disk.node}p1")
    call("delpart", disk.node, "1")
    for place in (0, -MIB):
        disk.write(bytes(MIB), place)


def films(count: int) -> bytes:
    """Incompressible bytes. The first is not zero: a refusal names the first that is not."""
    return b"\xff" + os.urandom(count - 1)
