"""All rows, theme by theme."""
import importlib
import os


def rows():
    from natural.row import ROWS
    if not ROWS:
        for name in sorted(os.listdir(os.path.dirname(__file__))):
            if name.endswith(".py") and not name.startswith("_"):
                importlib.import_module("natural.themes." + name[:-3])
    return ROWS
