"""Op: what an apply computes. Derive from it to write your own in Python."""
import json
import warnings

from croton import _core
from croton.configparser import config
from croton.gof.c_types import CLinkerObject
from croton.gof.errors import MethodNotDefined
from croton.gof.graph import Apply, Variable
from croton.gof.test_value import compute_for_apply as compute_test_value  # noqa: F401
from croton.gof.test_value import get_test_value
from croton.gof.utils import reduced


def named(read):
    """A property `name`: what a script set, else what `read` gives."""
    return property(lambda op: op.__dict__.get("_name") or read(op), lambda op, name: op.__dict__.update(_name=name))


ops_with_inner_function = {}  # of Theano: op → the attribute with its function


# What an op's methods build there is the script's own work, not the making of an apply.
_METHODS_WITH_LINES = {"__init__", "grad", "L_op", "R_op", "infer_shape", "perform"}


def _hide_lines_of_methods(cls):
    """Applies of a script's op belong to the line that uses it, not to one of its make_node or of what that calls."""
    for base in cls.__mro__:
        if base.__module__.split(".")[0] in ("builtins", "croton", "theano"):
            continue
        for name, method in vars(base).items():
            code = getattr(getattr(method, "__func__", method), "__code__", None)
            if code is not None and name not in _METHODS_WITH_LINES:
                _core.add_code_of_op(code)


class _OpMeta(type(_core.OpBase)):
    """Gives equality, hash and text to classes that list their parameters in __props__."""

    def __new__(meta, name, bases, namespace):
        cls = super().__new__(meta, name, bases, namespace)
        if "__props__" in namespace:
            if "__eq__" not in namespace:
                cls.__eq__ = _props_eq
            if "__hash__" not in namespace or namespace["__hash__"] is None:
                cls.__hash__ = _props_hash
            if "__str__" not in namespace and cls.__str__ in (Op.__str__ if "Op" in globals() else None, _core.OpBase.__str__):
                cls.__str__ = _props_str
        elif "__eq__" in namespace and "__hash__" not in namespace:
            cls.__hash__ = _core.OpBase.__hash__
        if "__eq__" in cls.__dict__ and "__ne__" not in namespace:
            cls.__ne__ = _not_equal  # that of the engine's ops knows nothing of it
        _hide_lines_of_methods(cls)
        return cls


def _not_equal(self, other):
    same = self.__eq__(other)
    return same if same is NotImplemented else not same


def _props_of(op):
    return tuple(getattr(op, name) for name in op.__props__)


def _props_eq(self, other):
    return type(self) is type(other) and _props_of(self) == _props_of(other)


def _props_hash(self):
    return hash((type(self), _props_of(self)))


def _props_str(self):
    if not self.__props__:
        return self.__class__.__name__
    return "%s{%s}" % (self.__class__.__name__, ", ".join("%s=%r" % (name, getattr(self, name)) for name in self.__props__))


class CLinkerOp(CLinkerObject):
    """What C code of an op can be asked of: each method may be left out."""

    def c_code(self, node, name, inputs, outputs, sub):
        raise MethodNotDefined("c_code", type(self), self.__class__.__name__)

    def c_code_cache_version_apply(self, node):
        return self.c_code_cache_version()

    def c_code_cleanup(self, node, name, inputs, outputs, sub):
        return ""

    def c_support_code_apply(self, node, name):
        return ""

    def c_init_code_apply(self, node, name):
        return ""

    def c_init_code_struct(self, node, name, sub):
        return ""

    def c_support_code_struct(self, node, name):
        return ""

    def c_cleanup_code_struct(self, node, name):
        return ""


class _ShapeRule:
    """infer_shape of ops of the engine; those of scripts have one where they define it."""

    def __get__(self, op, cls=None):
        if op is None or not op._is_of_engine():
            raise AttributeError("infer_shape")
        return op._sizes_by_engine


