"""Files that scripts ask for. Readers never see half of one, and when writing fails the file that was there before stays as it was."""
import os
import stat
import threading


def write(path, data):
    """Writes the bytes, in a folder that is made if need be. An OSError names the file, whatever failed."""
    try:
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        target = os.path.realpath(path)  # a link stays a link
        if not _replace(target, data):
            with open(target, "wb") as stream:
                stream.write(data)
    except OSError as error:
        raise OSError(error.errno, "this file could not be written (%s); free some space or choose another folder" % error.strerror, path) from None


def _replace(target, data):
    """Writes a draft and renames it. False where only writing in place is possible: a pipe, a device, a folder that takes no new files."""
    if os.path.exists(target) and (not os.path.isfile(target) or not os.access(os.path.dirname(target), os.W_OK)):
        return False
    draft = "%s.%d.%d.new" % (target, os.getpid(), threading.get_ident())
    try:
        with open(draft, "wb") as stream:
            stream.write(data)
        if os.path.exists(target):
            os.chmod(draft, stat.S_IMODE(os.stat(target).st_mode))
        os.replace(draft, target)
    except BaseException:
        if os.path.exists(draft):
            os.remove(draft)
        raise
    return True
