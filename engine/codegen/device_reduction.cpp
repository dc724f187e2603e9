#include "engine/codegen/device_reduction.h"

#include "engine/codegen/device_writer.h"
#include "engine/scalar/registers.h"

#include <algorithm>

namespace engine {

namespace {

/// The text of one reduction.
class Writing {
public:
    Writing(const ScalarProgram &program, const DeviceReduction &reduction, KernelTarget target, std::string name)
        : m_reduction(reduction), m_k(std::move(name)), m_writer(m_k, program, reduction.inputs, reduction.access, reduction.isSmall),
          m_kept(reduction.resultAxes), m_rank(m_kept + reduction.elementAxes), m_kind(registerKind(reduction.accumulator)),
          m_takesStrips(takesStrips(reduction, target))
    {
        m_writer.inputArrays();
        m_made.emplace(m_k.writes("y0", reduction.result));
        m_writer.givenNumbers();
        m_writer.sizes(0, m_kept);
        m_writer.sizes(m_kept, m_rank);
        m_writer.strides(m_rank);
        m_count = m_k.number("m", 0);
        m_parts = m_k.number("parts", 0);
        if (m_takesStrips) m_width = m_k.number("width", 0), m_results = m_k.number("results", 0);
    }

    ir::Kernel finish()
    {
        if (!m_takesStrips) oneByOne();
        else if (m_reduction.isAcross) acrossResults();
        else alongElements();
        return m_k.finish();
    }

private:
    void oneByOne()
    {
        const ir::Value i = m_k.item();
        const ir::Value results = m_reduction.isAcross ? m_k.let("all", m_k.items() / m_parts) : m_parts;
        const ir::Value o = m_k.let("o", m_reduction.isAcross ? i % results : i / m_parts),
                        p = m_k.let("p", m_reduction.isAcross ? i / results : i % m_parts);
        m_writer.coordinates(0, m_kept, o);
        const ir::Place a = m_k.variable("a", identity());
        m_k.loop(
            "j", {p, m_count},
            [&](const ir::Value &j) {
                m_writer.coordinates(m_kept, m_rank, j);
                combineElement(a, j);
            },
            ir::LoopKind::Reading, m_parts);
        (*m_made)[i] = result(a);
    }

    // A part is a stretch of neighbours, or of rows of them; lanes are combined at the end.
    void alongElements()
    {
        const bool hasRows = m_rank - m_kept > 1;
        const ir::Value length = hasRows ? m_writer.size(m_rank - 1) : m_count;
        m_writer.setInner(m_rank - 1);
        const ir::Value o = m_k.let("o", m_k.item() / m_parts), p = m_k.let("p", m_k.item() % m_parts);
        m_writer.coordinates(0, m_kept, o);
        const ir::Array a = lanesOf(kLanes, kLanes);
        const ir::Range all = m_k.share(hasRows ? m_count / length : m_count, m_parts, p);
        if (hasRows)
            m_k.loop("j", all, [&](const ir::Value &j) {
                m_writer.coordinates(m_kept, m_rank - 1, j);
                lanesAlong(a, {0, length});
            });
        else lanesAlong(a, all);
        m_k.loop("l", {1, kLanes}, [&](const ir::Value &l) { a[0] = combined(a[0], a[l]); });
        (*m_made)[m_k.item()] = result(a[0]);
    }
    void lanesAlong(const ir::Array &a, const ir::Range &range)
    {
        const auto lane = [&](const ir::Value &first, const ir::Value &l) {
            const ir::Value place = m_k.let("c" + std::to_string(m_rank - 1), first + l);
            m_writer.setPlace(m_rank - 1, place);
            combineElement(a[l], place);
        };
        const ir::Value rest = m_k.let("rest", range.end - (range.end - range.begin) % kLanes);
        m_k.loop(
            "at", {range.begin, rest},
            [&](const ir::Value &at) {
                m_k.loop(
                    "l", {0, kLanes}, [&](const ir::Value &l) { lane(at, l); },
                    m_writer.isCheap() ? ir::LoopKind::Unrolled : ir::LoopKind::Beside);
            },
            ir::LoopKind::Plain, kLanes);
        m_k.loop("l", {0, range.end - rest}, [&](const ir::Value &l) { lane(rest, l); });
    }

    // Lanes are neighbouring results.
    void acrossResults()
    {
        m_writer.setInner(m_kept - 1);
        const ir::Value strips = m_k.let("strips", m_k.items() / m_parts), o = m_k.let("o", m_k.item() % strips),
                        p = m_k.let("p", m_k.item() / strips), across = m_k.let("across", (m_width + (kLanesAcross - 1)) / kLanesAcross),
                        first = m_k.let("firstLane", o % across * kLanesAcross), row = m_k.let("row", o / across);
        const ir::Value count = m_k.let("count", ir::least(m_width - first, kLanesAcross));
        m_writer.coordinates(0, m_kept - 1, row);
        const ir::Array a = lanesOf(kLanesAcross, count);
        m_k.loop("j", m_k.share(m_count, m_parts, p), [&](const ir::Value &j) {
            m_writer.coordinates(m_kept, m_rank, j);
            m_k.loop(
                "l", {0, count},
                [&](const ir::Value &l) {
                    const ir::Value place = m_k.let("c" + std::to_string(m_kept - 1), first + l);
                    m_writer.setPlace(m_kept - 1, place);
                    combineElement(a[l], place);
                },
                ir::LoopKind::Beside);
        });
        m_k.loop("l", {0, count}, [&](const ir::Value &l) { (*m_made)[p * m_results + row * m_width + first + l] = result(a[l]); });
    }

    ir::Array lanesOf(std::int64_t lanes, const ir::Value &count)
    {
        const ir::Array a = m_k.local("a", nativeDType(m_kind), lanes);
        m_k.loop("l", {0, count}, [&](const ir::Value &l) { a[l] = identity(); });
        return a;
    }
    void combineElement(const ir::Place &target, const ir::Value &at)
    {
        m_writer.element(m_rank, at);
        target = combined(target, m_k.let("e", converted(m_writer.kindOf(0), m_reduction.accumulator, m_writer.valueOf(0))));
    }
    ir::Value combined(const ir::Value &a, const ir::Value &element) const { return ir::combined(m_reduction.reduce, a, element); }
    ir::Value result(const ir::Value &x) const { return converted(m_kind, m_reduction.result, x); }
    ir::Value identity() const { return ir::literal(m_kind, m_reduction.identity); }
    static ir::Value converted(RtKind from, DType to, const ir::Value &x)
    {
        const RtKind target = registerKind(to);
        return from == target ? x : ir::convert(from, target, castLoop(from, to), x);
    }

    const DeviceReduction &m_reduction;
    ir::Builder m_k;
    DeviceWriter m_writer;
    std::size_t m_kept, m_rank;
    RtKind m_kind;
    bool m_takesStrips;
    std::optional<ir::Array> m_made;
    ir::Value m_count = 0, m_parts = 0, m_width = 0, m_results = 0;
};

} // namespace

bool takesStrips(const DeviceReduction &reduction, KernelTarget target)
{
    return target.takesStrips() && reduction.elementAxes > 0 && std::any_of(reduction.access.begin(), reduction.access.end(), isStrided);
}

ir::Kernel deviceReduction(const ScalarProgram &program, const DeviceReduction &reduction, KernelTarget target, std::string name)
{
    return Writing(program, reduction, target, std::move(name)).finish();
}

} // namespace engine
