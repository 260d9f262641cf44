"""The one exception that means: the user can mend this."""


class UserError(Exception):
    """Bad input or a bad machine state, with what to do about it; the command line prints it and exits with 2."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(f"{problem}\n  {remedy}")
        self.problem = problem
        self.remedy = remedy
