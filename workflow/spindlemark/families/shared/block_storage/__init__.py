"""Storage below a file that a library writes: its place, the time of a request, and the cache in between.

From the library down: `storage_file.Opened` is the file that it holds, `page_cache.Paged` the cache, `counting.Counted` counts
requests, and one of `backends` holds the bytes.
"""
