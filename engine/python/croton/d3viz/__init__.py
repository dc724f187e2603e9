"""Graphs in a web page."""
from croton.d3viz import formatting  # noqa: F401
from croton.printing import _made, dot_text


def d3viz(fct, outfile, copy_deps=True, *args, **kwargs):
    """Writes a page with a picture of the graph; the studio shows the same with more."""
    from croton.notebook import page_of
    with _made(outfile) as stream:
        stream.write(page_of(fct).encode())


def d3write(fct, path, *args, **kwargs):
    """Writes the graph as DOT."""
    with _made(path) as stream:
        stream.write(dot_text(fct).encode())
