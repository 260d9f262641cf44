"""Disks that another process could write to at any moment, without a claim that the kernel would tell of."""

import os
import subprocess
import sys
import textwrap
import time
from contextlib import contextmanager

import pytest

from disks import refused, running
from spindlemark.testbeds import guard, layout


@contextmanager
def holding(node, flags, name="holder"):
    """A process of somebody else's, which this one did not start as far as it can tell, with the node open."""
    hold = textwrap.dedent("""
        import os, sys
        if os.fork():
            os._exit(0)
        open("/proc/self/comm", "w").write(sys.argv[3])
        os.open(sys.argv[1], int(sys.argv[2]))
        print(os.getpid(), flush=True)
        sys.stdin.read()""")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with running(sys.executable, "-c", hold, node, flags, name, **pipes) as process:
        number = int(process.stdout.readline())
        try:
            yield number
        finally:
            process.stdin.close()
            while os.path.lexists(f"/proc/{number}/fd/0"):
                time.sleep(0.02)


@pytest.mark.parametrize("flags", [os.O_WRONLY, os.O_RDWR])
@pytest.mark.parametrize("labelled", [False, True], ids=["blank", "consented"])
def test_open_for_writing_by_another_process(disk, flags, labelled):
    """As dd, a database or an emulator has it; nothing is claimed, so the kernel grants it to others too."""
    if labelled:
        disk.consent()
    with holding(disk.node, flags) as number:
        refused(disk, rf"process {number} \(holder\) has it open for writing")


def test_open_for_writing_by_another_name(disk, tmp_path):
    node = tmp_path / "node"
    os.mknod(node, 0o600 | 0o060000, disk.node.stat().st_rdev)
    with holding(node, os.O_WRONLY) as number:
        refused(disk, f"process {number} .* has it open for writing")


def test_our_partition_open_for_writing_by_another_process(disk):
    disk.consent()
    part = layout.add(disk.node.name, 20480 * 512)
    try:
        with holding(part, os.O_WRONLY) as number:
            refused(disk, f"process {number} .* has it open for writing", first=guard.PARTITIONED)
    finally:
        layout.remove(disk.node.name)


def test_a_process_whose_name_is_made_for_terminals(disk):
    with holding(disk.node, os.O_WRONLY, "\x1b[31m [/x]\n(") as number:
        refused(disk, rf"process {number} \(\?\?31m\?\?\?x\?\?\?\) has it open")


def test_open_by_this_program_itself_or_by_others_for_reading(disk):
    descriptor = os.open(disk.node, os.O_RDWR)
    try:
        with running("sleep", "600", stdout=descriptor), holding(disk.node, os.O_RDONLY):
            disk.consent()
    finally:
        os.close(descriptor)
