"""Containers: where a function keeps the value of an input."""


DUPLICATE = ["DUPLICATE"]  # what a name finds that several inputs have


class Container:
    """A type and the one place for a value of it; `storage` is a list of one that functions may share."""

    def __init__(self, r, storage, readonly=False, strict=False, allow_downcast=None, name=None):
        if not isinstance(storage, list) or not storage:
            raise TypeError("storage must be a list of length at least one")
        self.type = getattr(r, "type", r)
        self.name = getattr(r, "name", None) if name is None else name
        self.storage, self.readonly, self.strict, self.allow_downcast = storage, readonly, strict, allow_downcast

    @property
    def value(self):
        return self.storage[0]

    @value.setter
    def value(self, value):
        if self.readonly:
            raise Exception("Cannot set readonly storage: %s" % self.name)
        try:
            self.storage[0] = None if value is None else self.type.filter(value, strict=self.strict, allow_downcast=self.allow_downcast)
        except Exception as error:
            error.args += ('Container name "%s"' % self.name,)
            raise

    data = value

    def __str__(self):
        return "<%s>" % self.value

    def __repr__(self):
        return "<%r>" % (self.value,)


class SharedStorage(list):
    """The storage of a shared variable: item 0 is its value, in the memory that functions work on."""

    def __init__(self, variable):
        super().__init__([None])
        self._variable = variable

    def __getitem__(self, index):
        return [self._variable.get_value(borrow=True)][index]

    def __setitem__(self, index, value):
        self._variable.set_value(value, borrow=True)

    def __iter__(self):
        return iter([self[0]])

    def __eq__(self, other):
        return isinstance(other, SharedStorage) and other._variable is self._variable

    __hash__ = None

    def __repr__(self):
        return repr([self[0]])

    def __reduce__(self):
        return SharedStorage, (self._variable,)


class SharedContainer(Container):
    """The container of a shared variable."""

    def __init__(self, variable):
        super().__init__(variable, SharedStorage(variable), **variable.__dict__.get("_filter", {}))

    @property
    def variable(self):
        return self.storage._variable

    def __reduce__(self):
        return SharedContainer, (self.variable,)
