"""Survival: what a crash leaves of a file that was being edited. `states` names it, `killing` makes crashes
of a process, `recorder` notes what is written to a disk, and `replay` makes power cuts of that."""
