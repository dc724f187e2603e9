#include "engine/ops/reductions/sort.h"

#include "engine/gradient/gradient.h"
#include "engine/graph/op/op_document.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index_canonical.h"
#include "engine/ops/reductions/line_order.h"
#include "engine/ops/shapes/creation.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/shape.h"
#include "engine/rt/rt.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <numeric>

namespace engine {
namespace {

constexpr double kSortCost = 20; // of an element, in cheap ones

/// Sorts lines of one length, with memory that all of them share. Equal elements of places stay in their order.
template <class T>
class LineSorter {
public:
    explicit LineSorter(std::int64_t length) : m_length(length), m_digits(radix::pays<T>(length)) {}

    /// How many lines are best given at once.
    std::int64_t linesOfValues() const { return linesAtOnce(sizeof(Key)); }
    std::int64_t linesOfPlaces() const { return linesAtOnce(kIsNumber ? sizeof(Item) : sizeof(std::uint64_t)); }

    /// `lines` of them, one behind the other.
    void values(const T *line, std::int64_t lines, T *out)
    {
        const auto count = static_cast<std::size_t>(m_length * lines);
        if (!m_keys) m_keys = std::make_unique_for_overwrite<Key[]>(2 * static_cast<std::size_t>(m_length * linesOfValues()) + 16);
        bool hasNegativeZero = false, hasNan = false;
        radix::inParts(count, [&](std::size_t first, std::size_t end) {
            for (std::size_t i = first; i < end; ++i) {
                m_keys[i] = radix::keyOf(line[i]);
                hasNegativeZero |= m_keys[i] == kNegativeZero;
                hasNan |= m_keys[i] == kNan;
            }
        });
        const Key *sorted = inOrder(m_keys.get(), lines, [](Key key) { return key; });
        radix::inParts(count, [&](std::size_t first, std::size_t end) {
            for (std::size_t i = first; i < end; ++i) out[i] = radix::valueOf<T>(sorted[i]);
        });
        if constexpr (std::is_floating_point_v<T>)
            for (std::int64_t l = 0; l < lines && (hasNegativeZero || hasNan); ++l) {
                const std::int64_t at = l * m_length;
                if (hasNegativeZero) putBack(line + at, out + at, sorted + at, kNegativeZero, [](T value) { return value == T(0); });
                if (hasNan) putBack(line + at, out + at, sorted + at, kNan, [](T value) { return value != value; });
            }
    }

    void places(const T *line, std::int64_t lines, std::int64_t *out)
    {
        if (m_length >> 32) { // more places than an item has bits for
            std::iota(out, out + m_length, 0);
            std::stable_sort(out, out + m_length, [&](std::int64_t a, std::int64_t b) { return before(line[a], line[b]); });
            return;
        }
        if constexpr (!kIsNumber)
            if (packs()) return packedPlaces(line, lines, out);
        const auto count = static_cast<std::size_t>(m_length);
        if (!m_items) m_items = std::make_unique_for_overwrite<Item[]>(2 * count * static_cast<std::size_t>(linesOfPlaces()) + 16);
        for (std::int64_t l = 0; l < lines; ++l)
            radix::inParts(count,
                           [&, from = line + l * m_length, items = m_items.get() + l * m_length](std::size_t first, std::size_t end) {
                               for (std::size_t i = first; i < end; ++i)
                                   items[i] = itemOf(radix::orderedKeyOf(from[i]), static_cast<std::uint32_t>(i));
                           });
        const Item *sorted = inOrder(m_items.get(), lines, [](const Item &item) { return keyOf(item); });
        radix::inParts(count * static_cast<std::size_t>(lines), [&](std::size_t first, std::size_t end) {
            for (std::size_t i = first; i < end; ++i) out[i] = placeOf(sorted[i]);
        });
    }

private:
    using Key = radix::Key<T>;
    static constexpr Key kNegativeZero = static_cast<Key>(~radix::kTopBit<T>), kNan = static_cast<Key>(~Key(0)); ///< of floats
    /// In the order of keys, of equal ones in that of places.
    struct Wide {
        Key key;
        std::uint32_t place;
        bool operator<(const Wide &other) const { return key != other.key ? key < other.key : place < other.place; }
    };
    /// A number, where it is one that can be compared at once.
    static constexpr bool kIsNumber = sizeof(Key) <= 4;
    using Item = std::conditional_t<kIsNumber, std::uint64_t, Wide>;
    static Item itemOf(Key key, std::uint32_t place)
    {
        if constexpr (kIsNumber) return std::uint64_t(key) << 32 | place;
        else return {key, place};
    }
    static Key keyOf(const Item &item)
    {
        if constexpr (kIsNumber) return static_cast<Key>(item >> 32);
        else return item.key;
    }
    static std::uint32_t placeOf(const Item &item)
    {
        if constexpr (kIsNumber) return static_cast<std::uint32_t>(item);
        else return item.place;
    }

