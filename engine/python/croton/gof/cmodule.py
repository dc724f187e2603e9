"""What scripts ask of Theano's compiler of C modules."""
import importlib.machinery


def get_lib_extension():
    """How the name of a library ends here, without the dot."""
    return importlib.machinery.EXTENSION_SUFFIXES[-1].rpartition(".")[2]
