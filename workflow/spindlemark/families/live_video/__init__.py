"""Live video: senders, transports, watchers and the frames that they show.

One program sends (`sender`), one watches (`watcher`); both run in the namespaces of a link and look at
one clock, CLOCK_MONOTONIC, which all namespaces of a machine share. What they share with the family is plain data:
`setting` goes in, `seen` comes out, `judge` makes numbers of it.
"""
