"""Which release of Theano the interface is that of. `croton.__version__` is that of Croton."""
full_version = short_version = version = "1.0.5"
git_revision = "unknown"
release = True
