"""What tests do in a page of a browser: look for faults, load one of the site's scripts."""

from spindlemark.core.paths import ROOT

SCRIPTS = ROOT / "site" / "assets" / "js"
LOOKS = {"light": (1360, "light"), "dark": (1360, "dark"), "phone": (390, "light")}


CONTRAST = "color-contrast"  # the rule that takes longest, and the only one that a colour scheme can break
# What axe looks for in each look: all of it once, then what the look changes.
RULES = {
    "light": {},
    "dark": {"runOnly": [CONTRAST]},
    "phone": {"rules": {CONTRAST: {"enabled": False}}},
}


def faults(page, node_modules, look: str = "light") -> list[str]:
    """What axe finds, with every fold of the page open."""
    page.evaluate("document.querySelectorAll('details:not(.switch)').forEach((fold) => { fold.open = true; })")
    page.evaluate((node_modules / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("(rules) => axe.run(document, {resultTypes: ['violations'], ...rules})", RULES[look])
    return [
        f"{v['id']}: {n['html'][:160]} {n['failureSummary'][:200]}" for v in found["violations"] for n in v["nodes"][:3]
    ]


def module(page, name: str) -> None:
    """Load one script of the site into a blank page, as `window.loaded`."""
    page.evaluate(
        """async (source) => { window.loaded = await import(
        URL.createObjectURL(new Blob([source], {type: 'text/javascript'}))) }""",
        (SCRIPTS / name).read_text(encoding="utf-8"),
    )


def follow(link) -> None:
    """Click a link and wait until the page behind it has loaded: a click alone returns before."""
    with link.page.expect_navigation():
        link.click()
