"""Dry run: after `begin`, this process writes nothing and downloads nothing.

Reading the rules of the workflow is always a dry run. Identities need no network, because `envs/kernels.yaml` pins the kernels.
"""

_active = False


def begin() -> None:
    """Start the dry run of this process."""
    global _active
    _active = True


def active() -> bool:
    """Whether this process is a dry run."""
    return _active
