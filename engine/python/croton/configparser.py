"""theano.config: flags from .theanorc, THEANO_FLAGS, CROTON_FLAGS and assignments, the later one winning."""
import configparser as ini
import functools
import os
import shlex
import struct
import sys
import warnings

import numpy

from croton import _core
from croton.configflags import FLAGS, IGNORED

_FROZEN = ("device", "force_device", "contexts")


class Flag:
    __slots__ = ("name", "default", "kind", "doc", "ignored", "value", "changed", "assigned_by")

    def __init__(self, name, default, kind, doc, ignored=""):
        self.name, self.default, self.kind, self.doc = name, default, kind, doc
        self.ignored = ignored  # why it does nothing; None: that was said
        self.value = default
        self.changed = None
        self.assigned_by = "default"

    # Scripts read and set the entries of _config_var_list as descriptors.
    @property
    def fullname(self):
        return self.name

    def __get__(self, section, kind=None):
        return self.value

    def __set__(self, section, value):
        self.assign(value)

    def convert(self, value):
        kind = self.kind
        if kind is bool:
            if value in (True, False):
                return bool(value)
            text = str(value).strip().lower()
            if text in ("true", "1"):
                return True
            if text in ("false", "0"):
                return False
            raise ValueError("the flag %s is True or False, got %r" % (self.name, value))
        if kind is int or kind is float:
            try:
                number = kind(value)
                if kind is int and abs(number) >= 2**63:
                    raise ValueError
                return number
            except (TypeError, ValueError, OverflowError):
                raise ValueError("the flag %s is a number%s, got %r" % (self.name, " of at most 64 bits" if kind is int else "", value)) from None
        if isinstance(kind, range):
            try:
                number = int(value)
            except (TypeError, ValueError, OverflowError):
                number = -1
            if number in kind:
                return number
            raise ValueError("the flag %s is a whole number from %d to %d, got %r" % (self.name, kind[0], kind[-1], value))
        if kind is str:
            return "" if value is None else str(value)
        text = str(value).strip()
        if text in kind:
            return text
        raise ValueError("Invalid value (%s) for configuration variable %s. Legal options are %s"
                         % (text, self.name, ", ".join(kind)))

    def assign(self, value, where="script"):
        value = self.convert(value)
        if self.name == "device":
            value = _checked_device(value)
        if _settled and self.name in _FROZEN and value != self.value:
            raise Exception("the flag %s cannot be changed after the import: set THEANO_FLAGS=%s=%s before" % (self.name, self.name, value))
        self.value = value
        self.assigned_by = where
        if value != self.default:
            self.tell_ignored("the flag " + self.name, where)
        if self.changed is not None:
            self.changed(value)

    def tell_ignored(self, what, where="script"):
        if self.ignored:
            _warn("%s is accepted and ignored: %s" % (what, self.ignored), where)
            self.ignored = None

    def origin(self):
        """Where the value comes from: default, THEANO_FLAGS, CROTON_FLAGS, a .theanorc, script."""
        return "default" if self.value == self.default else self.assigned_by


def _checked_device(device):
    if device != "cpu" and not _core.is_name_of_device(device):
        raise ValueError("the flag device is cpu, cuda, gpu, gpuN or a device that `croton devices` names, got %r" % (device,))
    return device


def spelled(name):
    """The name of a flag, which Theano-PyMC 1.1 writes gcc__cxxflags for gcc.cxxflags."""
    return name if name.startswith("_") else name.replace("__", ".")


class Section:
    """config, or a part of it such as config.scan."""

    def __init__(self, flags, prefix=""):
        object.__setattr__(self, "_flags", flags)
        object.__setattr__(self, "_prefix", prefix)

    def __reduce__(self):
        return _section, (self._prefix,)  # there is one set of flags

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        full = self._prefix + spelled(name)
        flag = self._flags.get(full)
        if flag is not None:
            return flag.value
        if any(key.startswith(full + ".") for key in self._flags):
            section = Section(self._flags, full + ".")
            object.__setattr__(self, name, section)
            return section
        raise AttributeError("there is no flag called %s; print(theano.config) lists them all" % full)

    def __setattr__(self, name, value):
        full = self._prefix + spelled(name)
        flag = self._flags.get(full)
        if flag is None:
            raise AttributeError("there is no flag called %s; print(theano.config) lists them all" % full)
        flag.assign(value)

    def __dir__(self):
        names = {key[len(self._prefix):].split(".")[0] for key in self._flags if key.startswith(self._prefix)}
        return sorted(names) + ["change_flags"]

    def __repr__(self):
        parts = []
        for key, flag in self._flags.items():
            if key.startswith(self._prefix):
                choices = "" if not isinstance(flag.kind, tuple) else " (one of %s)" % ", ".join(flag.kind)
                parts.append("%s%s\n    Doc:  %s\n    Value:  %s\n" % (key, choices, flag.doc, flag.value))
        return "\n".join(parts)

    __str__ = __repr__

    def change_flags(self, *args, **flags):
        return change_flags(*args, **flags)


