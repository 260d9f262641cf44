"""The page Explore in a browser: wait for it, choose values of its facets, read its columns."""

import re


def ready(page):
    page.wait_for_selector("#explore[data-ready]")
    return page


def column(page, number: int) -> list[str]:
    """Texts of a column of the table; 1 is the pin, 2 the workload, 3 the configuration, 4 the first number."""
    return page.locator(f"#explore tbody tr > :nth-child({number})").all_inner_texts()


def choose(page, facet: str, value: str, checked: bool = True):
    """Check or uncheck a value of a facet, which is a drop-down list."""
    page.locator(".facet:not([open]) > summary, .facet[open] > summary", has_text=re.compile(rf"^{facet}")).click()
    label = page.locator(".facet[open] label").filter(has=page.get_by_text(value, exact=True))
    label.locator("input").set_checked(checked)
    page.locator(".facet[open] > summary").click()
