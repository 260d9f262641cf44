"""The releases as they are published below a path of a host, and thirty of them: where a version stands is right."""

import json
import shutil

import pytest

from in_page import follow


@pytest.fixture(scope="module")
def host(online, tmp_path_factory):
    """A host with the site below /media/."""
    folder = tmp_path_factory.mktemp("host")
    (folder / "media").symlink_to(online)
    return folder


def test_an_older_release_says_that_it_is_outdated_and_leads_to_the_newest(visit, host, snapshot):
    page = visit("media/2026.11/library/picture/", folder=host)
    banner = page.locator(".banner")
    snapshot(banner.inner_text())
    page.locator(".switch summary").click()
    assert page.locator(".switch a").all_inner_texts() == ["2026.11.1", "2026.11", "All versions"]
    follow(banner.get_by_role("link", name="changes since 2026.11"))
    snapshot(page.inner_text("h1"), "heading of the changes")
    assert page.locator(".banner").count() == 0


def test_without_script_an_older_release_leads_to_the_newest_too(visit, host):
    page = visit("media/2026.11/library/picture/", folder=host, java_script_enabled=False)
    page.locator("noscript a, .banner a").first.click()
    page.wait_for_url("**/media/2026.11.1/")


def test_the_root_leads_to_the_newest_release(visit, host):
    page = visit("media/library/picture/", folder=host)
    page.wait_for_url("**/media/2026.11.1/library/picture/")


def test_a_page_that_is_not_there_has_style_and_links_at_any_depth(chromium, serve, host):
    page = chromium.new_page()
    failed = []
    page.on("response", lambda answer: failed.append(answer.url) if answer.status >= 400 else None)
    page.goto(f"{serve(host)}media/2026.11.1/a/b/c")
    page.wait_for_load_state("networkidle")
    assert page.inner_text("h1") == "Page not found"
    assert [url.rsplit("/media/")[1] for url in failed] == ["2026.11.1/a/b/c"]
    assert page.evaluate("getComputedStyle(document.querySelector('.skip')).position") == "absolute"
    follow(page.get_by_role("link", name="all experiments"))
    assert page.url.endswith("/media/2026.11.1/experiment/")
    page.close()


def test_a_page_that_only_the_newest_version_has_is_offered(blank, serve, host):
    blank.goto(f"{serve(host)}media/2026.11/question/aging/loop/")
    follow(blank.locator("#same a"))
    assert blank.url.endswith("/media/2026.11.1/question/aging/loop/")
    blank.goto(f"{serve(host)}media/2026.11/nowhere/")
    blank.wait_for_load_state("networkidle")
    assert not blank.locator("#same").is_visible()


@pytest.fixture(scope="module")
def thirty(online, tmp_path_factory):
    """The same site after 28 more releases were published: the older ones' pages are not touched then."""
    folder = tmp_path_factory.mktemp("thirty") / "media"
    shutil.copytree(
        online, folder, ignore=shutil.ignore_patterns("records", "chart", "experiment", "explore", "compare", "study")
    )
    names = [f"20{27 + n // 12}.{n % 12 + 1:02}" for n in range(28)][::-1]
    known = json.loads((folder / "versions.json").read_text())
    known["versions"] = [
        {"version": name, "released": f"{name.replace('.', '-')}-01", "statement": f"Release {name}."} for name in names
    ] + known["versions"]
    (folder / "versions.json").write_text(json.dumps(known))
    return folder.parent, names


def test_the_menu_of_versions_keeps_the_page_and_what_was_chosen_on_it(blank, serve, site):
    root = serve(site)

    def chosen(path: str, version: str) -> str:
        blank.goto(root + path)
        blank.wait_for_load_state("networkidle")
        blank.locator(".switch summary").click()
        blank.locator(".switch").get_by_role("link", name=version, exact=True).click()
        blank.wait_for_url(lambda url: url.removeprefix(root) != path)
        return blank.url.removeprefix(root)

    assert chosen("2026.11.1/library/picture/#copy-seconds", "2026.11") == "2026.11/library/picture/#copy-seconds"
    assert chosen("library/sound/", "2026.11.1") == "2026.11.1/library/sound/"
    assert chosen("2026.11.1/question/aging/loop/", "2026.11") == "2026.11/", "it has no such page"


def test_thirty_releases_are_listed_and_any_two_can_be_compared(visit, thirty, snapshot):
    folder, names = thirty
    page = visit("media/2026.11.1/versions/", folder=folder)
    assert names[0] in page.inner_text(".banner")
    snapshot(page.inner_text(".banner"))
    page.locator(".switch summary").click()
    assert page.locator(".switch a").all_inner_texts() == [*names[:8], "2026.11.1", "All versions"]
    listed = page.locator(".releases h3").all_inner_texts()
    assert [text.split()[0] for text in listed] == [*names, "2026.11.1", "2026.11"]
    assert "newest" in page.locator(".releases h3").first.inner_text()
    assert (
        page.locator(".releases a", has_text=f"between {names[3]} and 2026.11.1")
        .get_attribute("href")
        .endswith(f"/media/{names[3]}/versions/2026.11.1/")
    )
    page.select_option("select[name=old]", label=names[5])
    page.select_option("select[name=new]", label=names[20])
    chosen = page.locator(".pair a")
    snapshot(chosen.inner_text(), "link to the changes")
    assert chosen.get_attribute("href").endswith(f"/media/{names[5]}/versions/{names[20]}/")
    page.select_option("select[name=old]", label="2026.11")
    page.select_option("select[name=new]", label="2026.11.1")
    chosen.click()
    snapshot(page.inner_text("h1"), "heading of the changes")
