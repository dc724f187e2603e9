"""Parts of sparse matrices: numbers, vectors of elements, rows and columns."""
from croton.sparse import basic
from croton.sparse.basic import (_from_triplets, _rows_columns, _size, as_sparse_variable, csm_data, csm_indices, csm_indptr)
from croton.sparse.type import _sparse_py_operators
from croton.tensor import basic as tensor
from croton.tensor import extra_ops
from croton.tensor.subtensor import inc_subtensor, set_subtensor


def _chosen(size, index):
    """Which rows (columns) an index takes."""
    if isinstance(index, slice):
        return tensor.arange(size)[index]
    index = tensor.as_tensor_variable(index)
    return tensor.arange(size)[index if index.ndim else tensor.stack([index])]  # negative ones, and those that are not there


def getitem(x, index):
    """x[i, j] is a number, x[[i, k], [j, l]] a vector of the numbers there, x[a:b, c:d] and x[[i, j]] are sparse."""
    x = as_sparse_variable(x)
    index = index if isinstance(index, tuple) else (index, slice(None))
    if len(index) != 2:
        raise ValueError("a sparse matrix has 2 axes, the index has %d" % len(index))
    numbers = [not isinstance(one, slice) and tensor.as_tensor_variable(one).ndim == 0 for one in index]
    if any(numbers) and not all(numbers):
        raise NotImplementedError("Theano has no sparse vector: use X[a:b, c:d], X[a:b, c:c+1] or X[a:b] instead.")
    lists = [not isinstance(one, slice) and not number for one, number in zip(index, numbers)]
    if all(lists):
        return _elements(x, *[_chosen(_size(x, axis), index[axis]) for axis in (0, 1)])
    if any(lists):  # what may name a row or a column twice
        axis = lists.index(True)
        rest = [slice(None), index[1]] if axis == 0 else [index[0], slice(None)]
        return _taken(x if index[1 - axis] == slice(None) else getitem(x, tuple(rest)), axis, _chosen(_size(x, axis), index[axis]))
    data, places = csm_data(x), _rows_columns(x)
    new, kept, sizes = [], [], []
    for axis in (0, 1):
        size = _size(x, axis)
        wanted = _chosen(size, index[axis])
        position = set_subtensor(tensor.fill(tensor.arange(size), -1)[wanted], tensor.arange(wanted.shape[0]))
        new.append(position[places[axis]])
        kept.append(tensor.ge(new[-1], 0))
        sizes.append(wanted.shape[0])
    at = (kept[0] & kept[1]).nonzero()[0]
    if all(numbers):
        return tensor.sum(data[at], dtype=x.dtype)
    return _from_triplets(x.format, data[at], new[0][at], new[1][at], sizes)


def _elements(x, rows, columns):
    """x[rows[k], columns[k]] for every k."""
    across = _size(x, 1)
    of_rows, of_columns = _rows_columns(x)
    keys, order = extra_ops.unique(of_rows * across + of_columns, return_inverse=True)
    sums = inc_subtensor(tensor.zeros((keys.shape[0] + 1,), x.dtype)[order], csm_data(x))  # the last one is of no key
    wanted = rows * across + columns
    place = extra_ops.searchsorted(keys, wanted)
    found = tensor.eq(tensor.concatenate([keys, tensor.constant([-1], dtype=keys.dtype)])[place], wanted)
    return tensor.switch(found, sums[place], tensor.zeros_like(sums[place]))


def _taken(x, axis, wanted):
    """Rows (or columns) of x in that order, each as often as it is named."""
    sizes = [_size(x, 0), _size(x, 1)]
    format = ("csr", "csc")[axis]  # in which they lie one behind the other
    lying = x if x.format == format else _from_triplets(format, csm_data(x), *_rows_columns(x), sizes)
    bounds = tensor.cast(csm_indptr(lying), "int64")
    counts = bounds[wanted + 1] - bounds[wanted]
    before = extra_ops.cumsum(counts) - counts
    at = extra_ops.repeat(bounds[wanted] - before, counts) + tensor.arange(tensor.sum(counts))
    along = extra_ops.repeat(tensor.arange(wanted.shape[0]), counts)
    across = tensor.cast(csm_indices(lying)[at], "int64")
    sizes[axis] = wanted.shape[0]
    return _from_triplets(x.format, csm_data(lying)[at], *((along, across) if axis == 0 else (across, along)), sizes)


def construct_sparse_from_list(x, values, ilist):
    """A matrix of the shape of x with `values` as its rows `ilist`."""
    x, values, ilist = tensor.as_tensor_variable(x), tensor.as_tensor_variable(values), tensor.as_tensor_variable(ilist)
    rows = extra_ops.repeat(ilist, values.shape[1])
    columns = tensor.tile(tensor.arange(values.shape[1]), (ilist.shape[0],))
    return _from_triplets("csc", tensor.flatten(values), rows, columns, (x.shape[0], x.shape[1]))


_sparse_py_operators.functions["getitem"] = getitem
basic.getitem, basic.construct_sparse_from_list = getitem, construct_sparse_from_list  # where Theano has them
