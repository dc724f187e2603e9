"""map, reduce, foldl, foldr: loops of one kind."""
from croton.scan_module.scan import scan


def map(fn, sequences, non_sequences=None, truncate_gradient=-1, go_backwards=False, mode=None, name=None):  # noqa: A001
    """fn of every element."""
    return scan(fn, sequences, [], non_sequences, None, truncate_gradient, go_backwards, mode, name)


def reduce(fn, sequences, outputs_info, non_sequences=None, go_backwards=False, mode=None, name=None):
    """What is left after the last element."""
    results, updates = scan(fn, sequences, outputs_info, non_sequences, None, -1, go_backwards, mode, name)
    if isinstance(results, (list, tuple)):
        return [result[-1] for result in results], updates
    return results[-1], updates


def foldl(fn, sequences, outputs_info, non_sequences=None, mode=None, name=None):
    """reduce from the first element to the last."""
    return reduce(fn, sequences, outputs_info, non_sequences, False, mode, name)


def foldr(fn, sequences, outputs_info, non_sequences=None, mode=None, name=None):
    """reduce from the last element to the first."""
    return reduce(fn, sequences, outputs_info, non_sequences, True, mode, name)
