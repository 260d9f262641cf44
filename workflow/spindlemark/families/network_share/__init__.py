"""Shares: a folder of a server used over a link, by each of several protocols.

`servers` starts a protocol's server at the server's end, `using` puts loads on what it shares. Where fio knows no
protocol, `client` does: a small program of our own at the client's end, which speaks it by `smb`, `nfs` or `webdav`.
Those four need the standard library alone.
"""
