"""Starting programs: declaration, installation, running, timing and stopping."""
