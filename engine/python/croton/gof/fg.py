"""Graphs that can be changed: inputs, outputs, and features that hear of every change."""
import collections

from croton import _core
from croton.gof.errors import InconsistencyError, MissingInputError
from croton.gof.graph import Apply, Constant, SharedVariableBase, as_string, clone_get_equiv, not_loaded
from croton.gof.toolbox import AlreadyThere
from croton.gof.type import NullType  # noqa: F401


class CachedConstantError(Exception):
    pass


class _Clients(dict):
    """The readers of each variable."""

    def __call__(self, variable):
        return self[variable]


class FunctionGraph:
    """A graph of its own: a copy of the applies between inputs and outputs (with clone=False those themselves), which replace() changes."""

    def __init__(self, inputs, outputs, features=None, clone=True, update_mapping=None, _order=None):
        inputs, outputs = list(inputs), list(outputs)
        if clone:
            self._check_inputs(inputs, outputs)
            memo = clone_get_equiv(inputs, outputs)
            inputs, outputs = [memo[variable] for variable in inputs], [memo[variable] for variable in outputs]
        elif _order is None:
            self._check_inputs(inputs, outputs)
        self.inputs, self.outputs = inputs, outputs
        self.update_mapping = dict(update_mapping or {})
        self._features, self._order, self._clients, self._nodes = [], None if _order is None else list(_order), None, None
        self.execute_callbacks_time, self.execute_callbacks_times, self.profile, self.name = 0.0, {}, None, None
        if _order is None:
            self._load()
        else:
            not_loaded.add(self)
        for feature in features or []:
            self.attach_feature(feature)

    @staticmethod
    def _check_inputs(inputs, outputs):
        known = set(inputs)
        for leaf in _core.leaves(outputs, inputs):
            if leaf not in known and not isinstance(leaf, (Constant, SharedVariableBase)):
                raise MissingInputError("An input of the graph, %s, was not provided and not given a value." % leaf, variable=leaf)

    # --- looking -----------------------------------------------------------------------------------
    def _load(self):
        """Finds the readers of all variables; changes keep them up to date from then on."""
        if self._clients is not None:
            return
        not_loaded.discard(self)
        clients, nodes = _Clients((variable, []) for variable in self.inputs), {}
        for apply in self.toposort():
            nodes[apply] = None
            apply.__dict__["_fgraph"] = self
            for output in apply.outputs:
                output.__dict__["_fgraph"] = self
                clients.setdefault(output, [])
            for index, variable in enumerate(apply.inputs):
                clients.setdefault(variable, []).append((apply, index))
        for index, variable in enumerate(self.outputs):
            clients.setdefault(variable, []).append(("output", index))
        for variable in clients:
            variable.__dict__["_fgraph"] = self
        self._clients, self._nodes = clients, nodes

    @property
    def apply_nodes(self):
        return set(self.toposort())

    @property
    def variables(self):
        self._load()
        return set(self._clients)

    @property
    def clients(self):
        """{variable: [(apply or 'output', index)]}; as Theano's method it can be called with a variable, too"""
        self._load()
        return self._clients

    new_shape_feature = None  # the class, which is defined above

    @property
    def shape_feature(self):
        """What is known of the sizes of its variables."""
        if self.__dict__.get("_shape_feature") is None:
            self._shape_feature = self.new_shape_feature()
        return self._shape_feature

    @shape_feature.setter
    def shape_feature(self, feature):
        self._shape_feature = feature

    def has_node(self, node):
        self._load()
        return node in self._nodes

    def orderings(self):
        """{apply: applies that have to run before it, by what the features say}"""
        joined = collections.OrderedDict()
        for feature in self._features:
            for apply, before in (feature.orderings(self) if hasattr(feature, "orderings") else {}).items():
                joined.setdefault(apply, []).extend(before)
        return joined

    def toposort(self):
        """The applies, producers first."""
        if self._order is None:
            order = _core.toposort(self.outputs, self.inputs)
            before = self.orderings()
            if before:
                order = ordered(order, before)
            self._order = order
        return list(self._order)

    def check_integrity(self):
        """Are the readers that are noted those that there are? Raises where not."""
        self._load()
        noted, self._clients = self._clients, None
        self._load()
        there, self._clients = self._clients, noted
        for variable, readers in there.items():
            if sorted(map(id_of, readers)) != sorted(map(id_of, noted.get(variable, []))):
                raise Exception("Inconsistent clients of %s: %s, noted are %s" % (variable, readers, noted.get(variable, [])))

    # --- changing ----------------------------------------------------------------------------------
    def change_input(self, node, i, new_r, reason=None):
        """Input i of `node`, or output i of the graph where node is 'output', becomes new_r."""
        self._load()
        old = self.outputs[i] if node == "output" else node.inputs[i]
        if old is new_r:
            return
        if old.type != new_r.type:
            raise TypeError("The type of the replacement must be the same as the type of the original Variable.", old, new_r, old.type,
                            new_r.type, str(reason))
        self._import(new_r, reason)
        if node == "output":
            self.outputs[i] = new_r
        else:
            _core.set_input(node, i, new_r)
        self._clients[new_r].append((node, i))
        self._clients[old].remove((node, i))
        self._order = None
        self.execute_callbacks("on_change_input", node, i, old, new_r, reason=reason)
        self._prune(old, reason)

    @staticmethod
    def fitting(r, new_r, reason=None):
        """new_r in the type of r."""
        if r.type == new_r.type:
            return new_r
        converted = r.type.convert_variable(new_r)
        if converted is None or converted.type != r.type:
            raise TypeError("The type of the replacement must be compatible with the type of the original Variable.", r, new_r, r.type,
                            new_r.type, str(reason))
        return converted

    def replace(self, r, new_r, reason=None, verbose=None):
        """Whoever reads r reads new_r from now on."""
        self._load()
        if r not in self._clients:
            return  # it left the graph already
        new_r = self.fitting(r, new_r, reason)
        readers = list(self._clients[r])
        if new_r.owner is not None and _core.needs_any(new_r, [node for node, _ in readers if node != "output"]):
            raise InconsistencyError("%s reads what it would be read by: the graph would contain a cycle (%s)" % (new_r, reason))
        if r.name and not new_r.name and new_r.owner is not None:
            new_r.name = r.name
        for node, i in readers:
            self.change_input(node, i, new_r, reason=reason)

    def replace_all(self, pairs, reason=None):
        for r, new_r in pairs:
            self.replace(r, new_r, reason=reason)

    def import_r(self, variable, reason=None):
        self._load()
        self._import(variable, reason)

    def _new_applies(self, variable):
        """The applies behind a variable that are not in the graph yet, producers first."""
        found, seen, todo = [], set(), [variable]
        while todo:
            one = todo[-1]
            apply = one.owner
            if one in self._clients or apply is None or apply in seen:
                todo.pop()
                if one not in self._clients and apply is None and not isinstance(one, (Constant, SharedVariableBase)):
                    raise MissingInputError("Undeclared input %s: %s needs it, and it is no input of this graph" % (one, variable), variable=one)
                continue
            waits = [needed for needed in apply.inputs if needed not in self._clients and (needed.owner is None or needed.owner not in seen)
                     and not isinstance(needed, (Constant, SharedVariableBase))]
            if waits:
                todo.extend(waits)
                continue
            seen.add(apply)
            found.append(apply)
            todo.pop()
        return found

    def _import(self, variable, reason):
        for apply in self._new_applies(variable):
            self._nodes[apply] = None
            apply.__dict__["_fgraph"] = self
            for output in apply.outputs:
                output.__dict__["_fgraph"] = self
                self._clients.setdefault(output, [])
            for index, needed in enumerate(apply.inputs):
                needed.__dict__["_fgraph"] = self
                self._clients.setdefault(needed, []).append((apply, index))
            self.execute_callbacks("on_import", apply, reason)
        variable.__dict__["_fgraph"] = self
        self._clients.setdefault(variable, [])

    def _prune(self, variable, reason):
        todo = [variable]
        while todo:
            one = todo.pop()
            if self._clients.get(one) or one in self.inputs or one not in self._clients:
                continue
            apply = one.owner
            if apply is None:
                del self._clients[one]
                one.__dict__.pop("_fgraph", None)
                continue
            if any(self._clients.get(output) for output in apply.outputs) or apply not in self._nodes:
                continue
            del self._nodes[apply]
            self.execute_callbacks("on_prune", apply, reason)
            for output in apply.outputs:
                self._clients.pop(output, None)
                output.__dict__.pop("_fgraph", None)
            apply.__dict__.pop("_fgraph", None)
            for index, needed in enumerate(apply.inputs):
                if (apply, index) in self._clients.get(needed, ()):
                    self._clients[needed].remove((apply, index))
                todo.append(needed)

    # --- features ----------------------------------------------------------------------------------
    def attach_feature(self, feature):
        """The feature hears of every change from now on (on_attach, on_import, on_change_input, on_prune)."""
        if any(feature is one for one in self._features):
            return
        if hasattr(feature, "on_attach"):
            try:
                feature.on_attach(self)
            except AlreadyThere:
                return
        self._features.append(feature)

    def remove_feature(self, feature):
        if feature in self._features:
            self._features.remove(feature)
            if hasattr(feature, "on_detach"):
                feature.on_detach(self)

    def execute_callbacks(self, name, *args, **kwargs):
        for feature in list(self._features):
            hook = getattr(feature, name, None)
            if hook is not None:
                hook(self, *args, **kwargs)

    def collect_callbacks(self, name, *args):
        return {feature: getattr(feature, name)(*args) for feature in self._features if hasattr(feature, name)}

    def disown(self):
        """The nodes belong to no graph any more."""
        for variable in self._clients or ():
            variable.__dict__.pop("_fgraph", None)
        for apply in self._nodes or ():
            apply.__dict__.pop("_fgraph", None)
        self._clients = self._nodes = None

    # --- copies ------------------------------------------------------------------------------------
    def clone(self, check_integrity=True):
        return self.clone_get_equiv(check_integrity)[0]

    def clone_get_equiv(self, check_integrity=True, attach_feature=True):
        memo = clone_get_equiv(self.inputs, self.outputs)
        copy = FunctionGraph([memo[variable] for variable in self.inputs], [memo[variable] for variable in self.outputs], clone=False,
                             update_mapping=self.update_mapping)
        for feature in self._features if attach_feature else ():
            copy.attach_feature(feature)
        return copy, memo

    def __getstate__(self):
        return {"inputs": self.inputs, "outputs": self.outputs, "update_mapping": self.update_mapping, "name": self.name}

    def __setstate__(self, state):
        self.__init__(state["inputs"], state["outputs"], clone=False, update_mapping=state["update_mapping"])
        self.name = state["name"]

    def __contains__(self, item):
        return item in self.apply_nodes if isinstance(item, Apply) else item in self.variables

    def __str__(self):
        return "[%s]" % ", ".join(as_string(self.inputs, self.outputs))

    __repr__ = __str__


def id_of(reader):
    return id(reader[0]) if reader[0] != "output" else 0, reader[1]


def ordered(order, before):
    """The order, with each apply behind all of `before` it too."""
    needs = {apply: [variable.owner for variable in apply.inputs if variable.owner is not None] + list(before.get(apply, ()))
             for apply in order}
    done, result, todo = set(), [], list(reversed(order))
    under_way = set()
    while todo:
        apply = todo[-1]
        if apply in done:
            todo.pop()
            continue
        waits = [one for one in needs.get(apply, ()) if one not in done and one in needs]
        if not waits:
            done.add(todo.pop())
            result.append(apply)
            continue
        if apply in under_way:
            raise InconsistencyError("the order that is wanted contains a cycle")
        under_way.add(apply)
        todo.extend(waits)
    return result
