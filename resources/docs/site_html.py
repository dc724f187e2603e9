"""The pages as HTML: those of this folder, and every page and file of the tree that they lead to."""
import html
import json
import os
import pathlib
import re
import shutil
import sys
import urllib.parse

try:
    import markdown
except ImportError:
    sys.exit("resources/docs/make site needs the Debian package python3-markdown")

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MADE = pathlib.Path(os.environ.get("CROTON_BUILD", ROOT / "build")) / "docs"  # by the build; they lead to others as if they were in this folder
# The order of the pages beside each other; a test sees that none is left out.
ORDER = ["index", "first-minutes", "installation", "environments", "pytensor", "onnx", "expressions", "notation", "theano", "rewrites", "flags", "commands", "profiles",
         "what-could-be", "history", "captured", "digits", "memory", "ranks", "session", "tables", "lessons", "teaching", "extending", "architecture",
         "performance", "comparison"]


def target_of(page, address):
    """What a link of a page leads to: (a path in the tree or None for the page itself, the anchor)."""
    place, _, anchor = urllib.parse.unquote(address).partition("#")
    if not place:
        return None, anchor
    path = (page.parent / place).resolve()
    return (path / "README.md" if path.is_dir() else path), anchor


def source_of(path):
    """The file of a page, or of what it leads to."""
    return MADE / path.name if path.parent == HERE and not path.exists() else path


def is_elsewhere(address):
    return re.match(r"[a-z]+:", address) is not None


def name_of(path):
    """The name of a page in the site, or of a file that goes along."""
    inside = path.relative_to(ROOT)
    if path.suffix != ".md":
        return "files/" + inside.as_posix()
    return (path.stem if path.parent == HERE else "-".join(inside.with_suffix("").parts).lower()) + ".html"


def rendered(path):
    """A page as (title, HTML, the anchors in it)."""
    body = markdown.markdown(source_of(path).read_text(), extensions=["tables", "fenced_code", "toc", "sane_lists"], tab_length=2)
    title = re.search(r"<h1[^>]*>(.*?)</h1>", body)
    return (re.sub("<[^>]+>", "", title.group(1)) if title else path.stem), body, set(re.findall(r'\bid="([^"]+)"', body))


LINK = re.compile(r'(\b(?:href|src)=")([^"]+)(")')


def collect():
    """{path: (title, HTML, anchors)} of all pages, and the set of files that they lead to."""
    absent = [name for name in ORDER if not source_of(HERE / (name + ".md")).exists()]
    if absent:
        sys.exit("The build has not made these pages yet: %s. Run resources/scripts/build first; $CROTON_BUILD names another build." % ", ".join(absent))
    pages, files, waiting = {}, set(), [HERE / (name + ".md") for name in ORDER] + [ROOT / "README.md"]
    while waiting:
        path = waiting.pop()
        if path in pages:
            continue
        pages[path] = rendered(path)
        for address in [html.unescape(match[1]) for match in LINK.findall(pages[path][1])]:
            if is_elsewhere(address):
                continue
            target, _ = target_of(path, address)
            if target is None or not source_of(target).exists():
                continue
            (waiting.append if target.suffix == ".md" else files.add)(target)
    return pages, files


def colours():
    themes = json.loads((ROOT / "resources/themes/theme.json").read_text())["themes"]

    def css(theme):
        surface, text = themes[theme]["surface"], themes[theme]["text"]
        named = {"window": surface["window"], "panel": surface["panel"], "sunken": surface["sunken"], "border": surface["border"],
                 "text": text["primary"], "accent": text["link"]}
        return "".join("--%s:%s;" % pair for pair in named.items())

    return ":root{%s}@media(prefers-color-scheme:dark){:root{%s}}" % (css("light"), css("dark"))


STYLE = """
body{margin:0;background:var(--window);color:var(--text);font:15px/1.55 Inter,system-ui,sans-serif}
nav{position:fixed;top:0;bottom:0;width:210px;padding:24px 20px;overflow:auto;background:var(--panel);border-right:1px solid var(--border)}
nav a{display:block;padding:3px 0;color:var(--text);text-decoration:none}nav a.here{color:var(--accent);font-weight:600}
nav input{width:100%;box-sizing:border-box;margin:0 0 12px;padding:5px 8px;font:inherit;color:inherit;background:var(--window);border:1px solid var(--border);border-radius:4px}
main{margin-left:250px;padding:24px 32px 64px;max-width:900px}h1,h2,h3{line-height:1.25}h2{margin-top:2em}a{color:var(--accent)}
code,pre{font:13px/1.5 "JetBrains Mono",monospace}code{background:var(--sunken);border-radius:3px;padding:1px 4px;overflow-wrap:anywhere}
pre{background:var(--sunken);border:1px solid var(--border);border-radius:6px;padding:12px 14px;overflow:auto}pre code{padding:0;background:none;overflow-wrap:normal}
table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid var(--border);padding:5px 9px;text-align:left;vertical-align:top}img{max-width:100%}
@media(max-width:800px){nav{position:static;width:auto;border:0}main{margin:0;padding:16px}}@media print{nav{display:none}main{margin:0}}
"""
# The search looks into the titles of all pages and of their parts.
SEARCH = """
const box=document.querySelector('nav input'),list=document.querySelector('nav div'),pages=list.innerHTML;
box.addEventListener('input',()=>{const words=box.value.toLowerCase().split(/\\s+/).filter(Boolean);
if(!words.length){list.innerHTML=pages;return}list.textContent='';
INDEX.filter(([title])=>words.every(word=>title.toLowerCase().includes(word))).slice(0,60).forEach(([title,where])=>{
const link=document.createElement('a');link.href=where;link.textContent=title;list.append(link)});
if(!list.children.length)list.textContent='Nothing has these words.'});
"""


def write(folder):
    pages, files = collect()
    folder.mkdir(parents=True, exist_ok=True)
    listed = [HERE / (name + ".md") for name in ORDER]
    index = [[title, name_of(path)] for path, (title, _, _) in pages.items()]
    for path in listed:
        for anchor, heading in re.findall(r'<h[23] id="([^"]+)">(.*?)</h[23]>', pages[path][1]):
            index.append([html.unescape(re.sub("<[^>]+>", "", heading)) + " · " + pages[path][0], name_of(path) + "#" + anchor])
    (folder / "search.js").write_text("const INDEX=%s;%s" % (json.dumps(index, ensure_ascii=False), SEARCH))
    (folder / "style.css").write_text(colours() + STYLE)
    for path, (title, body, _) in pages.items():
        def relinked(match):
            address = html.unescape(match.group(2))
            if is_elsewhere(address):
                return match.group(0)
            target, anchor = target_of(path, address)
            place = name_of(target) if target else ""
            return match.group(1) + html.escape(urllib.parse.quote(place) + ("#" + anchor if anchor else "")) + match.group(3)

        links = "".join('<a href="%s"%s>%s</a>' % (name_of(each), ' class="here"' if each == path else "", html.escape(pages[each][0])) for each in listed)
        text = ('<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>%s · Croton</title>'
                '<link rel="stylesheet" href="style.css"><nav><input type="search" placeholder="Search" aria-label="Search"><div>%s</div></nav>'
                '<main>%s</main><script src="search.js"></script></html>\n') % (html.escape(title), links, LINK.sub(relinked, body))
        (folder / name_of(path)).write_text(text)
    for path in files:
        copy = folder / name_of(path)
        os.makedirs(copy.parent, exist_ok=True)
        shutil.copyfile(source_of(path), copy)
    return len(pages)
