"""Graphs in a web page."""
from croton.d3viz import formatting  # noqa: F401
from croton.printing import dot_text


def d3viz(fct, outfile, copy_deps=True, *args, **kwargs):
    """Writes a page with a picture of the graph; the studio shows the same with more."""
    from croton.notebook import page_of
    with open(outfile, "w", encoding="utf-8") as stream:
        stream.write(page_of(fct))


def d3write(fct, path, *args, **kwargs):
    """Writes the graph as DOT."""
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(dot_text(fct))
