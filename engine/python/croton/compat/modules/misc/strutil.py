"""Templates of text."""


def render_string(string, sub):
    """string % sub; what is wrong with a template is said with its line."""
    try:
        return string % sub
    except (KeyError, TypeError, ValueError) as error:
        for number, line in enumerate(string.splitlines(), 1):
            try:
                line % sub
            except (KeyError, TypeError, ValueError):
                raise type(error)("line %d of the template, %r: %s" % (number, line.strip(), error)) from None
        raise
