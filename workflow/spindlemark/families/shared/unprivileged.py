"""The unprivileged user that servers run as."""

from collections.abc import Sequence

USER, UID = "nobody", 65534


def as_unprivileged(rights: Sequence[str]) -> list[str]:
    """The words by which a shell starts a command without rights, or with a few capabilities, as net_bind_service."""
    if not rights:
        return ["runuser", "-u", USER, "--"]
    kept = ",".join(f"+{right}" for right in rights)
    return [
        "setpriv",
        f"--reuid={USER}",
        "--regid=nogroup",
        "--clear-groups",
        f"--inh-caps={kept}",
        f"--ambient-caps={kept}",
        f"--bounding-set=-all,{kept}",
        "--",
    ]
