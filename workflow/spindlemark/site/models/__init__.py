"""Models of the data that pages are made from, one module per group of pages; `kinds.py` lists and checks them."""
