#include "engine/codegen/device_reduction.h"

#include "engine/codegen/device_writer.h"
#include "engine/codegen/scalar_text.h"
#include "engine/scalar/registers.h"

#include <algorithm>

namespace engine {

namespace {

/// The text of one reduction.
class Writing {
public:
    Writing(const ScalarProgram &program, const DeviceReduction &reduction, Dialect dialect)
        : m_reduction(reduction), m_writer(program, reduction.inputs, reduction.access, dialect), m_kept(reduction.resultAxes),
          m_rank(m_kept + reduction.elementAxes), m_kind(registerKind(reduction.accumulator)),
          m_takesStrips(takesStrips(reduction, dialect))
    {
        m_writer.setSmall(reduction.isSmall);
        m_writer.inputArrays();
        m_writer.array("y0", deviceMemory(reduction.result));
        m_writer.givenNumbers();
        m_writer.sizes(0, m_kept);
        m_writer.sizes(m_kept, m_rank);
        m_writer.strides(m_rank);
        m_writer.number("m");
        m_writer.number("parts");
        if (m_takesStrips) m_writer.number("width"), m_writer.number("results");
    }

    KernelSource finish(std::string name)
    {
        if (!m_takesStrips) oneByOne();
        else if (m_reduction.isAcross) acrossResults();
        else alongElements();
        return m_writer.finish(std::move(name));
    }

private:
    void oneByOne()
    {
        m_writer.line(m_reduction.isAcross ? "const i64 o = i % (n / parts), p = i / (n / parts);"
                                           : "const i64 o = i / parts, p = i % parts;");
        m_writer.coordinates(0, m_kept, "o");
        m_writer.line(std::string(deviceRegister(m_kind)) + " a = " + identity() + ";");
        m_writer.openReading("for (i64 j = p; j < m; j += parts)");
        m_writer.coordinates(m_kept, m_rank, "j");
        combineElement("a", "j");
        m_writer.close();
        m_writer.line("y0[i] = " + result("a") + ";");
    }

    // A part is a stretch of neighbours, or of rows of them; lanes are combined at the end.
    void alongElements()
    {
        const bool hasRows = m_rank - m_kept > 1;
        const std::string last = std::to_string(m_rank - 1), place = "c" + last, length = hasRows ? "n" + last : "m";
        m_writer.setInner(m_rank - 1);
        m_writer.line("const i64 o = i / parts, p = i % parts;");
        m_writer.coordinates(0, m_kept, "o");
        openLanes(lanes(), lanes());
        share(hasRows ? "m / " + length : "m");
        if (hasRows) {
            m_writer.open("for (i64 j = begin; j < end; ++j)");
            m_writer.coordinates(m_kept, m_rank - 1, "j");
            m_writer.line("const i64 from = 0, to = " + length + ";");
        } else {
            m_writer.line("const i64 from = begin, to = end;");
        }
        m_writer.line("i64 at = from;");
        m_writer.open("for (; at + " + lanes() + " <= to; at += " + lanes() + ")");
        const auto lane = [&] {
            m_writer.line("const i64 " + place + " = at + l;");
            combineElement("a[l]", place);
            m_writer.close();
        };
        if (m_writer.isCheap()) m_writer.openUnrolled("for (int l = 0; l < " + lanes() + "; ++l)");
        else m_writer.openBeside("for (int l = 0; l < " + lanes() + "; ++l)");
        lane();
        m_writer.close();
        m_writer.open("for (int l = 0; l < (int)(to - at); ++l)");
        lane();
        if (hasRows) m_writer.close();
        m_writer.line("for (int l = 1; l < " + lanes() + "; ++l) a[0] = " + combined("a[0]", "a[l]") + ";");
        m_writer.line("y0[i] = " + result("a[0]") + ";");
    }

    // Lanes are neighbouring results.
    void acrossResults()
    {
        const std::string place = "c" + std::to_string(m_kept - 1), lanes = std::to_string(kLanesAcross);
        m_writer.setInner(m_kept - 1);
        m_writer.line("const i64 strips = n / parts, o = i % strips, p = i / strips, across = (width + " +
                      std::to_string(kLanesAcross - 1) + ") / " + lanes + ", first = o % across * " + lanes + ", row = o / across;");
        m_writer.line("const int count = (int)(width - first < " + lanes + " ? width - first : " + lanes + ");");
        m_writer.coordinates(0, m_kept - 1, "row");
        openLanes(lanes, "count");
        share("m");
        m_writer.open("for (i64 j = begin; j < end; ++j)");
        m_writer.coordinates(m_kept, m_rank, "j");
        m_writer.openBeside("for (int l = 0; l < count; ++l)");
        m_writer.line("const i64 " + place + " = first + l;");
        combineElement("a[l]", place);
        m_writer.close();
        m_writer.close();
        m_writer.line("for (int l = 0; l < count; ++l) y0[p * results + row * width + first + l] = " + result("a[l]") + ";");
    }

    void openLanes(const std::string &lanes, const std::string &count)
    {
        m_writer.line(std::string(deviceRegister(m_kind)) + " a[" + lanes + "];");
        m_writer.line("for (int l = 0; l < " + count + "; ++l) a[l] = " + identity() + ";");
    }
    void share(const std::string &count)
    {
        m_writer.line("const i64 all = " + count + ", share = (all + parts - 1) / parts, begin = p * share < all ? p * share : all, " +
                      "end = begin + share < all ? begin + share : all;");
    }
    void combineElement(const std::string &target, const std::string &at)
    {
        m_writer.element(m_rank, at);
        m_writer.line(std::string("const ") + deviceRegister(m_kind) +
                      " e = " + converted(m_writer.kindOf(0), m_reduction.accumulator, m_writer.valueOf(0)) + ";");
        m_writer.line(target + " = " + combined(target, "e") + ";");
    }
    std::string combined(const std::string &target, const std::string &element) const
    {
        return combinedText(m_reduction.reduce, m_kind, target, element, "u64");
    }
    std::string result(const std::string &x) const
    {
        return DeviceWriter::stored(m_reduction.result, converted(m_kind, m_reduction.result, x));
    }
    std::string identity() const { return numberText(m_kind, m_reduction.identity); }
    static std::string lanes() { return std::to_string(kLanes); }
    static std::string converted(RtKind from, DType to, const std::string &x)
    {
        const RtKind target = registerKind(to);
        return from == target ? x : DeviceWriter::castText(from, target, castLoop(from, to) != rt_table()->casts[from][target], x);
    }

    const DeviceReduction &m_reduction;
    DeviceWriter m_writer;
    std::size_t m_kept, m_rank;
    RtKind m_kind;
    bool m_takesStrips;
};

} // namespace

bool takesStrips(const DeviceReduction &reduction, Dialect dialect)
{
    return dialect == Dialect::OpenClStrips && reduction.elementAxes > 0 &&
           std::any_of(reduction.access.begin(), reduction.access.end(), isStrided);
}

KernelSource deviceReduction(const ScalarProgram &program, const DeviceReduction &reduction, Dialect dialect, std::string name)
{
    return Writing(program, reduction, dialect).finish(std::move(name));
}

} // namespace engine
