"""Every link of the documentation leads somewhere, also those to pages that the build makes."""
import html.parser
import os
import pathlib
import subprocess
import sys
import urllib.parse

import pytest

SOURCE = pathlib.Path(os.environ["CROTON_SOURCE"])
DOCS = SOURCE / "resources/docs"
sys.path.insert(0, str(DOCS))
markdown = pytest.importorskip("markdown", reason="the Debian package python3-markdown is not installed")
import site_html  # noqa: E402


def test_the_list_of_samples_is_not_stale():
    done = subprocess.run([DOCS / "make", "samples", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_all_pages_are_listed():
    assert sorted(site_html.ORDER) == sorted(path.stem for path in site_html.MADE.glob("*.md"))


def test_made_pages_are_of_the_build_alone():
    made = {path.name for path in site_html.MADE.iterdir() if not path.is_symlink()}
    assert made == {"commands.md", "flags.md", "notation.md", "rewrites.md", "tables.md", "theano.md", "schema.sql"}
    assert not [name for name in made if (DOCS / name).exists()]
    assert all(path.resolve() == DOCS / path.name for path in site_html.MADE.iterdir() if path.is_symlink())


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src"):
                self.links.append(value)
            elif name == "id":
                self.anchors.add(value)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    site_html.write(folder)
    return folder


def test_links_of_the_pages_lead_somewhere():
    pages, _ = site_html.collect()
    lost = []
    for path, (_, body, anchors) in pages.items():
        for address in Links(body).links:
            if site_html.is_elsewhere(address):
                lost.append("%s: %s cannot be checked without a network" % (path, address))
                continue
            target, anchor = site_html.target_of(path, address)
            if target is not None and not site_html.source_of(target).exists():
                lost.append("%s: there is no %s" % (path.relative_to(SOURCE), address))
            elif anchor and anchor not in (anchors if target is None else pages[target][2]):
                lost.append("%s: %s has no such part" % (path.relative_to(SOURCE), address))
    assert not lost, "\n".join(lost)


def test_links_of_the_site_lead_somewhere(site):
    files = {path.relative_to(site).as_posix(): path for path in site.rglob("*") if path.is_file()}
    parsed = {name: Links(path.read_text()) for name, path in files.items() if name.endswith(".html") and "/" not in name}
    assert {name + ".html" for name in site_html.ORDER} <= set(parsed)
    lost = []
    for name, page in parsed.items():
        for address in page.links:
            place, _, anchor = urllib.parse.unquote(address).partition("#")
            place = place or name
            if place not in files or (anchor and anchor not in parsed[place].anchors):
                lost.append("%s: %s" % (name, address))
    assert not lost, "\n".join(lost)
