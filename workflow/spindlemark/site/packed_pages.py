"""Packed pages: the content of a page, or a large part of it, as a compressed file that a script unpacks.

The pages of experiments and the evidence below answers are most of a site, and each is read by few. A template asks for it with
`<meta name="packed">`, whose content is the script that unpacks the page, or by a part between START and END. Packs have the hash
of their content as their name, so versions with the same content share them: in them, the two folders that links begin at are
written as ROOT, of the version, and VERSIONS, of the site.
"""

import hashlib
import re
from base64 import b64encode
from functools import partial
from pathlib import Path

from spindlemark.site import gzip_files

FOLDER, SUFFIX = "packed", ".html.gz"
ROOT, VERSIONS = "@root@", "@versions@"
LEAST = 4_000  # characters; smaller parts stay in their page
_WANTED = re.compile(r'<meta name="packed" content="([^"]*)" data-integrity="([^"]*)">')
_SCRIPT = re.compile(r'<script type="module" src="([^"]*)"[^>]*></script>\n?')
# For previews, catalogues and search engines, which read the pages of answers and of the whole version.
_SHARED = re.compile(r'<meta (?:property="og:|name="(?:twitter:|citation_|description"))[^>]*>\n?')
_MAIN = re.compile(r"(<main\b[^>]*>)(.*)(</main>)", re.DOTALL)
_SHELL = """<body data-frame="{frame}" data-main="{main}" data-root="{root}">
<main id="main"><p class="state" role="status">Loading</p>
<noscript><p>This page needs JavaScript: <a href="{path}" data-from="root">download its compressed content</a></p></noscript></main>
</body>
</html>
"""
_SHELLED = re.compile(r'<body data-frame="(\w+)" data-main="(\w+)" data-root="([^"]*)"')
_SCRIPTS = re.compile(r'<body data-scripts="[^"]*"')
_PART = re.compile(r'<div data-part="[a-z]+">(.*?)</div><template data-part-end></template>', re.DOTALL)
_PACKED = re.compile(r'<div data-packed="(\w+)" data-root="([^"]*)">.*?</noscript></div>', re.DOTALL)
_PLACE = (
    '<div data-packed="{name}" data-root="{root}"><p class="state" role="status">Loading</p><noscript><p>This part needs '
    'JavaScript. Without it, <a href="{path}" data-from="root">download its compressed content</a>.</p></noscript></div>'
)
_OF_SITE = re.compile(r'="([^"]*)" data-from="root"')


def place(name: str) -> str:
    """The path of a pack below the root of the site."""
    return f"{FOLDER}/{name[:2]}/{name}{SUFFIX}"


def pack(folder: Path) -> None:
    """Pack the pages and parts below `folder`, the HTML of one version, whose templates ask for it."""
    for page in sorted(folder.rglob("index.html")):
        text = page.read_text(encoding="utf-8")
        if not _PART.search(text) and not _WANTED.search(text):
            continue
        links = _Links.of(page, folder, text)
        text = _PART.sub(partial(_packed_part, folder, links), text)
        if wanted := _WANTED.search(text):
            text = _packed_page(folder, links, _SHARED.sub("", text), *wanted.groups())
        page.write_text(text, encoding="utf-8")


class _Links:
    """Where the links of a page begin: `root`, of its version, and `versions`, of the site; such as `../` and `../../`."""

    def __init__(self, root: str, versions: str) -> None:
        self.root, self.versions = root, versions

    @classmethod
    def of(cls, page: Path, folder: Path, text: str) -> "_Links":
        script = _SCRIPT.search(text)
        return cls(
            "../" * len(page.parent.relative_to(folder).parts) or "./",
            script[1].rpartition("assets/")[0] if script else "",
        )

    def hidden(self, content: str) -> str:
        """The content with the beginnings of its links replaced."""
        content = _OF_SITE.sub(
            lambda found: f'="{VERSIONS}{found[1].removeprefix(self.versions)}" data-from="root"', content
        )
        return re.sub(rf'\b(href|src|data-[a-z]+)="{re.escape(self.root)}(?!\.)', rf'\1="{ROOT}', content)

    def shown(self, content: str) -> str:
        """The content with its links."""
        return content.replace(ROOT, self.root).replace(VERSIONS, self.versions)


