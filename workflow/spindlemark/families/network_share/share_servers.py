"""The server of a share, by protocol: its configuration, and the process at the server's end of a link.

Each listens only at the address of its end of the link, and shares one folder as an unprivileged user. Ganesha is the
exception: it listens at every address of its namespace, which has no other, and keeps the few capabilities that it needs.
The configurations hold what an administrator would choose, and names that this program made. All servers read and write
through the page cache, as they do by default.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from spindlemark.core.process import programs
from spindlemark.families.network_share.share_names import CARD, DATA, PICTURES, PIECES, PORT, SHARE
from spindlemark.families.shared.unprivileged import UID, USER
from spindlemark.harness.repetition import Repetition
from spindlemark.testbeds import namespaces
from spindlemark.testbeds.background import Background, background

MOUNTS = Path("/etc/mtab")  # where ganesha looks for the filesystem that it shares: a minimal system may lack it
_READY_SECONDS = 30.0


@dataclass(frozen=True)
class Place:
    """Where a server finds what it shares, below `root`, and keeps its own files, in `state`; the address it listens at."""

    root: Path
    state: Path
    address: str

    @property
    def shared(self) -> Path:
        """The folder that is shared."""
        return self.root / SHARE

    @property
    def data(self) -> Path:
        """The one file in it."""
        return self.shared / DATA


class Server(NamedTuple):
    """How a protocol is served: program, package, the command that starts it with a written configuration, its capabilities."""

    program: str
    package: str
    version: tuple[str, ...]
    words: Callable[[Place], list[str]]
    configuration: Callable[[Place], str] | None = None
    rights: tuple[str, ...] = ()  # capabilities that it keeps


def prepared(mount_point: Path, address: str, size: int) -> Place:
    """The shared folder with a file of `size` bytes that have still to be written, on the mounted filesystem."""
    place = Place(mount_point, mount_point / "state", address)
    mount_point.chmod(0o755)
    for folder in (place.shared, *(place.shared / name for name in (PIECES, CARD, PICTURES)), place.state):
        folder.mkdir()
        # smbd without root needs folders that everybody may write; the namespace keeps others out.
        folder.chmod(0o777)
        os.chown(folder, UID, UID)
    with place.data.open("wb") as data:
        data.truncate(size)
    place.data.chmod(0o666)
    os.chown(place.data, UID, UID)
    return place


@contextmanager
def serving(repetition: Repetition, protocol: str, place: Place) -> Iterator[Background]:
    """The protocol's server at the link's server end, from when it answers on. Raises as `background` does."""
    server, link = SERVERS[protocol], repetition.testbed
    if server.configuration is not None:
        text = server.configuration(place)
        (place.state / "configuration").write_text(text)
        repetition.attachments["configuration"] = {"text": text.replace(f"{place.root}", "/srv")}
    argv = link.within(link.server, server.words(place), USER, server.rights)
    listening = partial(namespaces.listening, Path(link.server.namespace), place.address, PORT)
    with background(
        repetition, argv, name=server.program, listening=listening, ready_seconds=_READY_SECONDS
    ) as running:
        yield running


def _nbd(place: Place) -> list[str]:
    return [
        "nbdkit",
        "--foreground",
        "--no-sr",
        "--ipaddr",
        place.address,
        "--port",
        str(PORT),
        "file",
        str(place.data),
    ]


def _smb(place: Place) -> str:
    folders = "".join(
        f"{kind} = {place.state}\n"
        for kind in (
            "lock directory",
            "state directory",
            "cache directory",
            "pid directory",
            "private directory",
            "ncalrpc dir",
        )
    )
    return f"""[global]
server role = standalone server
interfaces = {place.address}
bind interfaces only = yes
smb ports = {PORT}
disable netbios = yes
disable spoolss = yes
load printers = no
server min protocol = SMB3
map to guest = Bad User
guest account = {USER}
{folders}
[{SHARE}]
path = {place.shared}
read only = no
guest only = yes
"""


def _nfs(place: Place) -> str:
    found = Path(programs.find("ganesha.nfsd") or "/usr/bin/none")
    plugins = next((found.parents[2] / "usr" / "lib").glob("**/libfsalvfs.so"), Path("/usr/lib/ganesha/none")).parent
    return f"""NFS_CORE_PARAM {{
  Protocols = 4;
  NFS_Port = {PORT};
  Bind_addr = {place.address};
  Enable_NLM = false;
  Enable_RQUOTA = false;
  Enable_UDP = false;
  Plugins_Dir = "{plugins}";
}}
NFSv4 {{
  Minor_Versions = 0;
  Graceless = true;
  RecoveryBackend = fs;
  RecoveryRoot = "{place.state}";
  UseGetpwnam = true;
  DomainName = localdomain;
  Only_Numeric_Owners = true;
}}
NFS_KRB5 {{ Active_krb5 = false; CCacheDir = "{place.state}"; }}
EXPORT {{
  Export_Id = 1;
  Path = "{place.shared}";
  Pseudo = "/{SHARE}";
  Access_Type = RW;
  Protocols = 4;
  Transports = TCP;
  SecType = sys;
  Squash = All_Squash;
  Anonymous_Uid = {UID};
  Anonymous_Gid = {UID};
  FSAL {{ Name = VFS; }}
}}
"""


def _webdav(place: Place) -> str:
    own = "".join(
        f"  {kind}_temp_path {place.state};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    return f"""daemon off;
worker_processes 1;
pid {place.state}/pid;
error_log stderr warn;
events {{ worker_connections 256; }}
http {{
  access_log off;
  sendfile on;
  tcp_nopush on;
  client_max_body_size 0;
  keepalive_requests 1000000000;
{own}  server {{
    listen {place.address}:{PORT};
    root {place.root};
    location / {{ return 403; }}
    location /{SHARE}/ {{
      dav_methods PUT;
      autoindex off;
    }}
  }}
}}
"""


def _configured(*words: str) -> Callable[[Place], list[str]]:
    """Words in which {state} is the folder that holds the configuration."""
    return lambda place: [word.format(state=place.state) for word in words]


SERVERS = {
    "nbd": Server("nbdkit", "nbdkit", ("nbdkit", "--version"), _nbd),
    "smb": Server(
        "smbd",
        "samba",
        ("smbd", "--version"),
        _configured(
            "smbd", "--foreground", "--no-process-group", "--log-basename={state}", "--configfile={state}/configuration"
        ),
        _smb,
    ),
    "nfs": Server(
        "ganesha.nfsd",
        "nfs-ganesha-vfs",
        ("ganesha.nfsd", "-v"),
        _configured(
            "ganesha.nfsd", "-F", "-f", "{state}/configuration", "-p", "{state}/pid", "-L", "STDERR", "-N", "CRIT"
        ),
        _nfs,
        ("dac_read_search", "setgid"),
    ),  # to open files by handle, and to drop the groups of the client
    "webdav": Server(
        "nginx", "nginx", ("nginx", "-v"), _configured("nginx", "-e", "stderr", "-c", "{state}/configuration"), _webdav
    ),
}