    /// Elements of one sort that are equal, but not in their bits, stay in their order: they stand together from `key` on.
    template <class IsOne>
    void putBack(const T *line, T *out, const Key *sorted, Key key, IsOne isOne) const
    {
        const auto count = static_cast<std::size_t>(m_length);
        T *next = out + (std::lower_bound(sorted, sorted + count, key) - sorted);
        radix::inParts(count, [&](std::size_t first, std::size_t end) {
            for (std::size_t i = first; i < end; ++i)
                if (isOne(line[i])) *next++ = line[i];
        });
    }

    static constexpr std::int64_t kShortKeys = 4096, kLeastLines = 16, kMostPacked = 4096;
    /// Up to which length many lines at once are sorted faster than one after the other (measured): by the bytes of a key.
    static std::int64_t mostShort(std::size_t bytes)
    {
        if (bytes == 4) return rt_table()->sort32 ? 24 : RT_SHORT_SORT;
        if (bytes == 8) return rt_table()->sort64 ? 12 : RT_SHORT_SORT;
        return 0;
    }
    std::int64_t linesAtOnce(std::size_t bytes) const
    {
        return m_length <= mostShort(bytes) ? std::max(kShortKeys / m_length, kLeastLines) : 1;
    }
    /// Is a number with as much of the key as there is room for beside the place sorted faster than both of them?
    bool packs() const { return m_length <= (rt_table()->sort64 ? kMostPacked : RT_SHORT_SORT); }

    /// Numbers of the highest bits in which keys of a line differ and the place; then those that are alike in these are put in order.
    void packedPlaces(const T *line, std::int64_t lines, std::int64_t *out)
    {
        const auto room = static_cast<std::size_t>(m_length * linesOfPlaces());
        if (!m_packed) m_packed = std::make_unique_for_overwrite<std::uint64_t[]>(2 * room + 16);
        m_dropped.resize(static_cast<std::size_t>(lines));
        const int placeBits = std::bit_width(static_cast<std::uint64_t>(m_length - 1));
        const std::uint64_t placeMask = (std::uint64_t(1) << placeBits) - 1;
        for (std::int64_t l = 0; l < lines; ++l) {
            const T *from = line + l * m_length;
            std::uint64_t *packed = m_packed.get() + l * m_length, least = ~std::uint64_t(0), most = 0;
            for (std::int64_t i = 0; i < m_length; ++i) {
                packed[i] = radix::orderedKeyOf(from[i]);
                least = std::min(least, packed[i]);
                most = std::max(most, packed[i]);
            }
            const int dropped = std::max(0, static_cast<int>(std::bit_width(most - least)) + placeBits - 64);
            m_dropped[static_cast<std::size_t>(l)] = dropped > 0;
            for (std::int64_t i = 0; i < m_length; ++i)
                packed[i] = (packed[i] - least) >> dropped << placeBits | static_cast<std::uint64_t>(i);
        }
        const std::uint64_t *sorted = inOrder(m_packed.get(), lines, [](std::uint64_t item) { return item; });
        for (std::int64_t l = 0; l < lines; ++l, sorted += m_length, out += m_length) {
            for (std::int64_t i = 0; i < m_length; ++i) out[i] = static_cast<std::int64_t>(sorted[i] & placeMask);
            if (m_dropped[static_cast<std::size_t>(l)]) orderAlike(line + l * m_length, sorted, placeBits, out);
        }
    }

