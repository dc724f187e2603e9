"""Looks for cliffs: a row's time an element over sizes and layouts of its inputs, Croton alone."""
from natural import sides, timing

JUMP = 1.5
GROWS_FASTER = ("dot(", "cholesky", "inv(", "det(", "solve", "eigh", "svd", "sort", "conv2d", "[:, None", "outer(", "eye(", "k[")
LAYOUTS = ("step2", "back", "F", "T")


def least(action, times=9):
    count = timing.count_of(action, 5e-4)
    return min(timing.spent(action, count) for _ in range(times))


class Point:
    """A row at some sizes, or with an input that lies otherwise."""

    def __init__(self, made, row, note):
        arrays = row.arrays()
        action = lambda: made.function(*[arrays[one.name] for one in row.inputs])
        results = action()
        self.note, self.seconds = note, least(action)
        self.bytes = sum(array.nbytes for array in arrays.values()) + sum(value.nbytes for value in results)
        self.elements = max(1, max(array.size for array in arrays.values()))

    def each(self):
        return 1e9 * self.seconds / self.elements


def is_proportional(row):
    """True if the time should grow as the number of elements does."""
    return isinstance(row.ours, str) and not any(word in row.ours for word in GROWS_FASTER)


def by_size(made, row, elements=4e6):
    """Points with sizes halved and doubled, and beside each of these with odd ones; every point and its neighbour of about its size."""
    largest = row.sizes()[-1] if row.sizes() else 0
    if largest < 64:
        return []
    points = []
    for shift in range(-5, 2) if is_proportional(row) else (0,):
        size = int(largest * 2.0 ** shift)
        for change in (0, -1, 1, 7):
            there = row.resized({largest: size + change})
            if size + change >= 8 and max(one.count() for one in there.inputs) <= elements:
                points.append((size, Point(made, there, "%d for %d" % (size + change, largest))))
    return points


def jumps_of_sizes(points, machine):
    """A jump beside the even size of its group, and of the even sizes from one to the next."""
    even = [point for place, (size, point) in enumerate(points) if place == 0 or points[place - 1][0] != size]
    pairs = list(zip(even, even[1:])) + [(first, point) for first in even for size, point in points
                                         if point is not first and size == next(s for s, p in points if p is first)]
    for before, after in pairs:
        memory = machine.copying(after.bytes) / after.bytes / (machine.copying(before.bytes) / before.bytes)
        ratio = after.each() / before.each()
        if ratio > JUMP * max(1.0, memory):
            yield "%.2f -> %.2f ns an element (%.1f x) from %s to %s" % (before.each(), after.each(), ratio, before.note, after.note)


def jumps_of_layouts(made, row, machine):
    plain = Point(made, row, "as it is")
    for place, one in enumerate(row.inputs):
        if one.count() < 1000 or one.dtype == "bool" or any(word in one.words for word in LAYOUTS):
            continue
        for layout in LAYOUTS:
            if len(one.shape) < 2 and layout in ("T", "F"):
                continue
            other = Point(made, row.with_layout(place, layout), layout)
            allowed = plain.seconds + machine.copying(2 * one.count() * 8)
            if other.seconds > JUMP * allowed:
                yield "%.1f us -> %.1f us with %s %s: dearer than to copy it first" % (1e6 * plain.seconds, 1e6 * other.seconds, one.name, layout)


def run(rows, options):
    machine, found = timing.Machine(), 0
    for row in rows:
        if row.state:
            continue
        try:
            made = sides.Croton(row)
            said = list(jumps_of_sizes(by_size(made, row), machine)) + list(jumps_of_layouts(made, row, machine))
        except Exception as error:
            said = ["%s: %s" % (type(error).__name__, str(error).split("\n")[0][:200])]
        found += len(said)
        for text in said:
            print("%s: %s: %s" % (row.theme, row.name, text), flush=True)
    print("%d rows, %d jumps of over %.1f that memory does not explain" % (len(rows), found, JUMP))
    return 0
