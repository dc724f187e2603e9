"""Graphs in Graphviz's language, as pydot's objects have them."""
from croton import _files
from croton.printing import _rendered, dot_text


class Drawing:
    """A picture that can be written: write_png(path), write_svg, write_pdf, write_dot …, create(format='png'), to_string()."""

    def __init__(self, text):
        self._text = text

    def to_string(self):
        return self._text

    def create(self, prog=None, format="png"):
        """Its bytes."""
        return self._text.encode() if format in ("raw", "dot") else _rendered(self._text, format)

    def write(self, path, prog=None, format="raw"):
        _files.write(path, self.create(prog, format))
        return True

    def __getattr__(self, name):
        for start, method in (("write_", lambda format: lambda path, prog=None: self.write(path, prog, format)),
                              ("create_", lambda format: lambda prog=None: self.create(prog, format))):
            if name.startswith(start):
                return method(name[len(start):])
        raise AttributeError(name)


class PyDotFormatter:
    """Called with a function or variables it draws them."""

    def __init__(self, compact=True):
        self.compact = compact

    def __call__(self, fct, graph=None):
        return Drawing(dot_text(fct, compact=self.compact))
