"""Survival: what a crash leaves of a file that was being edited. `crashing` makes both kinds of crash, `states` names what is left,
`killing` crashes a process, `recorder` notes what is written to a disk, and `replay` makes power cuts of that.
"""
