"""A dry run changes nothing: a process that only reads says so first, and fetches and notes nothing from then on.

Reading the rules of the workflow is always one: identities need no network, since `envs/kernels.yaml` pins the kernels.
"""

_only = False


def begin() -> None:
    """Let this process change nothing from here on."""
    global _only
    _only = True


def active() -> bool:
    """Whether this process changes nothing."""
    return _only
