"""The environment: flat fields with dotted names: the machine and the settings of a measurement.

Nothing here names the machine or its owner: no host or user names, serial numbers, addresses, or free kernel arguments.
"""

import os
import platform
import re
import time
from importlib import metadata
from pathlib import Path

from spindlemark.core import project
from spindlemark.core.paths import ROOT
from spindlemark.core.process import programs
from spindlemark.core.record import Scalar
from spindlemark.testbeds import hosts
from spindlemark.testbeds import memory as memory_kept
from spindlemark.testbeds.computer import cpu_model

# Kernel arguments that change speed and show nothing about the owner; all others are only counted.
_ARGUMENTS = (
    "mitigations",
    "elevator",
    "transparent_hugepage",
    "isolcpus",
    "nohz_full",
    "rcu_nocbs",
    "idle",
    "tsc",
    "intel_pstate",
    "amd_pstate",
    "processor.max_cstate",
    "intel_idle.max_cstate",
    "clocksource",
    "mem",
    "maxcpus",
    "nosmt",
    "nosmp",
    "preempt",
    "numa_balancing",
    "hugepages",
    "scsi_mod.use_blk_mq",
    "iommu",
)
_FLAGS = (
    "sse4_2",
    "avx",
    "avx2",
    "avx512f",
    "aes",
    "sha_ni",
    "pclmulqdq",
    "crc32",
    "hypervisor",
    "constant_tsc",
    "nonstop_tsc",
    "rdrand",
    "asimd",
    "sve",
    "pmull",
)
_SETTINGS = (
    "vm.dirty_ratio",
    "vm.dirty_background_ratio",
    "vm.dirty_bytes",
    "vm.dirty_background_bytes",
    "vm.dirty_expire_centisecs",
    "vm.dirty_writeback_centisecs",
    "vm.swappiness",
    "vm.vfs_cache_pressure",
    "vm.overcommit_memory",
    "vm.laptop_mode",
    "vm.min_free_kbytes",
    "kernel.sched_autogroup_enabled",
    "kernel.numa_balancing",
    "kernel.preempt",
    "fs.aio-max-nr",
    "kernel.randomize_va_space",
)
_PACKAGES = ("spindlemark", "numpy", "pydantic", "PyYAML", "snakemake")
_MEMINFO = re.compile(r"^(\w+):\s+(\d+) kB$", re.MULTILINE)
_TOOLS = {"util_linux": ("losetup", "--version"), "coreutils": ("cp", "--version"), "git": ("git", "--version")}


def lasting() -> dict[str, Scalar]:
    """What does not change during a repetition."""
    return machine() | software()


def machine() -> dict[str, Scalar]:
    """What the kernel says of itself and of the machine; starts no command."""
    return {**_kernel(), **_cpu(), **_memory_setup(), **_settings(), **_limits()}


def software() -> dict[str, Scalar]:
    """Distribution, tools and this project."""
    return {**_system(), **_project()}


def passing() -> dict[str, Scalar]:
    """What changes all the time; recorded before and after."""
    load = os.getloadavg()
    memory = _meminfo()
    frequency = re.findall(r"^cpu MHz\s*:\s*([\d.]+)$", _read("/proc/cpuinfo") or "", re.MULTILINE)
    pressure = {
        kind: re.search(r"some avg10=([\d.]+)", _read(f"/proc/pressure/{kind}") or "")
        for kind in ("cpu", "io", "memory")
    }
    return {
        "load.1m": load[0],
        "load.5m": load[1],
        "load.15m": load[2],
        "uptime_seconds": time.clock_gettime(time.CLOCK_BOOTTIME),
        "processes.running": _int(re.search(r"procs_running (\d+)", _read("/proc/stat") or "")),
        "cpu.mhz": max(map(float, frequency)) if frequency else None,
        **{
            f"memory.{key.lower()}_bytes": memory.get(key)
            for key in ("MemFree", "MemAvailable", "Cached", "Dirty", "Writeback", "Shmem", "SUnreclaim", "SwapFree")
        },
        **{f"pressure.{kind}.some_10s_percent": float(found[1]) if found else None for kind, found in pressure.items()},
    }


