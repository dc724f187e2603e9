"""Databases of optimizers: registered by name and tags, asked for by a Query."""
import copy
import sys

from croton.configparser import config
from croton.gof.merge import MergeOptimizer
from croton.gof.opt import (EquilibriumOptimizer, LocalOptGroup, LocalOptimizer, Optimizer, SeqOptimizer, TopoOptimizer)


def checked_tags(tags):
    for tag in tags:
        if not isinstance(tag, str):
            raise TypeError("rewrites are named by strings, one argument each, got %r" % (tag,))
    return list(tags)


class Query:
    """Which rewrites: those with one of the tags in `include`, all in `require`, none in `exclude`."""

    def __init__(self, include, require=None, exclude=None, subquery=None, position_cutoff=None, extra_optimizations=None):
        self.include, self.require, self.exclude = (checked_tags(tags or []) for tags in (include, require, exclude))
        self.subquery = dict(subquery or {})
        self.position_cutoff = config.optdb.position_cutoff if position_cutoff is None else position_cutoff
        self.name = None
        self.extra_optimizations = list(extra_optimizations or [])

    def _with(self, include=(), require=(), exclude=(), extra=()):
        return Query(self.include + list(include), self.require + list(require), self.exclude + list(exclude), self.subquery,
                     self.position_cutoff, self.extra_optimizations + list(extra))

    def including(self, *tags):
        return self._with(include=tags)

    def excluding(self, *tags):
        return self._with(exclude=tags)

    def requiring(self, *tags):
        return self._with(require=tags)

    def register(self, *optimizations):
        """With these (optimizer, position) too."""
        return self._with(extra=optimizations)

    def __str__(self):
        return "Query{inc=%s,ex=%s,require=%s,subquery=%s,position_cutoff=%f,extra_opts=%s}" % (
            self.include, self.exclude, self.require, self.subquery, self.position_cutoff, self.extra_optimizations)


registered_tags = set()  # in any database


class DB:
    """Optimizers and databases by name and tag."""

    def __init__(self):
        self.name = None
        self._by_name, self._tags = {}, {}

    def __hash__(self):
        return id(self)

    def register(self, name, obj, *tags, **kwargs):
        """Adds an optimizer or a database under a name, found by it and by the tags."""
        if not isinstance(obj, (DB, Optimizer, LocalOptimizer)):
            raise TypeError("Object cannot be registered in OptDB: it has to be an Optimizer, a LocalOptimizer or a DB", obj)
        if name in self._by_name or any(name in known for known in self._tags.values()):
            raise ValueError("The name of the object cannot be an existing tag or the name of another existing object.", obj, name)
        if kwargs.pop("use_db_name_as_tag", True) and self.name is not None:
            tags += (self.name,)
        if kwargs:
            raise TypeError("register() got an unexpected keyword argument %r" % next(iter(kwargs)))
        obj.name = name
        self._by_name[name] = obj
        self._tags[name] = set(checked_tags(tags)) | {name, obj.__class__.__name__}
        registered_tags.update(self._tags[name])

    def add_tags(self, name, *tags):
        self._known(name)
        self._tags[name] |= set(checked_tags(tags))

    def remove_tags(self, name, *tags):
        self._known(name)
        self._tags[name] -= set(tags)

    def _known(self, name):
        if name not in self._by_name:
            raise KeyError("Nothing registered for '%s'" % name)
        return self._by_name[name]

    def __getitem__(self, name):
        found = [one for key, one in self._by_name.items() if name in self._tags[key]]
        if name in self._by_name:
            return self._by_name[name]
        if not found:
            raise KeyError("Nothing registered for '%s'" % name)
        if len(found) > 1:
            raise KeyError("More than one match for %s (please use query)" % name)
        return found[0]

    def __contains__(self, name):
        return name in self._by_name or any(name in tags for tags in self._tags.values())

    def _chosen(self, query):
        """{name: optimizer}; databases give what they give for the query."""
        chosen = {}
        for name, obj in self._by_name.items():
            tags = self._tags[name]
            nested = isinstance(obj, DB)
            wanted = any(tag in tags for tag in query.include) or nested
            if not wanted or any(tag not in tags and not nested for tag in query.require) or any(tag in tags for tag in query.exclude):
                continue
            if nested:
                inner = query.subquery.get(name, query)
                obj = obj.query(inner)
                if _is_empty(obj):
                    continue
                obj.name = name
            chosen[name] = obj
        return chosen

    def query(self, *tags, **kwtags):
        """The optimizer of what a Query finds; '+tag' includes, '-tag' excludes, '&tag' requires."""
        if tags and isinstance(tags[0], Query):
            if len(tags) > 1 or kwtags:
                raise TypeError("If the first argument to query is a Query, there should be no other arguments.", tags, kwtags)
            return self._query(tags[0])
        lists = {"+": [], "-": [], "&": []}
        for tag in tags:
            if tag[:1] not in lists:
                raise ValueError("All string arguments to query must begin with '+', '-' or '&': %s" % tag)
            lists[tag[0]].append(tag[1:])
        return self._query(Query(lists["+"], require=lists["&"], exclude=lists["-"], subquery=kwtags))

    def _query(self, query):
        raise NotImplementedError()

    def print_summary(self, stream=sys.stdout):
        print("%s (id %i)" % (type(self).__name__, id(self)), file=stream)
        print("  names: ", list(self._by_name), file=stream)
        print("  db: ", {name: sorted(tags) for name, tags in self._tags.items()}, file=stream)


