"""What a page of the site may load: pages carry it in their head, `serve` sends it with every answer."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
# What a script may do where it runs beside a page: the engine of the page that asks with SQL is WebAssembly. A page's own scripts
# stay under the page's policy.
OF_SCRIPTS = POLICY.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'")