def _section(prefix):
    return Section(_flags, prefix) if prefix else config


class change_flags:
    """A context manager (or decorator) in which flags have other values: change_flags(floatX='float32', scan__debug=True)."""

    def __init__(self, args=None, **flags):
        settings = dict(args or {})
        settings.update(flags)
        self._settings = {spelled(name): value for name, value in settings.items()}
        for name in self._settings:
            if name not in _flags:
                raise AttributeError("there is no flag called %s; print(theano.config) lists them all" % name)
        self._previous = {}

    def __enter__(self):
        self._previous = {name: _flags[name].value for name in self._settings}
        try:
            for name, value in self._settings.items():
                _flags[name].assign(value)
        except Exception:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc):
        for name, value in self._previous.items():
            _flags[name].assign(value)

    def __call__(self, function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with change_flags(self._settings):
                return function(*args, **kwargs)
        return wrapped


def _warn(text, where):
    """At the line of the script, or naming the variable or file that set the flag."""
    if where != "script":
        warnings.warn_explicit(text, UserWarning, where, 1)
        return
    depth, frame = 2, sys._getframe(1)
    while frame is not None and frame.f_globals is globals():
        depth, frame = depth + 1, frame.f_back
    warnings.warn(text, stacklevel=depth)


def parse_flags(text, where="THEANO_FLAGS"):
    """'a=1,b.c=2' as a dict; later ones win, what has no '=' is warned of."""
    result = {}
    splitter = shlex.shlex(text, posix=True)
    splitter.whitespace = ","
    splitter.whitespace_split = True
    splitter.commenters = ""
    try:
        parts = list(splitter)
    except ValueError as error:
        raise ValueError("%s cannot be read, %s: %s" % (where, str(error).lower(), text)) from None
    for part in parts:
        part = part.strip()
        if not part:
            continue
        name, equals, value = part.partition("=")
        if not equals:
            _warn("the flag %r has no value and is ignored: write name=value" % part, where)
            continue
        result[name.strip()] = value
    return result


def read_files(text):
    """Settings of the .theanorc files in a path list; the rightmost one wins."""

    paths = [os.path.expanduser(path) for path in text.split(os.pathsep) if path]
    paths = [path for path in paths if os.path.exists(path)]
    if not paths:
        return {}
    parser = ini.ConfigParser(dict(USER=os.environ.get("USER", os.path.split(os.path.expanduser("~"))[-1]),
                                   LSCRATCH=os.environ.get("LSCRATCH", ""), TMPDIR=os.environ.get("TMPDIR", ""),
                                   TEMP=os.environ.get("TEMP", ""), TMP=os.environ.get("TMP", ""),
                                   PID=str(os.getpid())))
    parser.optionxform = str
    try:
        parser.read(paths)
    except ini.Error as error:
        warnings.warn("a configuration file could not be read: %s" % error)
        return {}
    defaults = set(parser.defaults())
    result = {}
    for section in parser.sections():
        for option in parser.options(section):
            if option in defaults:
                continue
            result[option if section == "global" else section + "." + option] = parser.get(section, option)
    return result


_flags = {name: Flag(name, default, kind, doc) for name, default, kind, doc in FLAGS}
_flags.update((name, Flag(name, default, kind, "accepted and ignored: " + why, why)) for name, default, kind, why in IGNORED)
_settled = False
_of_theano = {}  # what THEANO_FLAGS said when it was read
left_over = {}  # what files and variables say of flags that nobody knows (yet), in their order: {name: [(where, value)]}
config = Section(_flags)


def is_default(name):
    return _flags[name].value == _flags[name].default


def origin(name):
    """Where the value of a flag comes from: default, THEANO_FLAGS, CROTON_FLAGS, a .theanorc, script."""
    return _flags[name].origin()


def on_change(name, function):
    """Calls function(value) now and after every change of the flag."""
    _flags[name].changed = function
    function(_flags[name].value)


def _take(flags, where):
    for name, value in flags.items():
        flag = _flags.get(spelled(name))
        if flag is None:
            left_over.setdefault(name, []).append((where, value))
            import difflib
            near = difflib.get_close_matches(name, _flags, 1, 0.7)
            _warn("there is no flag called %s, so it is ignored%s" % (name, "; did you mean %s?" % near[0] if near else ""), where)
            continue
        try:
            flag.assign(value, where)
        except ValueError as error:
            raise ValueError("%s (set in %s)" % (error, where)) from None


def _variable(name):
    return parse_flags(os.environ.get(name, ""), name)


def load():
    global _of_theano
    home = os.environ.get("THEANORC", "~/.theanorc")
    _take(read_files(home), home)
    _of_theano = _variable("THEANO_FLAGS")
    _take(_of_theano, "THEANO_FLAGS")
    _take(_variable("CROTON_FLAGS"), "CROTON_FLAGS")
    _settle_device()
    for name in _OF_KERNELS:
        _flags[name].changed = functools.partial(_compile_kernels_with, name)
        if _flags[name].value != _flags[name].default:
            _compile_kernels_with(name, _flags[name].value)


def take_what_the_script_set():
    """Flags that a script wrote into THEANO_FLAGS before it imported theano: `croton` had imported Croton by then."""
    global _of_theano
    before, _of_theano = _of_theano, _variable("THEANO_FLAGS")
    if _of_theano == before:
        return
    wins = _variable("CROTON_FLAGS")
    new = {name: value for name, value in _of_theano.items() if before.get(name) != value and name not in wins}
    for name in [name for name in new if spelled(name) in _FROZEN]:
        if _flags[spelled(name)].value != new.pop(name):
            _warn("the script sets %s in THEANO_FLAGS, which is decided before a script begins: set it in the shell, or as an option of croton"
                  % name, "script")
    _take(new, "script")


def _settle_device():
    """Where functions run is decided once, and `device` says what came of it."""
    global _settled
    _settled = True
    device = _flags["device"]
    _open_contexts()
    if device.value == "cpu":
        return
    asked = device.value
    try:
        device.value, hardware = _core.use_device(asked)
    except Exception as error:
        sentence = str(error)
        if asked not in sentence:
            sentence = "device=%s cannot be had: %s" % (asked, sentence)
        if _flags["force_device"].value:
            raise ValueError("%s, and force_device=True forbids the CPU (set in %s)" % (sentence, device.assigned_by)) from None
        _warn("%s. Functions run on the CPU; force_device=True makes this an error" % sentence, device.assigned_by)
        device.value = device.default
        return
    if _flags["print_active_device"].value:
        sys.stderr.write("Mapped name None to device %s: %s\n" % (device.value, hardware))


# The devices that have names of their own.
_contexts = {}


def _open_contexts():
    flag = _flags["contexts"]
    for pair in filter(None, flag.value.split(";")):
        name, arrow, device = (part.strip() for part in pair.partition("->"))
        if not (name and arrow and device) or name in _contexts:
            raise ValueError("contexts=%s: %s pairs as dev0->cuda0, apart by ';' (set in %s)"
                             % (flag.value, "each name has one device:" if name in _contexts else "they are", flag.assigned_by))
        try:
            _contexts[name], hardware = _core.open_device(device)[:2]
        except Exception as error:
            raise ValueError("contexts=%s: %s (set in %s)" % (flag.value, error, flag.assigned_by)) from None
        if _flags["print_active_device"].value:
            sys.stderr.write("Mapped name %s to device %s: %s\n" % (name, _contexts[name], hardware))


def device_of(name=None):
    """The device of that name: None is the one that functions run on."""
    return _core.chosen_device() if name is None else _contexts.get(name, name)


_OF_KERNELS = ("nvcc.flags", "nvcc.fastmath")


def _compile_kernels_with(name, value):
    """Kernels that are built from now on; what their compiler does not take is told."""
    flag, device = _flags[name], _flags["device"].value
    if device == "cpu":
        if value != flag.default:
            _warn("the flag %s is accepted and ignored: functions run on the CPU" % name, flag.assigned_by)
        return
    words = shlex.split(_flags["nvcc.flags"].value) + (["--use_fast_math"] if _flags["nvcc.fastmath"].value else [])
    for sentence in _core.compile_with(device, words):
        _warn("%s leaves out %s" % (name, sentence), flag.assigned_by)


# What the environment says wrong. `croton run` and `croton profile` tell it in their own words: there is no line of a script to
# show yet.
problem = None
try:
    load()
except ValueError as error:
    if "croton.worker" not in getattr(sys, "orig_argv", ()):
        raise
    problem = str(error)


def python_int_bitwidth():
    """Bits of what NumPy makes of a Python int."""
    return numpy.dtype(int).itemsize * 8


def local_bitwidth():
    """Bits of an address."""
    return struct.calcsize("P") * 8


TheanoConfigParser = Section


def __getattr__(name):
    if name == "_config_var_list":
        return list(_flags.values())
    raise AttributeError("module 'theano.configparser' has no attribute %r" % name)
