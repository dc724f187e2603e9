"""Which release of Theano the interface is that of."""
from croton import __version__ as version

full_version = short_version = version
git_revision = "unknown"
release = True