    /// Puts places in order that have one number above their place bits; they come in order of place.
    void orderAlike(const T *line, const std::uint64_t *sorted, int placeBits, std::int64_t *out) const
    {
        for (std::int64_t i = 1, first = 0; i <= m_length; ++i) {
            if (i < m_length && sorted[i] >> placeBits == sorted[first] >> placeBits) continue;
            if (i - first > 1) std::stable_sort(out + first, out + i, [&](auto a, auto b) { return before(line[a], line[b]); });
            first = i;
        }
    }

    /// `items` of the lines, behind which there is room for as many, sorted: in one of the two places.
    template <class One, class KeyOf>
    const One *inOrder(One *items, std::int64_t lines, KeyOf key) const
    {
        const auto count = static_cast<std::size_t>(m_length);
        if constexpr (std::is_unsigned_v<One>) {
            if (m_length <= mostShort(sizeof(One))) {
                (sizeof(One) == 4 ? rt_table()->sortRows32 : rt_table()->sortRows64)(items, lines, m_length);
                return items;
            }
            const auto vectors = sizeof(One) == 4 ? rt_table()->sort32 : sizeof(One) == 8 ? rt_table()->sort64 : nullptr;
            const bool isSorted = vectors && vectors(items, items + count, m_length, isInterruptWanted);
            checkInterrupt();
            if (isSorted) return items;
        }
        if (m_digits) return radix::sort<Key>(items, items + count, count, key);
        std::sort(items, items + count);
        return items;
    }

    std::int64_t m_length;
    bool m_digits;
    std::unique_ptr<Key[]> m_keys; // not filled with zeros, which takes as long as a pass
    std::unique_ptr<Item[]> m_items;
    std::unique_ptr<std::uint64_t[]> m_packed;
    std::vector<char> m_dropped; ///< of each line: do packed numbers lack some bits of its keys?
};

} // namespace

std::vector<Type> SortOp::outputTypes(std::span<const Operand> inputs) const
{
    const char *symbol = m_arg ? "argsort" : "sort";
    const Type type = inputs[0].type, axis = inputs[1].type;
    wantOrdered(symbol, type);
    if (type.rank() == 0) throw ShapeMismatch(std::string("[") + symbol + "] a scalar cannot be sorted");
    if (!axis.isTensor() || axis.rank() != 0 || !isInteger(axis.dtype()))
        throw TypeMismatch(std::string("[") + symbol + "] the axis must be an integer scalar, got " + axis.text());
    return {m_arg ? type.withDType(DType::Int64) : type};
}

std::optional<std::vector<IndexItem>> SortOp::sources(const Apply &node) const
{
    const VarRef &x = node.input(0), &axis = node.input(1);
    if (axis->kind() != Variable::Kind::Constant) return std::nullopt;
    const int rank = x->type().rank();
    const std::int64_t value = axis->value().tensor().intAt(0);
    const int sorted = static_cast<int>(value < 0 ? value + rank : value);
    const VarRef places = engine::apply(makeOp<SortOp>(true, m_kind), {x, axis});
    std::vector<IndexItem> items;
    for (int i = 0; i < rank; ++i) {
        if (i == sorted) {
            items.push_back(IndexItem::array(places));
            continue;
        }
        std::vector<int> order(static_cast<std::size_t>(rank), DimShuffle::kNewAxis);
        order[i] = 0;
        items.push_back(IndexItem::array(dimshuffle(arange(shapeOf(x, i)), order)));
    }
    return items;
}

std::vector<VarRef> SortOp::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef &x = node.input(0);
    const VarRef noAxis = undefinedGradient("an axis is an integer");
    if (m_arg || isDiscrete(x->type().dtype())) return {zerosLike(x, isDiscrete(x->type().dtype()) ? floatX() : x->type().dtype()), noAxis};
    const auto items = sources(node);
    if (!items) return {undefinedGradient("the axis is not constant"), noAxis};
    // Each arriving gradient goes back to the place that its element came from.
    return {incSubtensor(subtensor(zerosLike(x), *items), outputGrads[0]), noAxis};
}

