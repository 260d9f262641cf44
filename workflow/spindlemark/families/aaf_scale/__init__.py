"""Compound files, the container of AAF: the same tree of storages and streams, written and read by several libraries.

Each library is driven by a small program of one form, in `programs/` or in this folder:

    write TREE FILE SECTOR     make the compound file FILE of the tree, with sectors of 512 or 4096 bytes
    read FILE [TREE]           read every stream of FILE; with TREE, write down there what was found

It prints one line of JSON: `seconds` from the opening of FILE to its closing, with the tree in memory already,
`streams`, `bytes`, and `peak_bytes`, the most memory that the process ever had. What fails ends it with exit code 1 and a line.

A TREE is a file of entries, parents before their children: `D <path>` and a line feed for a storage,
`S <bytes> <path>`, a line feed and the content for a stream. Paths are UTF-8 with slashes; no name in a compound file has one.
"""