def _is_empty(opt):
    if isinstance(opt, SeqOptimizer):
        return not list(opt)
    if isinstance(opt, EquilibriumOptimizer):
        return not (opt.optimizers or opt.final_optimizers or opt.cleanup_optimizers)
    return isinstance(opt, TopoOptimizer) and isinstance(opt.local_opt, LocalOptGroup) and not opt.local_opt.opts


class EquilibriumDB(DB):
    """Its query gives an EquilibriumOptimizer."""

    def __init__(self, ignore_newtrees=True, tracks_on_change_inputs=False):
        super().__init__()
        self.ignore_newtrees, self.tracks_on_change_inputs = ignore_newtrees, tracks_on_change_inputs
        self._final, self._cleanup = set(), set()

    def register(self, name, obj, *tags, **kwargs):
        final, cleanup = kwargs.pop("final_opt", False), kwargs.pop("cleanup", False)
        if final and cleanup:
            raise ValueError("an optimizer is final_opt or cleanup, not both")
        super().register(name, obj, *tags, **kwargs)
        if final:
            self._final.add(name)
        if cleanup:
            self._cleanup.add(name)

    def _query(self, query):
        chosen = self._chosen(query)
        return EquilibriumOptimizer([one for name, one in chosen.items() if name not in self._final | self._cleanup],
                                    max_use_ratio=config.optdb.max_use_ratio, ignore_newtrees=self.ignore_newtrees,
                                    tracks_on_change_inputs=self.tracks_on_change_inputs,
                                    failure_callback=EquilibriumOptimizer.warn_inplace,
                                    final_optimizers=[one for name, one in chosen.items() if name in self._final],
                                    cleanup_optimizers=[one for name, one in chosen.items() if name in self._cleanup])


class SequenceDB(DB):
    """Its query gives a SeqOptimizer in the order of the positions."""
    seq_opt = SeqOptimizer

    def __init__(self, failure_callback=SeqOptimizer.warn):
        super().__init__()
        self._positions, self.failure_callback = {}, failure_callback

    def register(self, name, obj, position, *tags, **kwargs):
        if position == "last":
            position = max(self._positions.values(), default=0)
        if not isinstance(position, (int, float)):
            raise TypeError("the position of %s is a number or 'last', got %r" % (name, position))
        self._positions[name] = position
        try:
            super().register(name, obj, *tags, **kwargs)
        except Exception:
            if name not in self._by_name:
                del self._positions[name]
            raise

    def query(self, *tags, **kwtags):
        position_cutoff = kwtags.pop("position_cutoff", None)
        if position_cutoff is not None and tags and isinstance(tags[0], Query):
            changed = copy.copy(tags[0])
            changed.position_cutoff = position_cutoff
            tags = (changed,) + tags[1:]
        return super().query(*tags, **kwtags)

    def _query(self, query):
        chosen = [(self._positions[name], name, one) for name, one in self._chosen(query).items()
                  if self._positions[name] < query.position_cutoff]
        chosen += [(position, getattr(one, "name", None) or "", one) for one, position in query.extra_optimizations
                   if position < query.position_cutoff]
        chosen.sort(key=lambda one: one[:2])
        return self.seq_opt([one for _, _, one in chosen], failure_callback=self.failure_callback)


class LocalGroupDB(DB):
    """Its query gives a LocalOptGroup."""

    def __init__(self, apply_all_opts=False, profile=False, local_opt=LocalOptGroup):
        super().__init__()
        self._positions, self.apply_all_opts, self.local_opt, self.failure_callback = {}, apply_all_opts, local_opt, None

    def register(self, name, obj, *tags, **kwargs):
        position = kwargs.pop("position", "last")
        if position == "last":
            position = max(self._positions.values(), default=0)
        self._positions[name] = position
        super().register(name, obj, *tags, **kwargs)

    def _query(self, query):
        chosen = sorted(self._chosen(query).items(), key=lambda one: (self._positions[one[0]], one[0]))
        return self.local_opt(*[one for _, one in chosen], apply_all_opts=self.apply_all_opts)


class TopoDB(DB):
    """Its query gives a TopoOptimizer of what a database of local optimizers gives."""

    def __init__(self, db, order="in_to_out", ignore_newtrees=False, failure_callback=None):
        super().__init__()
        self.db, self.order, self.ignore_newtrees, self.failure_callback = db, order, ignore_newtrees, failure_callback

    def _query(self, query):
        return TopoOptimizer(self.db.query(query), self.order, self.ignore_newtrees, self.failure_callback)


class ProxyDB(DB):
    """Another database, found under another name."""

    def __init__(self, db):
        if not isinstance(db, DB):
            raise TypeError("ProxyDB takes a DB, got %r" % (db,))
        super().__init__()
        self.db = db

    def _query(self, query):
        return self.db.query(query)


__all__ = ["DB", "EquilibriumDB", "LocalGroupDB", "MergeOptimizer", "ProxyDB", "Query", "SequenceDB", "TopoDB"]