std::vector<VarRef> SortOp::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    if (m_arg || !evalPoints[0]) return {VarRef()};
    const auto items = sources(node);
    return {items ? subtensor(evalPoints[0], *items) : VarRef()};
}

std::vector<std::vector<bool>> SortOp::connectionPattern(const Apply &) const { return {{true}, {true}}; }

Cost SortOp::cost(std::span<const Dims> inputs, std::span<const Dims>) const
{
    const auto count = static_cast<double>(inputs[0].product());
    return {count * std::log2(count + 2)};
}

void SortOp::perform(PerformArgs &args) const
{
    const View &x = args.inputs[0];
    const std::int64_t value = scalarInt(args.inputs[1]);
    const std::int64_t axis = value < 0 ? value + x.rank : value;
    if (axis < 0 || axis >= x.rank)
        throw ShapeMismatch("[sort] axis " + std::to_string(value) + " is out of range for shape " + shapeOfView(x).text());
    const View &out = output(args, 0, shapeOfView(x));
    const Lines from(x, static_cast<int>(axis)), to(out, static_cast<int>(axis));
    const std::int64_t length = x.shape[axis];
    if (x.size() == 0) return;
    withOrdered(x.dtype, [&]<class T>(DType work) {
        const Dense<T> values(from.view(x), work);
        const std::int64_t lines = x.size() / length;
        LineSorter<T> sorter(length);
        Pace pace(kSortCost);
        const auto sortAll = [&](auto &result, std::int64_t atOnce, auto sortLines) {
            for (std::int64_t l = 0, some = 0; l < lines; l += some) {
                some = std::min(atOnce, lines - l);
                pace.did(some * length);
                sortLines(values.data() + l * length, some, result.data() + l * length);
            }
            result.finish();
        };
        if (m_arg) {
            DenseOutput<std::int64_t> result(to.view(out), DType::Int64);
            sortAll(result, sorter.linesOfPlaces(),
                    [&](const T *line, std::int64_t some, std::int64_t *places) { sorter.places(line, some, places); });
            return;
        }
        DenseOutput<T> result(to.view(out), work);
        sortAll(result, sorter.linesOfValues(), [&](const T *line, std::int64_t some, T *sorted) { sorter.values(line, some, sorted); });
    });
}

std::vector<Type> SearchsortedOp::outputTypes(std::span<const Operand> inputs) const
{
    wantOrdered("searchsorted", inputs[0].type);
    wantOrdered("searchsorted", inputs[1].type);
    if (inputs[0].type.rank() != 1) throw ShapeMismatch("[searchsorted] the sorted array must be a vector, got " + inputs[0].type.text());
    return {inputs[1].type.withDType(DType::Int64)};
}

std::vector<VarRef> SearchsortedOp::gradient(const Apply &node, std::span<const VarRef>) const
{
    std::vector<VarRef> terms;
    for (const VarRef &input : node.inputs())
        terms.push_back(zerosLike(input, isDiscrete(input->type().dtype()) ? floatX() : input->type().dtype()));
    return terms;
}

namespace {

/// Of how many elements, all of them in front, `holds` is true. Without branches: the processor searches for several values at once.
template <class T, class Holds>
std::int64_t countWhere(const T *sorted, std::int64_t count, Holds holds)
{
    const T *base = sorted;
    while (count > 1) {
        const std::int64_t half = count / 2;
        base += half & -static_cast<std::int64_t>(holds(base[half - 1]));
        count -= half;
    }
    return base - sorted + (count == 1 && holds(*base));
}

} // namespace

void SearchsortedOp::perform(PerformArgs &args) const
{
    const View &x = args.inputs[0], &v = args.inputs[1];
    const View &out = output(args, 0, shapeOfView(v));
    DenseOutput<std::int64_t> result(out, DType::Int64);
    withOrdered(promote(x.dtype, v.dtype), [&]<class T>(DType work) {
        const Dense<T> sorted(x, work), values(v, work);
        const T *begin = sorted.data();
        Pace pace(kSortCost);
        for (std::int64_t i = 0; i < v.size(); ++i) {
            pace.did(1);
            const T value = values[i];
            result[i] = m_right ? countWhere(begin, x.size(), [value](T element) { return !before(value, element); })
                                : countWhere(begin, x.size(), [value](T element) { return before(element, value); });
        }
    });
    result.finish();
}

