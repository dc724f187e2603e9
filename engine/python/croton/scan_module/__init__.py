"""Loops: theano.scan and what is made of it."""
from croton.clone import clone  # noqa: F401
from croton.scan_module import scan_op, scan_utils  # noqa: F401
from croton.scan_module.scan import scan  # noqa: F401
from croton.scan_module.scan_checkpoints import scan_checkpoints  # noqa: F401
from croton.scan_module.scan_utils import until  # noqa: F401
from croton.scan_module.scan_views import foldl, foldr, map, reduce  # noqa: F401,A004
from croton.updates import OrderedUpdates  # noqa: F401
