"""Content security policy of the site: in the head of each page, and in each response of `serve`."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
# Policy of worker scripts: the engine of the SQL console is WebAssembly. Scripts of a page have the page's policy.
WORKER_POLICY = POLICY.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'")