class PureOp(_core.OpBase, metaclass=_OpMeta):
    """A function from variables to variables. Instances never change."""
    default_output = None
    view_map = {}
    destroy_map = {}
    itypes = None
    otypes = None
    _f16_ok = False
    _op_use_c_code = False

    def __str__(self):
        if _core.is_engine_op(self):
            return _core.op_name(self)
        return getattr(self, "name", None) or "%s" % self.__class__.__name__

    __repr__ = __str__

    def _is_of_engine(self):
        return _core.is_engine_op(self)

    infer_shape = _ShapeRule()

    # --- building ----------------------------------------------------------------------------------
    def make_node(self, *inputs):
        """Checks the inputs and returns the Apply; by default from itypes and otypes."""
        if _core.is_engine_op(self):
            return _core.make_node(self, [value if isinstance(value, Variable) else _core.as_variable(value) for value in inputs])
        if self.itypes is None or self.otypes is None:
            raise NotImplementedError("the op %s needs a method make_node, or the lists itypes and otypes" % self)
        if len(inputs) != len(self.itypes):
            raise ValueError("We expected %d inputs but got %d." % (len(self.itypes), len(inputs)))
        converted = [wanted.as_input(value) for value, wanted in zip(inputs, self.itypes)]
        if not all(value.type == wanted for value, wanted in zip(converted, self.itypes)):
            raise TypeError("We expected inputs of types '%s' but got types '%s'"
                            % (self.itypes, [value.type for value in converted]))
        return Apply(self, converted, [wanted() for wanted in self.otypes])

    def add_tag_trace(self, thing):
        return thing

    @classmethod
    def _get_test_value(cls, variable):
        return get_test_value(variable)

    def __call__(self, *inputs, **kwargs):
        return_list = kwargs.pop("return_list", False)
        node = self.make_node(*inputs, **kwargs)
        if not isinstance(node, Apply):
            raise TypeError("make_node of %s has to return an Apply, got %s" % (self, type(node).__name__))
        if type(node) is Apply:
            _core.show(node.outputs)
        outputs = node.outputs
        which = self.default_output
        if which is None and _core.is_engine_op(self):
            which = _core.op_default_output(self)
            which = None if which < 0 else which
        if which is not None:
            result = outputs[which]
            return [result] if return_list else result
        if return_list:
            return list(outputs)
        return outputs[0] if len(outputs) == 1 else list(outputs)

    # --- running -----------------------------------------------------------------------------------
    def perform(self, node, inputs, output_storage, params=None):
        if not self._is_of_engine():
            raise MethodNotDefined("perform", type(self), self.__class__.__name__)
        self._run_by_engine(node, inputs, output_storage)

    def do_constant_folding(self, node):
        return True

    def get_params(self, node):
        """The values of `params_type`; by default of a ParamsType: the attributes that are called as its fields are."""
        collect = getattr(getattr(self, "params_type", None), "get_params", None)
        if collect is None:
            raise MethodNotDefined("get_params")
        return collect(self)

    # --- gradients ---------------------------------------------------------------------------------
    def grad(self, inputs, output_grads):
        if not _core.is_engine_op(self):
            raise NotImplementedError("the op %s has no method grad" % self)
        return self._gradient_by_engine(self.make_node(*inputs), output_grads)

    def L_op(self, inputs, outputs, output_grads):
        return self.grad(inputs, output_grads)

    def R_op(self, inputs, eval_points):
        if _core.is_engine_op(self):
            return self._forward_by_engine(self.make_node(*inputs), eval_points)
        raise NotImplementedError("%s of class %s does not implement R_op. If this is a theano op, write to the theano-dev "
                                  "mailing list for assistance. If it is your own op, implement the R_op method."
                                  % (self, self.__class__.__name__))

    def __reduce__(self):
        if _core.is_engine_op(self):
            from croton import _pickle
            return _pickle.reduce_op(self)
        return reduced(self)


class Op(PureOp, CLinkerOp):
    """What scripts derive from: perform() or C code computes it."""

    def make_thunk(self, node, storage_map, compute_map, no_recycling, impl=None):
        if impl != "py" and type(self).c_code is not CLinkerOp.c_code:
            self.prepare_node(node, storage_map, compute_map, "c")
            try:
                return self.make_c_thunk(node, storage_map, compute_map, no_recycling)
            except (MethodNotDefined, NotImplementedError):
                if impl == "c":
                    raise
        self.prepare_node(node, storage_map, compute_map, "py")
        return self.make_py_thunk(node, storage_map, compute_map, no_recycling)

    def make_c_thunk(self, node, storage_map, compute_map, no_recycling):
        from croton.gof.c_code import Compiled
        compiled = Compiled(node)
        return _thunk(node, storage_map, compute_map, lambda inputs, outputs: compiled.run(node, [cell[0] for cell in inputs], outputs))

    def make_py_thunk(self, node, storage_map, compute_map, no_recycling, debug=False):
        params = [] if getattr(self, "params_type", None) is None else [node.run_params()]
        return _thunk(node, storage_map, compute_map, lambda inputs, outputs: self.perform(node, [cell[0] for cell in inputs], outputs, *params))

    def prepare_node(self, node, storage_map, compute_map, impl):
        pass


def _thunk(node, storage_map, compute_map, run):
    """A call of `run` with the cells of an apply."""
    inputs, outputs = ([storage_map[variable] for variable in several] for several in (node.inputs, node.outputs))

    def thunk():
        run(inputs, outputs)
        for variable in node.outputs:
            compute_map[variable][0] = True
    thunk.inputs, thunk.outputs, thunk.lazy = inputs, outputs, False
    return thunk


def get_debug_values(*args):
    """[(the test values of all arguments)], of one argument [its value]; [] if test values are off or one has none that must not be missing."""
    if config.compute_test_value == "off":
        return []
    try:
        values = [get_test_value(arg) for arg in args]
        return values if len(values) == 1 else [tuple(values)]
    except AttributeError as error:
        if config.compute_test_value == "raise":
            raise
        if config.compute_test_value == "warn":
            warnings.warn("get_debug_values: %s" % error, stacklevel=2)
        return []


get_test_values = get_debug_values  # as Theano-PyMC calls it


def debug_assert(condition, msg=None):
    """Asserts where the flag compute_test_value says that graphs are tried out."""
    if msg is None:
        msg = "debug_assert failed"
    if not condition:
        action = config.compute_test_value
        if action in ("raise", "ignore"):
            raise AssertionError(msg)
        if action == "warn":
            warnings.warn(msg, stacklevel=2)


def missing_test_message(msg):
    """Says that a test value is missing as the flag compute_test_value wants it said."""
    action = config.compute_test_value
    if action == "raise":
        raise AttributeError(msg)
    if action == "warn":
        warnings.warn(msg, stacklevel=2)


def parameters(op):
    """What an op of the engine was made with, under the names that documents of graphs and Theano's classes have for it."""
    return {name: _with_tuples(value) for name, value in json.loads(_core.op_parameters(op)).items()}


def _with_tuples(value):
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value


def _class_for(module, name, _known={}):
    """The Python class of the engine's ops of this name; made when it is first seen."""
    cls = _known.get(name)
    if cls is None:
        cls = _known[name] = type(Op)(name, (Op,), {"__module__": module})
    elif cls.__module__ == "croton.tensor.opclasses":
        cls.__module__ = module
    return cls


def declare(name, cls):
    """`cls` is the class of the engine's ops of this name."""
    _class_for.__defaults__[0][name] = cls
    return cls


_core.register_op_classes(_class_for)
