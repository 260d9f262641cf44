"""The site as `./spindlemark serve` serves it: the policy of its answers stops nothing that a page needs."""

import pytest

from serving import served


@pytest.fixture(scope="module")
def server(site, tmp_path_factory):
    with served(site, tmp_path_factory.mktemp("served") / "root") as running:
        yield running


@pytest.mark.parametrize(
    "path", ["", "explore/", "explore/?view=ratios", "library/picture/", "2026.11/library/picture/"]
)
def test_pages_work_under_the_policy(server, chromium, path):
    complaints = []
    page = chromium.new_page()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("requestfailed", lambda request: complaints.append(request.url))
    page.goto(f"http://localhost:{server.port}/{path}")
    page.wait_for_load_state("networkidle")
    for button in page.locator(".explore:visible").all()[:1]:
        button.click()
        page.wait_for_selector(".chart.live")
    page.close()
    assert complaints == []


def test_every_page_has_the_policy_of_the_server(server, site):
    headed = server.ask().headers["content-security-policy"]
    for path in ("index.html", "2026.11/index.html", "404.html"):
        found = (site / path).read_text().split('http-equiv="Content-Security-Policy" content="')[1].split('"')[0]
        assert headed.startswith(found.replace("&#39;", "'"))


def test_parquet_can_be_read_in_parts_by_a_page(server, site, chromium):
    page = chromium.new_page()
    page.goto(f"http://127.0.0.1:{server.port}/2026.11/")
    part = page.evaluate("""async () => {
        const answer = await fetch("download/measurements.parquet", {headers: {Range: "bytes=0-3"}});
        return [answer.status, await answer.text()]; }""")
    page.close()
    assert part == [206, "PAR1"]
    assert (site / "2026.11/download/measurements.parquet").read_bytes()[:4] == b"PAR1"
