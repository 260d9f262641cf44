"""A site of one unreleased version and two releases, a server for it, and a browser that notes every complaint."""

from contextlib import ExitStack
from datetime import date
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

import built
import factory
import once
from browsing import CHROMIUM, FLAGS, serving
from built import ELSEWHERE, PUBLIC
from spindlemark.release import publication
from spindlemark.release import versions as release
from spindlemark.site import assemble


@pytest.fixture(scope="session")
def made(tmp_path_factory) -> Path:
    """A folder with releases 2026.11, of one family, and 2026.11.1 and unreleased results of all; the HTML of each."""
    return once.shared(tmp_path_factory, "made", _make)


def _make(root: Path) -> None:
    releases = root / "releases"
    built.freeze(root / "a", "2026.11", date(2026, 11, 21), releases, noise=0.02, seed=2)
    built.freeze(root / "b", "2026.11.1", date(2026, 11, 22), releases, more=True)
    publication.add("2026.11", publication.Publication(site=PUBLIC), root / "publications")
    found = built.records(root) + built.families(root)
    built.build(root, "current", releases, *built.inputs(found, root / "build"))
    for version in ("2026.11.1", "2026.11"):
        built.build_release(root, version, releases)


@pytest.fixture(scope="session")
def site(made, tmp_path_factory) -> Path:
    """All versions under one root, as they are served."""
    versions = {version: made / version / "html" for version in ("current", "2026.11.1", "2026.11")}
    root = tmp_path_factory.mktemp("site") / "site"
    assemble.assemble("current", versions, root, built.listed(made / "releases"), PUBLIC)
    return root


@pytest.fixture(scope="session")
def online(made, tmp_path_factory) -> Path:
    """The releases alone, as they are published below a path of a host."""
    versions = {version: made / version / "html" for version in ("2026.11.1", "2026.11")}
    root = tmp_path_factory.mktemp("online") / "online"
    assemble.assemble("2026.11.1", versions, root, built.listed(made / "releases"), PUBLIC, "/media/")
    return root


@pytest.fixture(scope="session")
def small(tmp_path_factory) -> Path:
    """One small release, as it is published at a host's root."""
    root = tmp_path_factory.mktemp("small")
    found = [path for fs in ("ext4", "xfs") for path in factory.write(root, factory.experiment(fs), 3)]
    release.freeze(
        "2026.11",
        found,
        *built.inputs(found, root / "build"),
        root / "releases",
        date(2026, 11, 21),
        {"quick": []},
        code=root,
    )
    publication.add("2026.11", publication.Publication(site=ELSEWHERE), root / "publications")
    html = built.build_release(root, "2026.11", root / "releases")
    assemble.assemble("2026.11", {"2026.11": html}, root / "site", built.listed(root / "releases"), ELSEWHERE)
    return root / "site"


@pytest.fixture(scope="session")
def empty(tmp_path_factory) -> Path:
    """HTML of a version in which nothing was measured and nothing released."""
    root = tmp_path_factory.mktemp("empty")
    return built.build(root, "current", root / "releases", *built.inputs([], root / "build"))


@pytest.fixture(scope="session")
def lonely(tmp_path_factory) -> Path:
    """HTML of a version in which no setting gave a result."""
    root = tmp_path_factory.mktemp("lonely")
    found = factory.write(root, factory.experiment(), 2, status="failed")
    return built.build(root, "current", root / "releases", *built.inputs(found, root / "build"))


@pytest.fixture(scope="session")
def serve():
    """Serve a folder on the loopback address; returns the address of its root."""
    with ExitStack() as stack:
        yield cache(lambda folder: stack.enter_context(serving(folder)))


@pytest.fixture(scope="session")
def chromium():
    if not Path(CHROMIUM).exists():
        pytest.fail(f"{CHROMIUM} is missing: ./spindlemark test installs it, or: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def blank(chromium):
    page = chromium.new_page()
    yield page
    page.close()


@pytest.fixture
def visit(chromium, serve, site):
    """Open a path of the site. Everything the console says and every request elsewhere fails the test at its end."""
    contexts, complaints = [], []

    def open_page(path: str, width: int = 1360, scheme: str = "light", folder: Path | None = None, **how):
        root = serve(folder or site)
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, **how)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"{path}: console: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"{path}: error: {error}"))
        page.on(
            "request",
            lambda request: (
                complaints.append(f"{path}: request to {request.url}")
                if not request.url.startswith((root, "blob:", "data:"))
                else None
            ),
        )
        page.on(
            "response",
            lambda answer: (
                complaints.append(f"{path}: {answer.status} for {answer.url}") if answer.status >= 400 else None
            ),
        )
        page.goto(root + path)
        page.wait_for_load_state("networkidle")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
