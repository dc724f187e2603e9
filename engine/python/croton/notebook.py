"""Pictures for notebooks and web pages, and `%%croton`, which profiles a cell (after `%load_ext croton`)."""
import html
import importlib
import io
import os
import shlex
import sys
import time

from croton import _core, printing


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


def profile_of(obj):
    """The report of a function that was made with profile=True and called, as a part that opens; else nothing."""
    profile = obj.profile if isinstance(obj, _core.Function) else None
    if not profile:
        return ""
    text = io.StringIO()
    profile.summary(file=text)
    return _folded("Profile", text.getvalue()) if text.getvalue() else ""


def _folded(title, text):
    return "<details><summary>%s</summary><pre>%s</pre></details>" % (html.escape(title), html.escape(text))


def page_of(obj):
    return "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>%s</title></head><body>%s</body></html>\n" % (
        html.escape(str(getattr(obj, "name", None) or "graph")), html_of(obj))


class Picture:
    """What croton.show(f) and f.show() give: a notebook draws it, a terminal prints the tree."""

    def __init__(self, obj, shown):
        self._obj, self._shown = obj, shown

    def _repr_html_(self):
        return html_of(self._shown) + profile_of(self._obj)

    def _repr_svg_(self):
        return svg_of(self._shown)

    def __repr__(self):
        return printing.debugprint(self._shown, file="str")


def show(obj, stage="optimized"):
    """A function or an expression as a picture; `stage="original"` is the graph of a function as it was written. Of a model of PyMC: its
    log-density and the gradient, compiled by Croton."""
    if stage not in ("original", "optimized"):
        raise ValueError('the stage is "original" or "optimized", not %r' % (stage,))
    if hasattr(obj, "value_vars") and hasattr(obj, "compile_fn"):
        obj = importlib.import_module("croton.pytensor.models").function_of(obj)
    return Picture(obj, obj.__dict__["_request"].computed() if stage == "original" and isinstance(obj, _core.Function) else obj)


class Text:
    """A report: preformatted in a notebook, plain in a terminal."""

    def __init__(self, text, title):
        self.text, self.title = text, title

    def _repr_html_(self):
        return _folded(self.title, self.text).replace("<details>", "<details open>", 1)

    def __repr__(self):
        return self.text


def _session_path(words):
    """Of the words behind %%croton: -o FILE, or nothing."""
    if not words:
        folder = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "croton", "sessions")
        os.makedirs(folder, exist_ok=True)
        return os.path.join(folder, "cell-%s-%d.croton" % (time.strftime("%Y%m%d-%H%M%S"), time.time_ns() % 1000000))
    if len(words) != 2 or words[0] != "-o":
        raise ValueError("%%%%croton takes -o FILE.croton or nothing, not %s" % " ".join(words))
    return words[1]


def _name_of(shell, cell):
    """What IPython calls this cell as a file, so that lines of its applies are found in it."""
    try:
        return shell.compile.get_code_name(cell, shell.transform_cell(cell), shell.execution_count)
    except AttributeError:
        return "<cell>"


def profile_cell(shell, line, cell):
    """Runs a cell in the notebook and keeps what its functions compile and do in a session; gives the report."""
    from croton import _record
    try:
        path = _session_path(shlex.split(line))
    except ValueError as error:
        print("croton: %s" % error, file=sys.stderr)
        return None
    if _record.active():
        print("croton: this process is being profiled already (by profile=True, or by croton profile); "
              "restart the notebook's kernel to profile a cell by itself", file=sys.stderr)
        return None
    lost, name = [], _name_of(shell, cell)
    try:
        _record.start(path, _record.version, "cell", "%%croton " + line, name, cell, [], lost.append, {})
    except _record.SessionError as error:
        print("croton: %s; the cell was not run" % error, file=sys.stderr)
        return None
    _record.add_source(name, cell)
    try:
        result = shell.run_cell(cell)
        failed = not getattr(result, "success", True)
        functions, calls = _record.counts()
        text = _record.report("profile", [], {}) if calls else ""
    except BaseException:
        _record.finish(1, "the cell was interrupted")
        raise
    _record.finish(int(failed), "the cell ended with an error" if failed else "")
    for sentence in lost:
        print("croton: %s" % sentence, file=sys.stderr)
    if not functions:
        print("croton: no function was compiled in this cell; only functions that a profiled cell compiles are recorded", file=sys.stderr)
    print("Session: %s (croton-studio opens it, croton report prints it)" % path)
    return Text(text, "%s, %s" % (_counted(functions, "function"), _counted(calls, "call"))) if text else None


def _counted(count, one):
    return "%d %s%s" % (count, one, "" if count == 1 else "s")


def load_ipython_extension(shell):
    def croton(line, cell):
        """%%croton [-o FILE.croton]: profiles the cell."""
        return profile_cell(shell, line, cell)

    shell.register_magic_function(croton, magic_kind="cell", magic_name="croton")
