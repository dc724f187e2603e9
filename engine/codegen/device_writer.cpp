#include "engine/codegen/device_writer.h"

#include "engine/codegen/scalar_text.h"
#include "engine/scalar/registers.h"

#include <algorithm>

namespace engine {
namespace {

using Form = ScalarProgram::Form;

std::string numbered(const char *letter, std::size_t number) { return letter + std::to_string(number); }

template <class T>
T &at(std::vector<T> &values, std::size_t place, const T &none)
{
    if (place >= values.size()) values.resize(place + 1, none);
    return values[place];
}

} // namespace

void DeviceWriter::inputArrays()
{
    m_arrays.resize(m_inputs.size());
    m_ahead.resize(m_inputs.size());
    for (std::size_t i = 0; i < m_inputs.size(); ++i)
        if (m_access[i] != DeviceAccess::Number) m_arrays[i].emplace(m_k.reads(numbered("x", i), m_inputs[i]));
}

void DeviceWriter::givenNumbers()
{
    m_given.assign(m_inputs.size(), 0);
    for (std::size_t i = 0; i < m_inputs.size(); ++i)
        if (m_access[i] == DeviceAccess::Number) m_given[i] = m_k.given(numbered("x", i));
}

ir::Value DeviceWriter::inputValue(std::size_t input, std::size_t rank, const ir::Value &number, const ir::Value &ahead) const
{
    const bool isAhead = m_ahead[input] && hasElements(input);
    const auto value = [&]() -> ir::Value {
        if (m_access[input] == DeviceAccess::Number) return ir::fromBits(m_inputs[input], m_given[input]);
        return isAhead ? (*m_ahead[input])[ahead] : (*m_arrays[input])[place(input, rank, number)];
    };
    return ir::cast(nativeDType(registerKind(m_inputs[input])), value());
}

bool DeviceWriter::isStrided() const
{
    return std::any_of(m_access.begin(), m_access.end(), [](DeviceAccess access) { return engine::isStrided(access); });
}

bool DeviceWriter::isCheap() const
{
    constexpr std::size_t kFew = 6;
    return m_program.steps().size() <= kFew && std::all_of(m_program.steps().begin(), m_program.steps().end(), [](const Step &step) {
               return step.form == Form::Cast || step.form == Form::Wrap || !expensiveText(step.op, step.kind) ||
                      cheapText(step.op, step.kind);
           });
}

void DeviceWriter::sizes(std::size_t first, std::size_t end)
{
    for (std::size_t axis = first + 1; axis < end && isStrided(); ++axis) at(m_sizes, axis, {0}) = m_k.number(numbered("n", axis), 0);
}

void DeviceWriter::strides(std::size_t rank)
{
    m_strides.resize(m_access.size());
    for (std::size_t k = 0; k < m_access.size(); ++k)
        for (std::size_t axis = 0; axis < rank && engine::isStrided(m_access[k]); ++axis)
            m_strides[k].push_back(m_k.number(numbered("s", k) + numbered("_", axis), 0));
}

void DeviceWriter::setPlace(std::size_t axis, const ir::Value &place) { at(m_places, axis, {0}) = place; }

void DeviceWriter::coordinates(std::size_t first, std::size_t end, const ir::Value &number)
{
    if (!isStrided() || first == end) return;
    ir::Value rest = whole(number);
    for (std::size_t axis = end; axis-- > first + 1;) {
        const ir::Value size = whole(m_sizes[axis]);
        setPlace(axis, m_k.let(numbered("c", axis), rest % size));
        rest = m_k.let(numbered("r", axis), rest / size);
    }
    setPlace(first, m_k.let(numbered("c", first), rest));
}

// Squares lie side by side along the last axis, then along the turned one, then along what others there are.
void DeviceWriter::inSquares(std::size_t rank, std::size_t turned, const ir::Value &side, const ir::Value &number, const Located &located)
{
    const std::size_t last = rank - 1;
    const ir::Value width = whole(m_sizes[last]), height = whole(side), all = whole(number);
    const ir::Value within = m_k.let("within", all % kSquareItems), square = m_k.let("square", all / kSquareItems);
    const ir::Value across = m_k.let("across", (width + (kSquareSide - 1)) / kSquareSide),
                    down = m_k.let("down", (height + (kSquareSide - 1)) / kSquareSide), row = m_k.let("row", square / across);
    const ir::Value c = m_k.let(numbered("c", last), square % across * kSquareSide + within % kSquareSide);
    const ir::Value d = m_k.let(numbered("c", turned), row % down * kSquareSide + within / kSquareSide);
    ir::Value rest = m_k.let("others", row / down);
    setPlace(last, c);
    setPlace(turned, d);
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < last; ++axis)
        if (axis != turned) axes.push_back(axis);
    for (; axes.size() > 1; axes.pop_back()) {
        const ir::Value size = whole(m_sizes[axes.back()]);
        setPlace(axes.back(), m_k.let(numbered("c", axes.back()), rest % size));
        rest = m_k.let(numbered("r", axes.back()), rest / size);
    }
    if (!axes.empty()) setPlace(axes.back(), m_k.let(numbered("c", axes.back()), rest));
    m_k.when(c < width && d < height, [&] {
        ir::Value flat = ir::cast(DType::Int64, m_places[0]);
        for (std::size_t axis = 1; axis < rank; ++axis) flat = flat * m_sizes[axis] + m_places[axis];
        located(m_k.let("flat", flat));
    });
}

