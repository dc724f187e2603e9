"""Patches of images as the rows of a matrix, and back."""
from croton.tensor import basic
from croton.tensor.opclasses import built
from croton.tensor.opt import Assert
from croton.tensor.subtensor import set_subtensor

_MODES = ("valid", "half", "full", "wrap_centered", "ignore_borders")


def _padded(x, rows, columns):
    """With that many zeros on each side."""
    sizes = [x.shape[i] for i in range(4)]
    wide = basic.zeros((sizes[0], sizes[1], sizes[2] + 2 * rows, sizes[3] + 2 * columns), dtype=x.dtype)
    return set_subtensor(wide[:, :, rows:rows + sizes[2], columns:columns + sizes[3]], x)


def _places(size, patch, step, mode, name):
    """Which rows (columns) each patch has: patches × places."""
    if mode == "wrap_centered":
        patch = Assert("images2neibs: in mode wrap_centered need patch with odd shapes")(patch, basic.eq(patch % 2, 1))
        size = Assert("images2neibs: wrap_centered mode: a patch is larger than the image")(size, basic.le(patch, size))
        first = basic.arange(0, size, step).dimshuffle(0, "x")
        return (first + basic.arange(patch) - patch // 2) % size
    if mode != "ignore_borders":
        size = Assert("images2neibs: patches of that size and step do not fill the image's %s: crop it, or use mode='ignore_borders'" % name)(
            size, basic.eq((size - patch) % step, 0))
    return basic.arange(0, size - patch + 1, step).dimshuffle(0, "x") + basic.arange(patch)


def _patches(mode="valid"):
    if mode not in _MODES:
        raise NotImplementedError("Only the mode valid, half, full, ignore_borders and wrap_centered have been implemented for Images2Neibs")

    def build(ten4, neib_shape, neib_step=None):
        ten4, neib_shape = basic.as_tensor_variable(ten4), basic.as_tensor_variable(neib_shape)
        neib_step = neib_shape if neib_step is None else basic.as_tensor_variable(neib_step)
        if ten4.ndim != 4:
            raise TypeError("images2neibs takes images of 4 dimensions, got %s" % ten4.type)
        if neib_shape.ndim != 1 or neib_step.ndim != 1:
            raise TypeError("neib_shape and neib_step are vectors of two sizes")
        rows, columns = neib_shape[0], neib_shape[1]
        if mode == "half":
            ten4 = _padded(ten4, rows // 2, columns // 2)
        elif mode == "full":
            ten4 = _padded(ten4, rows - 1, columns - 1)
        kind = mode if mode in ("wrap_centered", "ignore_borders") else "valid"
        at_rows = _places(ten4.shape[2], rows, neib_step[0], kind, "rows")
        at_columns = _places(ten4.shape[3], columns, neib_step[1], kind, "columns")
        found = ten4[:, :, at_rows.dimshuffle(0, 1, "x", "x"), at_columns.dimshuffle("x", "x", 0, 1)]
        sizes = [ten4.shape[0] * ten4.shape[1] * at_rows.shape[0] * at_columns.shape[0], rows * columns]
        return basic.reshape(found.dimshuffle(0, 1, 2, 4, 3, 5), sizes, ndim=2)
    return build


Images2Neibs = built(__name__, "Images2Neibs", _patches)


def images2neibs(ten4, neib_shape, neib_step=None, mode="valid"):
    """A row for each patch of each channel of each image."""
    return Images2Neibs(mode)(ten4, neib_shape, neib_step)


def neibs2images(neibs, neib_shape, original_shape, mode="valid"):
    """The images whose patches, side by side, these are."""
    neibs, neib_shape, original_shape = (basic.as_tensor_variable(one) for one in (neibs, neib_shape, original_shape))
    if mode not in ("valid", "ignore_borders"):
        raise NotImplementedError("neibs2images do not support mode=%s" % mode)
    sizes, patch = [original_shape[i] for i in range(4)], [neib_shape[0], neib_shape[1]]
    counts = [sizes[2] // patch[0], sizes[3] // patch[1]]
    six = basic.reshape(neibs, [sizes[0], sizes[1], counts[0], counts[1], patch[0], patch[1]], ndim=6)
    inner = [counts[0] * patch[0], counts[1] * patch[1]]
    images = basic.reshape(six.dimshuffle(0, 1, 2, 4, 3, 5), sizes[:2] + inner, ndim=4)
    if mode == "valid":
        return basic.reshape(images, sizes, ndim=4)
    return set_subtensor(basic.zeros(sizes, dtype=neibs.dtype)[:, :, :inner[0], :inner[1]], images)
