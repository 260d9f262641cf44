"""What the commands print; each module is imported only by the command that needs it."""