std::vector<Type> Unique::outputTypes(std::span<const Operand> inputs) const
{
    wantOrdered("unique", inputs[0].type);
    const Type places = Type::ofRank(DType::Int64, 1);
    return {Type::ofRank(inputs[0].type.dtype(), 1), places, places, places};
}

std::vector<VarRef> Unique::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef &x = node.input(0);
    if (isDiscrete(x->type().dtype())) return {zerosLike(x, floatX())};
    if (isDisconnected(outputGrads[0])) return {zerosLike(x)};
    const VarRef flat = zerosLike(flatten(x));
    const VarRef where[] = {VarRef(node.output(1))};
    const IndexItem items[] = {IndexItem::array(where[0])};
    return {reshape(incSubtensor(subtensor(flat, items), outputGrads[0]), shape(x), x->type().rank())};
}

void Unique::perform(PerformArgs &args) const
{
    const View &x = args.inputs[0];
    const std::int64_t count = x.size();
    std::vector<std::int64_t> order(static_cast<std::size_t>(count)), first, counts, group(static_cast<std::size_t>(count));
    withOrdered(x.dtype, [&]<class T>(DType work) {
        const Dense<T> values(x, work);
        if (count > 0) LineSorter<T>(count).places(values.data(), 1, order.data());
        Pace pace;
        for (std::int64_t place : order) {
            pace.did(1);
            if (first.empty() || before(values[first.back()], values[place])) {
                first.push_back(place);
                counts.push_back(0);
            }
            ++counts.back();
            group[place] = static_cast<std::int64_t>(first.size()) - 1;
        }
        const Dims size{static_cast<std::int64_t>(first.size())};
        DenseOutput<T> distinct(output(args, 0, size), work);
        for (std::size_t i = 0; i < first.size(); ++i) distinct[static_cast<std::int64_t>(i)] = values[first[i]];
        distinct.finish();
        const std::vector<std::int64_t> *lists[] = {&first, &group, &counts};
        for (int o = 0; o < 3; ++o) {
            const auto length = static_cast<std::int64_t>(lists[o]->size());
            DenseOutput<std::int64_t> list(output(args, o + 1, Dims{length}), DType::Int64);
            std::copy(lists[o]->begin(), lists[o]->end(), list.data());
            list.finish();
        }
    });
}

namespace {

VarRef sorted(bool isArg, const VarRef &a, std::optional<int> axis)
{
    const VarRef x = axis ? a : flatten(a);
    return engine::apply(makeOp<SortOp>(isArg, "quicksort"), {x, constantOf(DType::Int8, axis.value_or(0))});
}

} // namespace

VarRef sort(const VarRef &a, std::optional<int> axis) { return sorted(false, a, axis); }
VarRef argsort(const VarRef &a, std::optional<int> axis) { return sorted(true, a, axis); }

VarRef searchsorted(const VarRef &sortedVector, const VarRef &values, bool right)
{
    return engine::apply(makeOp<SearchsortedOp>(right), {sortedVector, values});
}

std::vector<VarRef> unique(const VarRef &a)
{
    const VarRef inputs[] = {a};
    const ApplyRef node = Apply::create(makeOp<Unique>(), inputs);
    std::vector<VarRef> result;
    for (int o = 0; o < 4; ++o) result.push_back(VarRef(node->output(o)));
    return result;
}

OP_CARD(SortOp, Sort, arity(2), parameter("arg", &SortOp::isArg), parameter("kind", &SortOp::kind)).classes({"SortOp", "ArgSortOp"});
OP_CARD(SearchsortedOp, Sort, arity(2), parameter("right", &SearchsortedOp::right)).shown("side", [](const SearchsortedOp &op) {
    return op.right() ? "right" : "left";
});
OP_CARD(Unique, Sort, arity(1));

NOTATION("sort(x, axis=-1)", sort);
NOTATION("argsort(x, axis=-1)", argsort);
NOTATION("searchsorted(x, v, right=False)", searchsorted);
NOTATION("unique(x)", unique);

} // namespace engine
