"""An editor of the attributes of an HDF5 file, in the manner of H5edit, which study 003 measured.

`commands` reads a command file, `types` knows HDF5's plain types, `attributes` applies a command by h5py, `copying` makes
backups, `onion` is HDF5's file driver that keeps each revision, `durability` names what an edit may promise, and `atomicity` keeps it.
`worker` is one edit in one process; `command_line` starts it in a child, so that a damaged file that crashes the library is reported.
"""
