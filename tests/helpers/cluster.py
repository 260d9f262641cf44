"""Other hosts on this machine: Slurm's daemons and ssh's server, each with keys, ports and folders of its own.

A host is a mount namespace with another machine's identity, its own lock and its own notes of root's. Nothing is installed,
nothing is served beyond the loopback, and all of it ends with the context.
"""

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from spindlemark.core import host
from spindlemark.core.process import programs

# /run is the host's own, with the folder that sshd wants and the configuration that Slurm looks for there;
# so are its identity and its list of users, which has sshd's.
APART = """
mount -t tmpfs -o mode=755 spindlemark-tests /run
mkdir -p /run/sshd /run/slurm/conf
[ ! -e "$0/../slurm.conf" ] || cp "$0/../slurm.conf" /run/slurm/conf
mount --bind "$0/machine-id" "$1"
mount --bind "$0/passwd" /etc/passwd
shift
exec "$@"
"""
SSHD = """
ListenAddress 127.0.0.1
Port {port}
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
StrictModes no
PidFile none
UsePAM no
"""
SSH = """
Host {name}
  HostName 127.0.0.1
  HostKeyAlias {name}
  Port {port}
  IdentityFile {folder}/user
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known
"""
SLURM = """
ClusterName=here
SlurmctldHost={machine}(127.0.0.1)
SlurmctldPort={port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
PluginDir={plugins}
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SchedulerType=sched/builtin
SelectType=select/cons_tres
AccountingStorageType=accounting_storage/none
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
JobAcctGatherType=jobacct_gather/none
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
NODE = "NodeName={name} NodeHostname={machine} NodeAddr=127.0.0.1 Port={port} CPUs={cpus}\n"
SECONDS = 30


def lacking(*names: str) -> list[str]:
    """Those of the programs that are not here."""
    return [name for name in names if programs.find(name) is None]


def listening(folder: Path) -> set[str]:
    """Addresses on which processes listen whose command line names `folder`, such as 127.0.0.1."""
    sockets = set()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if os.fsencode(folder) in (process / "cmdline").read_bytes():
                sockets |= {str(each.readlink()) for each in (process / "fd").iterdir()}
    found = set()
    for table, family in (("tcp", socket.AF_INET), ("tcp6", socket.AF_INET6)):
        for line in Path("/proc/net", table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                words = bytes.fromhex(fields[1].partition(":")[0])
                raw = b"".join(words[at : at + 4][::-1] for at in range(0, len(words), 4))
                found.add(socket.inet_ntop(family, raw))
    return found


@contextmanager
def ssh(folder: Path, *names: str) -> Iterator[dict[str, str]]:
    """Hosts that ssh reaches; yields the environment in which it finds them and has their key."""
    folder.mkdir()
    for key in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key], check=True)
    (folder / "known").write_text("".join(f"{name} {(folder / 'host.pub').read_text()}" for name in names))
    with ExitStack() as stack:
        for name in names:
            port = _free_port()
            (folder / f"sshd-{name}").write_text(SSHD.format(port=port, folder=folder))
            with (folder / "config").open("a") as config:
                config.write(SSH.format(name=name, port=port, folder=folder))
            stack.enter_context(_host(folder / name, "sshd", "-D", "-e", "-f", folder / f"sshd-{name}"))
            _waited(lambda port=port: _answers(port), f"sshd of {name}")
        (folder / "ssh").write_text(f'#!/bin/sh\nexec {programs.find("ssh")} -F {folder}/config "$@"\n')
        (folder / "ssh").chmod(0o755)
        yield {"PATH": f"{folder}:{programs.search_path()}"}


@contextmanager
def slurm(folder: Path, *names: str) -> Iterator[dict[str, str]]:
    """Nodes of a cluster; yields the environment in which its commands find it."""
    (folder / "state").mkdir(parents=True)
    folder.chmod(0o755)
    (folder / "key").write_bytes(os.urandom(1024))
    (folder / "key").chmod(0o400)
    daemon, machine = programs.find("slurmd-wlm"), os.uname().nodename
    plugins = next(Path(daemon).parents[2].rglob("auth_munge.so")).parent
    nodes = [NODE.format(name=name, machine=machine, port=_free_port(), cpus=os.cpu_count()) for name in names]
    config = folder / "slurm.conf"
    config.write_text(SLURM.format(machine=machine, port=_free_port(), folder=folder, plugins=plugins) + "".join(nodes))
    environment = _environment("sbatch") | {"SLURM_CONF": str(config), "PATH": programs.search_path()}
    with ExitStack() as stack:
        files = [f"--{name}-file={folder}/{name}" for name in ("key", "pid", "log", "seed")]
        stack.enter_context(_daemon("munged", "--foreground", "--force", f"--socket={folder}/munge.sock", *files))
        _waited((folder / "munge.sock").exists, "munged")
        stack.enter_context(_daemon("slurmctld-wlm", "-D", "-c", "-f", config))
        for name in names:
            stepper = Path(daemon).with_name("slurmstepd-wlm")
            stack.enter_context(
                _host(folder / f"{name}-host", "slurmd-wlm", "-D", "-N", name, "-d", stepper, "-f", config)
            )
        idle = ["sinfo", "--noheader", "--Node", "--states=idle"]
        _waited(
            lambda: len(subprocess.run(idle, env=environment, capture_output=True).stdout.splitlines()) == len(names),
            "Slurm",
        )
        yield environment


@contextmanager
def _host(folder: Path, program: str, *words: str | Path) -> Iterator[None]:
    """A daemon on a host of its own."""
    folder.mkdir()
    (folder / "machine-id").write_text(uuid4().hex)
    users = Path("/etc/passwd").read_text()
    (folder / "passwd").write_text(
        users if "\nsshd:" in users else f"{users}sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin\n"
    )
    host.identity()  # so that the machine has one
    own = next(file for file in (*host.SYSTEM, host.OWN) if file.exists() and file.read_text().strip())
    with _daemon(
        program, *words, before=("unshare", "--mount", "--propagation=slave", "--", "sh", "-ec", APART, folder, own)
    ):
        yield


@contextmanager
def _daemon(program: str, *words: str | Path, before: tuple[str | Path, ...] = ()) -> Iterator[None]:
    """A daemon in the foreground; it is ended with the context, and so is what it started."""
    process = subprocess.Popen(
        [*before, programs.find(program), *words],
        env=_environment(program),
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
        assert process.poll() is None, f"{program} ended by itself"
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _environment(program: str) -> dict[str, str]:
    return dict(programs.with_libraries([program], {"env": os.environ})["env"])


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def _waited(for_what: Callable[[], bool], who: str) -> None:
    give_up = time.monotonic() + SECONDS
    while not for_what():
        assert time.monotonic() < give_up, f"{who} did not come up"
        time.sleep(0.05)
