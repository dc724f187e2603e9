"""Tells a recording what the script calls of MPI: methods of mpi4py's classes are replaced by ones that look at the clock.

What others hold of mpi4py (COMM_WORLD, what Split gives, requests) is of these classes, so it is seen, too; calls that C code makes are not.
"""
import functools
import importlib.abc
import importlib.machinery
import os
import sys
import threading
from time import perf_counter_ns

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_COLLECTIVE = ("Barrier", "Bcast", "Gather", "Gatherv", "Scatter", "Scatterv", "Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Alltoallw",
               "Reduce", "Allreduce", "Reduce_scatter", "Reduce_scatter_block", "Scan", "Exscan", "barrier", "bcast", "gather", "scatter",
               "allgather", "alltoall", "reduce", "allreduce", "scan", "exscan")
_DIRECT = ("Send", "Recv", "Sendrecv", "Sendrecv_replace", "Bsend", "Ssend", "Rsend", "Probe", "Mprobe", "send", "recv", "sendrecv", "bsend",
           "ssend", "probe", "mprobe")
_WAIT = ("Wait", "Waitany", "Waitall", "Waitsome", "wait", "waitany", "waitall", "waitsome")

_busy = threading.local()  # calls that a call makes are part of it


def _bytes(arguments):
    """Of the first array that is handed over, alone or in [array, ...]."""
    for one in arguments:
        if isinstance(one, (list, tuple)) and one:
            one = one[0]
        size = getattr(one, "nbytes", None)
        if isinstance(size, int):
            return size
    return 0


def _place(frame):
    """The line of the script, and whether an op of a function called from there."""
    own = frame
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame is not None else ("", 0), frame is not own


class _Members:
    """Who takes part in a communicator, in ranks of the world, and how many collective calls they made."""

    def __init__(self, module):
        self.module, self.lock = module, threading.Lock()
        self.world = module.COMM_WORLD.Get_group()
        self.known, self.counts = {}, {}

    def _text(self, comm):
        if comm.Is_inter():
            return ""  # two groups, of which each sees the other one
        group = comm.Get_group()
        ranks = sorted(self.module.Group.Translate_ranks(group, list(range(group.Get_size())), self.world))
        group.Free()
        parts = []
        for rank in ranks:
            if parts and rank == parts[-1][1] + 1:
                parts[-1][1] = rank
            else:
                parts.append([rank, rank])
        return ",".join("%d" % first if first == last else "%d-%d" % (first, last) for first, last in parts)

    def next(self, comm):
        """Members as text, and the number of the call."""
        handle = comm.py2f()
        with self.lock:
            text = self.known.get(handle)
            if text is None:
                text = self.known[handle] = self._text(comm)
            number = self.counts[text] = self.counts.get(text, -1) + 1
        return (text, number) if text else ("", -1)

    def forget(self, comm):
        with self.lock:
            self.known.pop(comm.py2f(), None)


def _watched(call, name, kind, record, members):
    @functools.wraps(call, assigned=("__doc__", "__name__", "__qualname__"))
    def method(*arguments, **named):
        if getattr(_busy, "is_busy", False):
            return call(*arguments, **named)
        _busy.is_busy = True
        try:
            group, number = members.next(arguments[0]) if members else ("", -1)
            start = perf_counter_ns()
            try:
                return call(*arguments, **named)
            finally:
                end = perf_counter_ns()
                place, is_inside = _place(sys._getframe(1))
                record.communicated(name, kind, place, (start, end), is_inside, _bytes(arguments[1:] or named.values()), group, number)
        finally:
            _busy.is_busy = False
    return method


def _forgetting(call, members):
    @functools.wraps(call, assigned=("__doc__", "__name__", "__qualname__"))
    def method(comm, *arguments, **named):
        members.forget(comm)
        return call(comm, *arguments, **named)
    return method


def watch(module, record):
    """Replaces the methods of mpi4py.MPI, once it can say which rank this is."""
    if not module.Is_initialized() or module.Is_finalized():
        return  # a script that starts MPI by itself (mpi4py.rc.initialize = False) is known by what its launcher says
    record.set_meta("rank", str(module.COMM_WORLD.Get_rank()))
    record.set_meta("ranks", str(module.COMM_WORLD.Get_size()))
    members = _Members(module)

    def replace(cls, names, wrap):
        for name in names:
            there = cls.__dict__.get(name)
            if there is None:
                continue
            if type(there).__name__ in ("classmethod", "staticmethod", "classmethod_descriptor"):
                record.replace_method(cls, name, staticmethod(wrap(getattr(cls, name), name)))
            else:
                record.replace_method(cls, name, wrap(there, name))

    for cls in (module.Comm, module.Intracomm):
        replace(cls, _COLLECTIVE, lambda call, name: _watched(call, name, "collective", record, members))
        replace(cls, _DIRECT, lambda call, name: _watched(call, name, "point to point", record, None))
        replace(cls, ("Free", "Disconnect"), lambda call, name: _forgetting(call, members))
    for cls in (module.Request, module.Message):
        replace(cls, _WAIT, lambda call, name: _watched(call, name, "wait", record, None))


class _Finder(importlib.abc.MetaPathFinder):
    """Has mpi4py.MPI watched as soon as it is imported."""

    def __init__(self, record):
        self.record = record

    def find_spec(self, name, path=None, target=None):
        if name != "mpi4py.MPI":
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            run, record = spec.loader.exec_module, self.record

            def exec_module(module):
                run(module)
                watch(module, record)
            spec.loader.exec_module = exec_module
        return spec


def observe(record):
    """`record` is croton._record with a recording."""
    rank, _, ranks = os.environ.pop("CROTON_RANK", "").partition("/")
    if ranks:
        record.set_meta("rank", rank)
        record.set_meta("ranks", ranks)
    if "mpi4py.MPI" in sys.modules:
        watch(sys.modules["mpi4py.MPI"], record)
    else:
        sys.meta_path.insert(0, _Finder(record))
