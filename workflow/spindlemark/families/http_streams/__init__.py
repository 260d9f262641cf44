"""HTTP streams: the number of clients that a web server serves from a disk without a stall.

`recordings` writes the assets, `web_servers` configures each server, `http_trial` tests one number of clients.
"""