def pack_whole(page: Path, folder: Path) -> None:
    """Pack a page below `folder`, the HTML of one version, whose template does not ask for it; previews of it remain.

    Replaces the file, which may be a link to that of the unpacked version.
    """
    text = page.read_text(encoding="utf-8")
    script = next((folder / "assets").glob("packed.*.js"), None)
    if script is None or _SHELLED.search(text):
        return
    links = _Links.of(page, folder, text)
    integrity = f"sha256-{b64encode(hashlib.sha256(script.read_bytes()).digest()).decode()}"
    page.unlink()
    packed = _packed_page(folder, links, text, f"{links.versions}assets/{script.name}", integrity)
    page.write_text(packed, encoding="utf-8")


def _stored(folder: Path, content: str) -> str:
    data = content.encode("utf-8")
    name = hashlib.sha256(data).hexdigest()[:32]
    if not (folder / place(name)).exists():
        gzip_files.write(folder / place(name), data)
    return name


def _packed_part(folder: Path, links: _Links, part: re.Match[str]) -> str:
    if len(part[1]) < LEAST:
        return part[1]
    name = _stored(folder, links.hidden(part[1]))
    return _PLACE.format(name=name, root=links.root, path=links.versions + place(name))


def _packed_page(folder: Path, links: _Links, text: str, script: str, integrity: str) -> str:
    head, body = text.split("<body", 1)
    found = _MAIN.search(body)
    if found is None:
        raise ValueError("a page that is packed has no <main>")
    scripts = " ".join(match[1].rpartition("/")[2] for match in _SCRIPT.finditer(head))  # next to the one that unpacks
    frame = f'<body data-scripts="{scripts}"' + _MAIN.sub(r"\1\3", body, count=1)
    of_frame, of_main = _stored(folder, links.hidden(frame)), _stored(folder, links.hidden(found[2]))
    unpack = f'<script type="module" src="{script}" data-from="root" integrity="{integrity}"></script>\n</head>'
    return _WANTED.sub("", _SCRIPT.sub("", head)).replace("</head>", unpack) + _SHELL.format(
        frame=of_frame,
        main=of_main,
        root=links.root,
        path=links.versions + place(of_main),
    )


def text(page: Path) -> str:
    """The text of a page with what is packed of it."""
    content = page.read_text(encoding="utf-8")
    if shell := _SHELLED.search(content):
        links = _Links(shell[3], _SCRIPT.findall(content)[0].rpartition("assets/")[0])
        frame, main = (_read(page, name, links) for name in shell.group(1, 2))
        body = _SCRIPTS.sub("<body", _MAIN.sub(lambda found: found[1] + main + found[3], frame, count=1))
        content = content.split("<body", 1)[0] + body
    return _PACKED.sub(lambda at: _read(page, at[1], _links_of_part(at[0], at[2])), content)


def _links_of_part(at: str, root: str) -> _Links:
    path = re.search(r'href="([^"]*)' + FOLDER + "/", at)
    return _Links(root, path[1] if path else "")


def is_packed(page: Path) -> bool:
    """Whether a page, or a part of it, is packed."""
    content = page.read_text(encoding="utf-8")
    return bool(_SHELLED.search(content) or _PACKED.search(content))


def _read(page: Path, name: str, links: _Links) -> str:
    """The content of a pack, which is in the folder of the version or of the site above the page."""
    file = next((found for above in page.parents if (found := above / place(name)).exists()), None)
    if file is None:
        raise FileNotFoundError(f"{page}: its pack {place(name)} does not exist")
    return links.shown(gzip_files.read(file).decode("utf-8"))
