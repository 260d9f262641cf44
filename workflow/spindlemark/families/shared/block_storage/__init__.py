"""Storage below a file that a library writes: where it lies, how long a request takes, and what is kept in between.

From the library down: `opened.Opened` is the file that it holds, `paged.Paged` the cache, `counted.Counted` counts what is
asked for, and one of `places` holds the bytes.
"""
