"""DebugMode: every call is done several times in other ways, and what each op does is held against what it promises. The engine does
all of that; here are its exceptions and its settings."""
from croton import _core
from croton.compile.mode import Mode, made_by_name
from croton.compile.requests import DebugChecks
from croton.configparser import config
from croton.gof.errors import BadDestroyMap, BadOptimization, BadThunkOutput, BadViewMap, DebugModeError, InvalidValueError, StochasticOrder  # noqa: F401
from croton.gof.op import Op

default_make_thunk = [Op.make_thunk]  # scripts add those of their classes whose thunks DebugMode may take for the op itself


_core.register_debug_errors({cls.__name__: cls for cls in DebugModeError.__subclasses__()})


class DebugMode(Mode):
    """Slow and careful: checks values of rewriting, kernels, undeclared writes and views, types, finiteness."""

    def __init__(self, optimizer="default", stability_patience=None, check_c_code=None, check_py_code=None, check_isfinite=None,
                 check_preallocated_output=None, require_matching_strides=None, linker=None):
        super().__init__(linker=linker, optimizer=optimizer)
        self.check_c_code = config.DebugMode.check_c if check_c_code is None else check_c_code
        self.check_py_code = config.DebugMode.check_py if check_py_code is None else check_py_code
        self.check_isfinite = config.DebugMode.check_finite if check_isfinite is None else check_isfinite
        self.stability_patience = config.DebugMode.patience if stability_patience is None else stability_patience
        if not (self.check_c_code or self.check_py_code):
            raise ValueError("DebugMode has to check at least one of c and py code")
        outputs = config.DebugMode.check_preallocated_output if check_preallocated_output is None else check_preallocated_output
        self.check_preallocated_output = outputs if isinstance(outputs, str) else ":".join(outputs)
        self.require_matching_strides = config.DebugMode.check_strides if require_matching_strides is None else int(require_matching_strides)
        if self.require_matching_strides not in (0, 1, 2):
            raise ValueError("check_strides is 0 (ignore), 1 (warn) or 2 (raise), got %r" % (self.require_matching_strides,))

    def settings(self):
        checks = DebugChecks(check_c=bool(self.check_c_code), check_py=bool(self.check_py_code), check_isfinite=bool(self.check_isfinite),
                             patience=int(self.stability_patience), outputs=self.check_preallocated_output,
                             outputs_ndim=config.DebugMode.check_preallocated_output_ndim,
                             strides=("ignore", "warn", "raise")[self.require_matching_strides])
        return super().settings().but(debug=checks)


made_by_name["DebugMode"] = made_by_name["DEBUG_MODE"] = DebugMode
