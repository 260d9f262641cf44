"""How to serve a share as it was measured, ready to copy: with a user and a password, and nothing that everybody may write.

Measured is the same server on a port of its own, unprivileged and without a password, in a network that no one else
reaches (share_servers). CLIENTS is the network of those who may connect, such as 192.168.1.0/24.
"""

OWNER = "media"
FOLDER = f"MOUNT_POINT/{OWNER}"

_ACCOUNT = (
    f"useradd --system --shell /usr/sbin/nologin {OWNER}",
    f"install -d -m 750 -o {OWNER} -g {OWNER} {FOLDER}",
)

_SMB = f"""[global]
server min protocol = SMB3
interfaces = lo ADDRESS
bind interfaces only = yes
[{OWNER}]
path = {FOLDER}
read only = no
valid users = {OWNER}"""

_NFS = f"""NFS_CORE_PARAM {{
  Protocols = 4;
  Bind_addr = ADDRESS;
  Enable_NLM = false;
  Enable_RQUOTA = false;
  Enable_UDP = false;
}}
EXPORT {{
  Export_Id = 1;
  Path = "{FOLDER}";
  Pseudo = "/{OWNER}";
  Access_Type = None;
  Protocols = 4;
  SecType = sys;
  Squash = All_Squash;
  Anonymous_Uid = $(id -u {OWNER});
  Anonymous_Gid = $(id -g {OWNER});
  CLIENT {{ Clients = CLIENTS; Access_Type = RW; Protocols = 4; }}
  FSAL {{ Name = VFS; }}
}}"""

_WEBDAV = f"""server {{
  listen ADDRESS:80;
  root MOUNT_POINT;
  allow CLIENTS;
  deny all;
  auth_basic {OWNER};
  auth_basic_user_file /etc/nginx/{OWNER}.passwords;
  sendfile on;
  tcp_nopush on;
  client_max_body_size 0;
  client_body_temp_path MOUNT_POINT/uploads;
  location / {{ return 403; }}
  location /{OWNER}/ {{ dav_methods PUT; }}
}}"""

RECIPES: dict[str, list[str]] = {
    "nbd": [
        "# One client only: a second one that writes damages what the first one has.",
        f"nbdkit --ipaddr ADDRESS --filter=ip file {FOLDER}/FILE allow=CLIENT deny=all",
    ],
    "smb": [
        *_ACCOUNT,
        "cat >> /etc/samba/smb.conf <<'END'",
        *_SMB.splitlines(),
        "END",
        f"smbpasswd -a {OWNER}",
        "systemctl restart smbd",
    ],
    "nfs": [
        "# CLIENTS: their network, such as 192.168.1.0/24. NFS asks for nothing else: it has no password here.",
        *_ACCOUNT,
        "# Replaces what Ganesha shares now.",
        "cat > /etc/ganesha/ganesha.conf <<END",
        *_NFS.splitlines(),
        "END",
        "systemctl restart nfs-ganesha",
    ],
    "webdav": [
        "# CLIENTS: their network, such as 192.168.1.0/24.",
        "# The password is sent unencrypted: in a network that others share, use `listen ADDRESS:443 ssl` and a certificate.",
        f"install -d -m 750 -o www-data -g www-data {FOLDER} MOUNT_POINT/uploads",
        f"htpasswd -c /etc/nginx/{OWNER}.passwords {OWNER}",
        f"cat > /etc/nginx/conf.d/{OWNER}.conf <<'END'",
        *_WEBDAV.splitlines(),
        "END",
        "systemctl reload nginx",
    ],
}


def recipe(protocol: str) -> list[str]:
    """The lines of a shell, as root, that serve FOLDER at ADDRESS; none for an unknown protocol or the local disk."""
    return RECIPES.get(protocol, [])