ir::Value DeviceWriter::place(std::size_t operand, std::size_t rank, const ir::Value &number) const
{
    if (m_access[operand] == DeviceAccess::Flat) return number;
    if (m_access[operand] == DeviceAccess::Single || m_access[operand] == DeviceAccess::Number) return 0;
    ir::Value sum = 0;
    const std::size_t inner = m_inner.value_or(rank - 1);
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const bool isInner = axis == inner;
        if (isInner && m_access[operand] == DeviceAccess::Still) continue;
        sum = sum + (isInner && m_access[operand] == DeviceAccess::Beside ? m_places[axis] : m_places[axis] * m_strides[operand][axis]);
    }
    return sum;
}

std::vector<bool> DeviceWriter::usedBlocks() const
{
    std::vector<bool> isUsed(m_blocks.size(), false);
    for (const Step &step : m_program.steps())
        for (int i = 0; i < step.inputCount; ++i) isUsed[step.inputs[i]] = true;
    for (std::uint32_t block : m_program.outputs()) isUsed[block] = true;
    return isUsed;
}

// The last elements are missing of some items: those do their first one again, with what was read before it was written.
ir::Array DeviceWriter::readAhead(int perItem, std::size_t rank, const ir::Value &size,
                                  const std::function<void(const ir::Value &at, const Located &located)> &locate)
{
    const std::vector<bool> isUsed = usedBlocks();
    const ir::Array numbers = m_k.local("e", DType::Int64, perItem);
    for (std::uint32_t b = 0; b < m_blocks.size(); ++b) {
        if (!isUsed[b] || m_blocks[b].kind != Block::Kind::Input || !hasElements(m_blocks[b].index)) continue;
        const std::size_t input = m_blocks[b].index;
        m_ahead[input].emplace(m_k.local(numbered("a", input), m_inputs[input], perItem));
    }
    m_k.loop(
        "k", {0, perItem},
        [&](const ir::Value &k) {
            const ir::Value next = m_k.item() + k * m_k.items();
            numbers[k] = ir::select(next < size, next, m_k.item());
            locate(numbers[k], [&](const ir::Value &number) {
                for (std::size_t input = 0; input < m_inputs.size(); ++input)
                    if (m_ahead[input]) (*m_ahead[input])[k] = (*m_arrays[input])[place(input, rank, number)];
            });
        },
        ir::LoopKind::Unrolled);
    return numbers;
}

void DeviceWriter::element(std::size_t rank, const ir::Value &number, const ir::Value &ahead)
{
    const std::vector<bool> isUsed = usedBlocks();
    m_values.assign(m_blocks.size(), 0);
    for (std::uint32_t b = 0; b < m_blocks.size(); ++b) {
        const Block &block = m_blocks[b];
        if (!isUsed[b]) continue;
        if (block.kind == Block::Kind::Literal) {
            const ScalarProgram::Literal &one = m_program.literals()[block.index];
            std::vector<std::byte> memory(literalBytes(block.type, 1));
            m_values[b] = m_k.let(numbered("v", b), ir::literal(block.type, fillLiteral(one, memory.data(), 1)));
        }
        if (block.kind == Block::Kind::Input) m_values[b] = m_k.let(numbered("v", b), inputValue(block.index, rank, number, ahead));
    }
    for (const Step &one : m_program.steps()) step(one);
}

void DeviceWriter::step(const Step &step)
{
    const RtKind kind = m_blocks[step.output].type;
    const std::string name = numbered("v", step.output);
    std::vector<ir::Value> arguments;
    for (int i = 0; i < step.inputCount; ++i) arguments.push_back(m_values[step.inputs[i]]);
    ir::Value &result = m_values[step.output];
    switch (step.form) {
    case Form::Cast: result = m_k.let(name, ir::convert(step.kind, kind, step.loop, arguments[0])); break;
    case Form::Wrap: result = m_k.let(name, ir::cast(arguments[0].type(), ir::cast(step.wrapTo, arguments[0]))); break;
    default: result = m_k.call(step.op, step.kind, step.loop, nativeDType(kind), arguments, name);
    }
}

} // namespace engine
