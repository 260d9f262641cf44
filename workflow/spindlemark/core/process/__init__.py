"""Starting programs: which ones are declared, how they are installed, run, timed and stopped."""