def _kernel() -> dict[str, Scalar]:
    words = (_read("/proc/cmdline") or "").split()
    given = {word.partition("=")[0]: word.partition("=")[2] or True for word in words}
    shown = {f"kernel.argument.{key}": given[key] for key in _ARGUMENTS if key in given}
    return {
        "kernel.release": os.uname().release,
        "kernel.version": os.uname().version,
        "kernel.machine": os.uname().machine,
        "kernel.arguments": len(words),
        **shown,
        "kernel.tainted": _read("/proc/sys/kernel/tainted"),
        "kernel.modules_loaded": len((_read("/proc/modules") or "").splitlines()),
        "clock.source": _read("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "clock.resolution_seconds": time.clock_getres(time.CLOCK_MONOTONIC),
    }


def _cpu() -> dict[str, Scalar]:
    info = _read("/proc/cpuinfo") or ""
    flags = set((re.search(r"^(?:flags|Features)\s*:\s*(.+)$", info, re.MULTILINE) or ["", ""])[1].split())
    field = {
        key: re.search(rf"^{key}\s*:\s*(.+)$", info, re.MULTILINE)
        for key in ("vendor_id", "cpu family", "model", "stepping", "microcode", "cache size")
    }
    field["model_number"] = field.pop("model")
    faults = sorted(Path("/sys/devices/system/cpu/vulnerabilities").glob("*"))
    policy = "/sys/devices/system/cpu/cpu0/cpufreq"
    return {
        "cpu.model": cpu_model(),
        "cpu.count": os.cpu_count(),
        "cpu.usable": len(os.sched_getaffinity(0)),
        **{f"cpu.{key.replace(' ', '_')}": found[1] if found else None for key, found in field.items()},
        "cpu.flags": " ".join(flag for flag in _FLAGS if flag in flags),
        "cpu.smt_active": _read("/sys/devices/system/cpu/smt/active"),
        "cpu.governor": _read(f"{policy}/scaling_governor"),
        "cpu.scaling_driver": _read(f"{policy}/scaling_driver"),
        "cpu.max_khz": _read(f"{policy}/scaling_max_freq"),
        "cpu.boost": _read("/sys/devices/system/cpu/cpufreq/boost"),
        "numa.nodes": len(list(Path("/sys/devices/system/node").glob("node[0-9]*"))) or None,
        **{f"cpu.mitigation.{fault.name}": _read(fault) for fault in faults},
    }


def _memory_setup() -> dict[str, Scalar]:
    memory = _meminfo()
    pages = "/sys/kernel/mm/transparent_hugepage"
    return {
        "memory.total_bytes": memory.get("MemTotal"),
        "swap.total_bytes": memory.get("SwapTotal"),
        "memory.page_bytes": os.sysconf("SC_PAGE_SIZE"),
        "memory.hugepage_bytes": memory.get("Hugepagesize"),
        "memory.transparent_hugepages": _chosen(_read(f"{pages}/enabled")),
        "memory.transparent_hugepages_shmem": _chosen(_read(f"{pages}/shmem_enabled")),
        "memory.zswap": _read("/sys/module/zswap/parameters/enabled"),
        **memory_kept.facts(),
    }


def _settings() -> dict[str, Scalar]:
    return {f"sysctl.{name}": _read("/proc/sys/" + name.replace(".", "/", 1)) for name in _SETTINGS}


def _system() -> dict[str, Scalar]:
    release = platform.freedesktop_os_release() if Path("/etc/os-release").exists() else {}
    return {
        "distribution.name": release.get("ID"),
        "distribution.version": release.get("VERSION_ID"),
        "libc.version": " ".join(platform.libc_ver()),
        "virtualisation": _virtualisation(),
        "init": _read("/proc/1/comm") if Path("/run/systemd/system").exists() else "not systemd",
        "timezone": time.strftime("%z"),
        "locale": "C",
        "user.is_root": os.geteuid() == 0,
        **{f"tool.{name}": _first_line(argv) for name, argv in _TOOLS.items()},
    }


def _project() -> dict[str, Scalar]:
    reported = hosts.copy()
    state = (
        {"project.commit": reported.commit, "project.changed": reported.changed} if reported else project.state(ROOT)
    )
    return {
        **state,
        **project.installer(),
        "python.version": platform.python_version(),
        "python.implementation": platform.python_implementation(),
        **{f"python.package.{name.lower()}": _package(name) for name in _PACKAGES},
    }


def _limits() -> dict[str, Scalar]:
    """The limits of the control group this process is in, under either version of control groups."""
    groups = [line.split(":", 2) for line in (_read("/proc/self/cgroup") or "").splitlines()]
    path = {name: group for _, names, group in groups for name in names.split(",")}
    second = path.get("", "/").lstrip("/")

    def limit(controller: str, first: str, unified: str) -> str | None:
        older = f"/sys/fs/cgroup/{controller}/{path.get(controller, '/').lstrip('/')}/{first}"
        return _read(f"/sys/fs/cgroup/{second}/{unified}") or _read(older)

    return {
        "cgroup.version": 2 if Path("/sys/fs/cgroup/cgroup.controllers").exists() else 1,
        "cgroup.memory_limit": limit("memory", "memory.limit_in_bytes", "memory.max"),
        "cgroup.cpu_limit": limit("cpu", "cpu.cfs_quota_us", "cpu.max"),
        "cgroup.cpus": limit("cpuset", "cpuset.cpus", "cpuset.cpus.effective"),
        "cgroup.io_limit": limit("blkio", "blkio.throttle.write_bps_device", "io.max"),
        "cgroup.processes_limit": limit("pids", "pids.max", "pids.max"),
        "process.nice": os.nice(0),
        "process.scheduling_policy": os.sched_getscheduler(0),
    }


def _virtualisation() -> str | None:
    """The hypervisor as CPU and firmware give it away; "none" where the CPU says that there is none."""
    found = _first_line(("systemd-detect-virt", "--vm"))
    if found:
        return found
    hypervisor = "hypervisor" in (_read("/proc/cpuinfo") or "")
    return _read("/sys/hypervisor/type") or ("unknown hypervisor" if hypervisor else "none")


def _first_line(argv: tuple[str, ...]) -> str | None:
    if programs.find(argv[0]) is None:
        return None
    done = programs.run(argv, capture_output=True, text=True, timeout=30)
    return (done.stdout.splitlines() or [None])[0]


def _package(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _meminfo() -> dict[str, int]:
    return {key: int(value) * 1024 for key, value in _MEMINFO.findall(_read("/proc/meminfo") or "")}


def _chosen(text: str | None) -> str | None:
    found = re.search(r"\[(\w+)\]", text or "")
    return found[1] if found else text


def _int(found: re.Match[str] | None) -> int | None:
    return int(found[1]) if found else None


def _read(path: str | Path) -> str | None:
    try:
        return Path(path).read_text(errors="replace").strip() or None
    except OSError:
        return None
