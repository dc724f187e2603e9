"""six.moves: what moved between Python 2 and 3."""
import builtins  # noqa: F401
import configparser  # noqa: F401
import pickle as cPickle  # noqa: F401
import queue  # noqa: F401
import urllib  # noqa: F401
from builtins import filter, input, map, range, zip  # noqa: F401
from functools import reduce  # noqa: F401
from importlib import reload as reload_module  # noqa: F401
from io import StringIO, StringIO as cStringIO  # noqa: F401
from itertools import filterfalse, zip_longest  # noqa: F401

__path__ = []  # moves.urllib.request and the like are modules of theirs (theano/__init__.py)
xrange = range
