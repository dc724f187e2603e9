"""Pictures for notebooks and web pages."""
import html

from croton import printing


def svg_of(obj):
    """The graph as SVG text; needs Graphviz."""
    text = printing._rendered(printing.dot_text(obj), "svg").decode("utf-8")
    return text[text.index("<svg"):]


def html_of(obj):
    """A picture, or the tree as text where Graphviz is not installed."""
    try:
        return '<div style="overflow:auto">%s</div>' % svg_of(obj)
    except RuntimeError as error:
        return "<pre>%s</pre><p>%s</p>" % (html.escape(printing.debugprint(obj, file="str")), html.escape(str(error)))


def page_of(obj):
    return "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>%s</title></head><body>%s</body></html>\n" % (
        html.escape(str(getattr(obj, "name", None) or "graph")), html_of(obj))


class Picture:
    """What f.show() gives: a notebook draws it, a terminal prints the tree."""

    def __init__(self, obj):
        self._obj = obj

    def _repr_html_(self):
        return html_of(self._obj)

    def _repr_svg_(self):
        return svg_of(self._obj)

    def __repr__(self):
        return printing.debugprint(self._obj, file="str")


def show(obj, stage="optimized"):
    if stage == "original":
        return Picture(obj.__dict__["_request"].computed())
    return Picture(obj)
