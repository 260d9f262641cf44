"""What host and guest say to each other, without a machine; which disks the guest takes; when KVM is asked for."""

import json
import os
import threading
import time
from pathlib import Path

import pytest

from spindlemark.core.errors import UserError
from spindlemark.core.outcome import Failed
from spindlemark.testbeds import disk, guard
from spindlemark.testbeds.vm import accelerator, exchange, guest, machine, packages
from spindlemark.testbeds.vm.packages import Kernel

PANIC = """\
[   20.101] virtme-ng-init: starting script
[   41.500] sysrq: Trigger a crash
[   41.501] Kernel panic - not syncing: sysrq triggered crash
[   41.502] CPU: 0 PID: 312 Comm: sh Not tainted 6.1.0-50-amd64 #1 Debian
[   41.503] Call Trace:
"""


def ask(shared, alive=lambda: True, silence=30.0, limit=30.0):
    steps = []
    return exchange.ask(shared, {"what": 1}, alive, silence, limit, steps.append), steps


def agent(shared, work=lambda number: None):
    """A guest that answers one request with what it was asked."""

    def serve():
        number, content = exchange.next_request(shared, 20)
        work(number)
        exchange.answer(shared, number, {"asked": content})

    thread = threading.Thread(target=serve)
    thread.start()
    return thread


def test_a_request_is_answered_and_nothing_stays(tmp_path):
    def work(number):
        (tmp_path / exchange.RUNNING).write_text(json.dumps({"step": "copy"}))
        time.sleep(0.3)

    thread = agent(tmp_path, work)
    answer, steps = ask(tmp_path)
    thread.join()
    assert answer == {"asked": {"what": 1}} and steps == ["copy"]
    assert not exchange.busy(tmp_path) and not list(tmp_path.glob("answer-*"))


def test_what_is_answered_is_never_taken_for_a_new_request(tmp_path, monkeypatch):
    """The guest looks at every moment: after each file that the host takes away, and while it takes both away."""
    seen, unlink, exists = [], Path.unlink, Path.exists

    def looked_at(path, **words):
        unlink(path, **words)
        seen.append(exchange.next_request(tmp_path, 0.01))

    def taken_away(path):
        for left in tmp_path.glob("*-1.json"):
            unlink(left)
        return exists(path)

    thread = agent(tmp_path)
    monkeypatch.setattr(Path, "unlink", looked_at)
    ask(tmp_path)
    thread.join()
    (tmp_path / "request-1.json").write_text("{}")
    monkeypatch.setattr(Path, "exists", taken_away)
    seen.append(exchange.next_request(tmp_path, 0.01))
    assert len(seen) >= 3 and set(seen) == {None}


def test_a_guest_that_shows_life_is_waited_for(tmp_path):
    def work(number):
        for beat in range(8):
            (tmp_path / exchange.ALIVE).write_text(str(beat))
            time.sleep(0.1)

    thread = agent(tmp_path, work)
    assert ask(tmp_path, silence=0.5)[0] == {"asked": {"what": 1}}
    thread.join()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ({"silence": 0.2}, "showed no activity for 0.2 s while in step start"),
        ({"alive": lambda: False}, "ended while in step start"),
        ({"limit": 0.2}, "no result after 0.2 s, its limit"),
    ],
)
def test_a_guest_that_is_lost_fails_and_stays_busy(tmp_path, words, reason):
    with pytest.raises(Failed, match=reason):
        ask(tmp_path, **words)
    assert exchange.busy(tmp_path)


def test_a_guest_that_is_asked_for_nothing_stops_waiting(tmp_path):
    begun = time.monotonic()
    assert exchange.next_request(tmp_path, 0.3) is None
    assert 0.25 < time.monotonic() - begun < 5


def test_the_reason_of_a_panic_is_found_on_the_console(tmp_path):
    log = tmp_path / "console"
    log.write_text(PANIC)
    assert machine.last_console_lines(log).startswith(
        "[   41.501] Kernel panic - not syncing: sysrq triggered crash | ["
    )
    log.write_text("one\n\n two \n")
    assert machine.last_console_lines(log) == "one | two"
    assert "console is empty" in machine.last_console_lines(tmp_path / "none")


def test_the_guests_guard_takes_no_disk_of_this_machine():
    disks = [name for name in disk.all_disks() if disk.node_of(name).exists()]
    guest.expect("spindlemark-00000000")
    assert disks
    for name in disks:
        with (
            pytest.raises(UserError, match="refused by the check"),
            guard.claim(disk.node_of(name), "vm", guest.CHECKS),
        ):
            pytest.fail(f"{name} was taken")


def test_kvm_is_tried_once_for_each_start_of_the_host(tmp_path, monkeypatch):
    if accelerator.qemu_version() is None:
        pytest.skip("QEMU is not here")
    kernel, cache, asked = Kernel("6.1", "p", "1", "0", tmp_path), tmp_path / "accelerator.json", []
    monkeypatch.setattr(accelerator, "DEVICE", tmp_path)
    monkeypatch.setattr(accelerator, "_starts", lambda kernel: bool(asked.append(kernel)))
    assert accelerator.known(cache) is None
    assert [accelerator.chosen(kernel, cache) for _ in range(3)] == ["tcg"] * 3 and len(asked) == 1
    (tmp_path / "boot").write_text("another start")
    monkeypatch.setattr(accelerator, "BOOT", tmp_path / "boot")
    assert accelerator.known(cache) is None
    assert accelerator.chosen(kernel, cache) == "tcg" and len(asked) == 2


def test_a_kernel_that_does_not_start_is_no_reason_to_use_kvm(tmp_path, monkeypatch):
    monkeypatch.setattr(accelerator, "PROBE_SECONDS", 2)  # nothing comes of it however long one waits
    if accelerator.qemu_version() is None or not os.access(accelerator.DEVICE, os.R_OK | os.W_OK):
        pytest.skip("QEMU or KVM is not here")
    (tmp_path / "boot").mkdir()
    (tmp_path / "boot" / "vmlinuz-none").write_bytes(bytes(4096))
    assert accelerator.chosen(Kernel("none", "p", "1", "0", tmp_path), tmp_path / "cache.json") == "tcg"


def test_without_kvm_it_is_emulated(tmp_path, monkeypatch):
    monkeypatch.setattr(accelerator, "DEVICE", tmp_path / "none")
    assert accelerator.chosen(Kernel("6.1", "p", "1", "0", tmp_path), tmp_path / "cache.json") == "tcg"
    assert not (tmp_path / "cache.json").exists()


@pytest.mark.parametrize(
    "put", [os.mkfifo, os.mkdir, lambda path: path.write_text("[1"), lambda path: path.symlink_to(path.name)]
)
def test_something_else_in_the_place_of_what_was_noted_is_no_answer_and_no_hang(tmp_path, monkeypatch, put):
    monkeypatch.setattr(accelerator, "DEVICE", tmp_path / "there")
    (tmp_path / "there").touch()
    put(tmp_path / "accelerator.json")
    assert accelerator.known(tmp_path / "accelerator.json") is None
    (tmp_path / "tiny").mkdir()
    put(tmp_path / "tiny" / packages.NOTE)
    assert packages.cached(str(tmp_path), "tiny") is None
