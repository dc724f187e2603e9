"""Graphs in a web page."""
from croton import _files
from croton.d3viz import formatting  # noqa: F401
from croton.printing import dot_text


def d3viz(fct, outfile, copy_deps=True, *args, **kwargs):
    """Writes a page with a picture of the graph; the studio shows the same with more."""
    from croton.notebook import page_of
    _files.write(outfile, page_of(fct).encode())


def d3write(fct, path, *args, **kwargs):
    """Writes the graph as DOT."""
    _files.write(path, dot_text(fct).encode())
