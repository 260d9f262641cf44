"""Checks of virtual machines: whether they can measure here, with which kernel, and how fast."""

from spindlemark.cli.doctor.row import Row
from spindlemark.config import Registry, VmTestbed
from spindlemark.core.outcome import Unsupported
from spindlemark.core.process import tools
from spindlemark.testbeds.vm import accelerator, machine, packages, pins, sources, zfs


def machines(registry: Registry) -> list[Row]:
    """One row per declared virtual machine; nothing is fetched or started."""
    return [
        _machine(f"virtual machine: {name}", testbed)
        for name, testbed in sorted(registry.testbeds.items())
        if isinstance(testbed, VmTestbed)
    ]


def zfs_modules(registry: Registry) -> list[Row]:
    """One row for each virtual machine for which ZFS can be built; nothing is fetched or built."""
    return [
        _zfs(f"ZFS in virtual machine: {name}", testbed)
        for name, testbed in sorted(registry.testbeds.items())
        if isinstance(testbed, VmTestbed) and pins.zfs(testbed.kernel) is not None
    ]


def _zfs(what: str, testbed: VmTestbed) -> Row:
    kernel = packages.cached(testbed.kernels, testbed.kernel)
    if kernel is not None and zfs.is_made(kernel, testbed.kernel):
        return Row(what, True, f"built for kernel {kernel.release}")
    if lacking := zfs.missing_tools():
        return Row(what, False, f"not built; not found: {', '.join(lacking)}", "install the packages to measure ZFS")
    return Row(what, True, "not built; ./spindlemark run --profile standard --family integrity builds it")


def _machine(what: str, testbed: VmTestbed) -> Row:
    lacking = machine.missing_tools()
    if lacking:
        line = " ".join(tools.command([tools.Tool(tool, package, "measure") for tool, package in lacking.items()]))
        return Row(what, False, f"not found: {', '.join(lacking)}", f"{line} (./spindlemark run installs it)")
    kernel = packages.cached(testbed.kernels, testbed.kernel)
    if kernel is None:
        try:
            address = sources.debian().address
        except Unsupported as unsupported:
            return Row(
                what,
                False,
                unsupported.reason,
                "its results are recorded as unsupported; use a host whose apt has Debian's archive",
            )
        pin = pins.pinned(testbed.kernel)
        if pin is None:
            return Row(
                what,
                False,
                f"no kernel of {testbed.kernel} is pinned for {pins.ARCHITECTURE}",
                "./spindlemark run shows the lines for envs/kernels.yaml that pin the archive's kernel",
            )
        return Row(what, True, f"the first run fetches {pin} from {address}")
    speed = {"kvm": "KVM", "tcg": "emulated, much slower than KVM", None: "KVM or emulation, not tried yet"}
    return Row(what, True, f"kernel {kernel.release} ({kernel.version}); {speed[accelerator.known()]}")
