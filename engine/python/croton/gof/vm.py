"""Theano's linkers as objects: each stands for the name of one."""


class _Linker:
    def __init__(self, allow_gc=None, use_cloop=None, schedule=None, lazy=None, callback=None, c_thunks=None, allow_partial_eval=None,
                 fallback_on_perform=True, nice_errors=True):
        if callback is not None:
            raise NotImplementedError("linkers call nothing back; theano.compile.MonitorMode(pre_func, post_func) calls functions of yours "
                                      "before and after each apply")
        base = "cvm" if use_cloop else self._base
        self.linker_name = base + "_nogc" if allow_gc is False and base in ("cvm", "vm", "c|py") else base

    def __repr__(self):
        return "%s()" % type(self).__name__


class VM_Linker(_Linker):
    _base = "vm"


class PerformLinker(_Linker):
    _base = "py"


class CLinker(_Linker):
    _base = "c"


class OpWiseCLinker(_Linker):
    _base = "c|py"


class DualLinker(_Linker):
    _base = "c|py"
