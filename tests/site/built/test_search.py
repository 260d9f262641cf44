"""Search: any page by words of its title, from every page and from addresses that do not exist."""

import pytest

from in_page import follow


def ready(page):
    page.wait_for_selector("#search[data-ready]")
    return page


def results(page):
    return [text.rsplit(" ", 1) for text in page.locator("#search .found li").all_inner_texts()]


def test_a_named_experiment_is_two_actions_from_home(visit):
    page = visit("")
    page.get_by_role("link", name="Search").click()
    ready(page).get_by_role("searchbox").fill("xfs noatime sound")
    (found,) = page.locator("#search .found a").all()
    assert "xfs+noatime" in found.inner_text()
    follow(found)
    page.wait_for_selector("html[data-unpacked]")
    assert page.url.endswith("/experiment/loop/xfs-noatime--sound/")


def test_answers_come_before_experiments_and_metrics_are_found(visit):
    page = ready(visit("search/?q=pictures"))
    kinds = [kind for _, kind in results(page)]
    assert kinds[0] == "Answer" and "Experiment" in kinds and page.get_by_role("searchbox").input_value() == "pictures"
    page.get_by_role("searchbox").fill("copy_seconds")
    assert ["Copy (copy_seconds)", "Metric"] in results(page)
    assert page.url.endswith("?q=copy_seconds"), "the address can be shared"


@pytest.mark.parametrize("words", ["", "   ", "zzzz", '<img src=x onerror="alert(1)">', "((", "\\"])
def test_words_that_find_nothing_do_no_harm(visit, words):
    page = ready(visit("search/"))
    page.get_by_role("searchbox").fill(words)
    assert page.locator("#search .found li").count() == 0
    assert page.inner_text(".count") == ("0 found" if words.strip() else "")


def test_every_result_is_a_page(visit, site):
    page = ready(visit("2026.11.1/search/?q=picture"))
    links = page.locator("#search .found a").evaluate_all("links => links.map((link) => link.pathname)")
    assert len(links) > 10
    for link in links:
        assert (site / link.strip("/") / "index.html").exists(), link
