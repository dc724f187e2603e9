"""Names that releases of Theano for Python 2.4 brought along."""
from collections import Counter, OrderedDict, defaultdict, deque  # noqa: F401
from functools import partial  # noqa: F401
from itertools import combinations, product  # noqa: F401

from croton.compat import DefaultOrderedDict, DictMixin  # noqa: F401

all, any = all, any
