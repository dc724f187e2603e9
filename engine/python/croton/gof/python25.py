"""The same names, where releases before 0.7 had them."""
from croton.compat.python2x import (Counter, DefaultOrderedDict, DictMixin, OrderedDict, all, any, combinations, defaultdict, deque,  # noqa: F401
                                    partial, product)
