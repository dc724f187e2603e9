"""Packages that stand in for Theano's tests: what a path brings comes before what Croton has under the same name."""
import os
import sys


class LatePath(list):
    """The __path__ of such a package. Croton's own folder is the last, before it come the folders that were added, and those of this name in the folders
    that were added to a package above: theano.tests.__path__.append(…), theano.__path__.append(…)."""

    def __init__(self, package, own):
        super().__init__(own)
        self._package, self._own = package, list(own)

    def __iter__(self):
        added = [entry for entry in super().__iter__() if entry not in self._own]
        above, _, name = self._package.rpartition(".")
        for parent in (above, "theano" + above[len("croton"):]):
            for entry in getattr(sys.modules.get(parent), "__path__", ()):
                folder = os.path.join(entry, name)
                if os.path.isdir(folder) and not any(os.path.isdir(own) and os.path.samefile(folder, own) for own in self._own + added):
                    added.append(folder)
        return iter(added + self._own)
