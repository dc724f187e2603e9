// A kernel of a loop: which arrays become variables, the loop itself, what moves on from step to step.
#include "engine/codegen/loop_writer.h"

#include "engine/codegen/scalar_text.h"
#include "engine/scalar/registers.h"
#include "engine/tensor/convert.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace engine {
namespace {

constexpr std::size_t kMostVariables = 16;     // elements of an array that become variables
constexpr std::size_t kMostLines = 6000;       // of a kernel: compiling takes its time
constexpr std::int64_t kMostLocal = 48 * 1024; // bytes of arrays on the stack

std::unordered_map<std::size_t, WriteInLoop> &writers()
{
    static std::unordered_map<std::size_t, WriteInLoop> all;
    return all;
}

} // namespace

bool registerInLoops(std::size_t classKey, WriteInLoop write) { return writers().emplace(classKey, write).second; }

WriteInLoop inLoops(const Op &op)
{
    const auto found = writers().find(op.classKey());
    return found == writers().end() ? nullptr : found->second;
}

LoopWriter::LoopWriter(std::vector<LoopArray> arrays, std::vector<std::size_t> inputs, std::vector<std::size_t> outputs,
                       const LoopTies &ties)
    : m_arrays(std::move(arrays)), m_inputs(std::move(inputs)), m_outputs(std::move(outputs)), m_ties(ties)
{}

std::int64_t LoopWriter::itemSize(std::size_t array) const { return static_cast<std::int64_t>(sizeOf(m_arrays[array].dtype)); }

Dims LoopWriter::stepsOf(std::size_t array) const
{
    Dims steps = m_arrays[array].strides;
    for (std::size_t axis = 0; axis < steps.size(); ++axis)
        steps[axis] = m_arrays[array].shape[axis] == 1 ? 0 : steps[axis] / itemSize(array);
    return steps;
}

// The places of its elements in the memory of its root, in C order.
std::vector<std::int64_t> LoopWriter::offsetsOf(std::size_t array) const
{
    const Dims steps = stepsOf(array);
    std::vector<std::int64_t> offsets{m_arrays[array].offset / itemSize(array)};
    for (std::size_t axis = 0; axis < steps.size(); ++axis) {
        std::vector<std::int64_t> next;
        next.reserve(offsets.size() * static_cast<std::size_t>(m_arrays[array].shape[axis]));
        for (std::int64_t offset : offsets)
            for (std::int64_t i = 0; i < m_arrays[array].shape[axis]; ++i) next.push_back(offset + i * steps[axis]);
        offsets = std::move(next);
    }
    return offsets;
}

void LoopWriter::line(const std::string &text)
{
    m_out += std::string(static_cast<std::size_t>(m_depth) * 4, ' ') + text + "\n";
    ++m_lines;
}

std::size_t LoopWriter::mathOf(RtLoop loop)
{
    const auto known = std::find(m_math.begin(), m_math.end(), loop);
    if (known == m_math.end()) m_math.push_back(loop);
    return static_cast<std::size_t>(std::find(m_math.begin(), m_math.end(), loop) - m_math.begin());
}

std::string LoopWriter::constantText(std::size_t root, std::int64_t element) const
{
    const LoopArray &array = m_arrays[root];
    const char *at = static_cast<const char *>(array.constant) + element * itemSize(root);
    return withStorageType(array.dtype, [&]<class T>() -> std::string {
        T value;
        std::memcpy(&value, at, sizeof value);
        if constexpr (std::is_same_v<T, std::int64_t>) {
            if (value == INT64_MIN) return "(-9223372036854775807LL - 1)";
            return (value < 0 ? "(" : "") + std::to_string(value) + "LL" + (value < 0 ? ")" : "");
        } else if constexpr (std::is_same_v<T, std::uint64_t>) {
            return std::to_string(value) + "ULL";
        } else {
            return literalText({array.dtype, convertElement<double>(value)});
        }
    });
}

std::string LoopWriter::name(std::size_t root, std::int64_t element) const
{
    return "v" + std::to_string(root) + "_" + (element < 0 ? "m" + std::to_string(-element) : std::to_string(element));
}

// An element of the root of the array, as a value of its register.
std::string LoopWriter::load(std::size_t array, std::int64_t element)
{
    const std::size_t root = m_arrays[array].root;
    if (m_arrays[root].kind == LoopArray::Kind::Constant && isScalars(root)) return constantText(root, element);
    if (isScalars(root)) return name(root, element);
    return load(array, std::to_string(element));
}

std::string LoopWriter::load(std::size_t array, const std::string &element)
{
    const std::size_t root = m_arrays[array].root;
    const std::string value = "p" + std::to_string(root) + "[" + element + "]";
    return m_arrays[root].dtype == DType::Bool ? "(" + value + " != 0)"
                                               : std::string("(") + cType(registerKind(m_arrays[root].dtype)) + ")" + value;
}

void LoopWriter::store(std::size_t array, std::int64_t element, const std::string &value)
{
    const std::size_t root = m_arrays[array].root;
    if (isScalars(root)) line(name(root, element) + " = " + value + ";");
    else line("p" + std::to_string(root) + "[" + std::to_string(element) + "] = " + value + ";");
}

// What is written to memory of its own first, and to the row of its result behind the step: what the step reads may lie there.
bool LoopWriter::isDirect(std::size_t result) const
{
    const std::size_t root = m_arrays[m_outputs[result]].root;
    return m_directResult[root] == static_cast<int>(result);
}

// Does it go on in variables? Otherwise it is read from its memory in each step.
bool LoopWriter::isCarried(std::size_t input) const
{
    if (input >= m_ties.moving || !m_isUsed[m_inputs[input]] || !isScalars(m_inputs[input])) return false;
    const LoopTies::Carried &from = m_ties.carried[input];
    return from.result >= 0 || (from.input >= 0 && m_isUsed[m_inputs[static_cast<std::size_t>(from.input)]]);
}

bool LoopWriter::chooseForms(std::span<const Applied> applies, std::span<const bool> isCalled)
{
    const std::size_t count = m_arrays.size();
    m_isScalars.assign(count, false);
    m_elements.assign(count, {});
    m_isUsed.assign(count, false);
    m_directResult.assign(count, -1);
    std::vector<bool> needsMemory(count, false);
    const auto use = [&](std::size_t array) {
        const std::size_t root = m_arrays[array].root;
        m_isUsed[root] = true;
        const std::int64_t size = itemSize(array);
        const bool isEven = m_arrays[array].dtype == m_arrays[root].dtype && m_arrays[array].offset % size == 0 &&
                            std::all_of(m_arrays[array].strides.begin(), m_arrays[array].strides.end(),
                                        [&](std::int64_t stride) { return stride % size == 0; });
        return isEven && isKernelMemory(m_arrays[array].dtype);
    };
    bool fits = true;
    for (std::size_t a = 0; a < applies.size(); ++a) {
        for (const auto *arrays : {&applies[a].inputs, &applies[a].outputs})
            for (std::size_t array : *arrays) {
                if (applies[a].isIdle) continue;
                const bool isPlain = use(array);
                if (isCalled[a]) needsMemory[m_arrays[array].root] = true;
                else fits &= isPlain;
            }
    }
    for (std::size_t output : m_outputs) fits &= use(output);
    if (!fits) return false;
    std::int64_t local = 0;
    for (std::size_t root = 0; root < count; ++root) {
        if (!m_isUsed[root] || m_arrays[root].root != root) continue;
        const std::int64_t size = m_arrays[root].shape.product();
        if (!needsMemory[root] && size <= static_cast<std::int64_t>(kMostVariables)) {
            m_isScalars[root] = true;
            m_elements[root] = offsetsOf(root);
            std::sort(m_elements[root].begin(), m_elements[root].end());
            m_elements[root].erase(std::unique(m_elements[root].begin(), m_elements[root].end()), m_elements[root].end());
        } else if (m_arrays[root].kind == LoopArray::Kind::Local) {
            local += size * itemSize(root);
        }
    }
    for (std::size_t r = 0; r < m_ties.results; ++r) {
        const std::size_t output = m_outputs[r], root = m_arrays[output].root;
        const bool isWhole = output == root && m_arrays[root].kind == LoopArray::Kind::Local && !isScalars(root);
        const auto sharing =
            std::count_if(m_outputs.begin(), m_outputs.end(), [&](std::size_t other) { return m_arrays[other].root == root; });
        if (isWhole && !m_ties.isReadMeanwhile[r] && sharing == 1) m_directResult[root] = static_cast<int>(r);
    }
    return local <= kMostLocal;
}

std::optional<LoopText> LoopWriter::write(std::span<const Applied> applies, RtLoop call)
{
    m_call = call;
    const std::size_t count = applies.size();
    const std::unique_ptr<bool[]> isCalled = std::make_unique<bool[]>(count);
    for (std::size_t a = 0; a < count; ++a) isCalled[a] = !applies[a].isIdle && !inLoops(*applies[a].op);
    // What turns out not to be possible runs by itself, and its arrays lie in memory: from the start once more.
    for (bool isWritten = false; !isWritten;) {
        m_out.clear();
        m_math.clear();
        m_lines = m_names = 0;
        if (!chooseForms(applies, {isCalled.get(), count})) return std::nullopt;
        writeBegin();
        isWritten = true;
        std::size_t calls = 0;
        for (std::size_t a = 0; a < count && isWritten; ++a) {
            if (applies[a].isIdle) continue;
            m_applied = &applies[a];
            if (isCalled[a]) {
                writeCall(applies[a], calls++);
            } else if (const std::string before = m_out; !writeApply(applies[a])) {
                isCalled[a] = true;
                isWritten = false;
            }
            if (m_lines > kMostLines) return std::nullopt;
        }
        if (isWritten) writeEnd();
    }
    LoopText result;
    std::size_t written = 0;
    for (std::size_t a = 0; a < count; ++a) {
        if (isCalled[a]) result.called.push_back(a);
        else written += !applies[a].isIdle;
    }
    if (written == 0) return std::nullopt;
    result.text.key = std::hash<std::string>{}(m_out);
    result.text.body = std::move(m_out);
    result.text.math = std::move(m_math);
    return result;
}

bool LoopWriter::writeApply(const Applied &applied)
{
    line(std::string("/* ") + std::string(applied.op->className()) + " */");
    return inLoops(*applied.op)(*applied.op, *this);
}

// Stores the number of the apply before it runs, so that an error can name it.
void LoopWriter::writeCall(const Applied &applied, std::size_t number)
{
    for (const auto *arrays : {&applied.inputs, &applied.outputs})
        for (std::size_t array : *arrays) {
            const std::size_t root = m_arrays[array].root;
            if (m_arrays[root].kind == LoopArray::Kind::Constant) continue;
            line("slots[" + std::to_string(root) + "] = p" + std::to_string(root) + ";");
            if (array != root)
                line("slots[" + std::to_string(array) + "] = (char *)p" + std::to_string(root) + " + " +
                     std::to_string(m_arrays[array].offset) + ";");
        }
    line("math[0](slots, calls + " + std::to_string(number) + ", " + std::to_string(number) + ");");
}

void LoopWriter::writeBegin()
{
    const std::size_t inputs = m_inputs.size(), moving = m_ties.moving;
    m_math.push_back(m_call);
    m_depth = 0;
    line("(void *const *operands, const Loop *math, long n)");
    line("{");
    m_depth = 1;
    const auto number = [&](std::size_t i) { return std::to_string(i); };
    line("long *const numbers = operands[" + number(inputs + m_ties.results) + "];");
    line("void **const slots = operands[" + number(inputs + m_ties.results + 1) + "];");
    line("const void *const *const calls = operands[" + number(inputs + m_ties.results + 2) + "];");
    const auto declareRow = [&](const std::string &id, std::size_t operand, std::size_t at) {
        const std::string first = number(1 + 3 * at);
        line("char *const b" + id + " = operands[" + number(operand) + "];");
        line("const long s" + id + " = numbers[" + first + "], c" + id + " = numbers[" + first + " + 2];");
        line("long r" + id + " = numbers[" + first + " + 1];");
        line("char *m" + id + " = b" + id + " + r" + id + " * s" + id + ";");
    };
    for (std::size_t i = 0; i < moving; ++i)
        if (m_isUsed[m_inputs[i]]) declareRow("i" + number(i), i, i);
    for (std::size_t r = 0; r < m_ties.results; ++r) declareRow("o" + number(r), inputs + r, moving + r);
    const auto pointer = [&](std::size_t root, const std::string &from) {
        line(std::string(memoryType(m_arrays[root].dtype)) + " *const p" + number(root) + " = (" + memoryType(m_arrays[root].dtype) +
             " *)" + from + ";");
    };
    const auto loadAll = [&](std::size_t root, const std::string &from, bool isDeclared) {
        const DType dtype = m_arrays[root].dtype;
        for (std::int64_t element : m_elements[root]) {
            const std::string value = "((const " + std::string(memoryType(dtype)) + " *)" + from + ")[" + std::to_string(element) + "]";
            line((isDeclared ? std::string() : std::string(valueType(registerKind(dtype))) + " ") + name(root, element) + " = " + value +
                 (dtype == DType::Bool ? " != 0;" : ";"));
        }
    };
    // The same in all steps, and what goes on from step to step.
    for (std::size_t i = 0; i < inputs; ++i) {
        const std::size_t root = m_inputs[i];
        if (!m_isUsed[root]) continue;
        if (isCarried(i)) loadAll(root, "mi" + number(i), false);
        else if (i < moving) continue;
        else if (isScalars(root)) loadAll(root, "operands[" + number(i) + "]", false);
        else pointer(root, "operands[" + number(i) + "]");
    }
    for (std::size_t root = 0; root < m_arrays.size(); ++root) {
        if (!m_isUsed[root] || m_arrays[root].root != root || isScalars(root)) continue;
        if (m_arrays[root].kind == LoopArray::Kind::Constant) pointer(root, "slots[" + number(root) + "]");
        if (m_arrays[root].kind == LoopArray::Kind::Local && m_directResult[root] < 0)
            line(std::string(memoryType(m_arrays[root].dtype)) + " p" + number(root) + "[" +
                 std::to_string(std::max<std::int64_t>(m_arrays[root].shape.product(), 1)) + "] ALIGNED;");
    }
    line("long done = 0, ended = 0;");
    line("while (done < n) {");
    m_depth = 2;
    line("++done;");
    for (std::size_t i = 0; i < moving; ++i) {
        const std::size_t root = m_inputs[i];
        if (!m_isUsed[root] || isCarried(i)) continue;
        if (isScalars(root)) loadAll(root, "mi" + number(i), false);
        else pointer(root, "mi" + number(i));
    }
    for (std::size_t root = 0; root < m_arrays.size(); ++root) {
        if (!m_isUsed[root] || m_arrays[root].root != root || m_arrays[root].kind != LoopArray::Kind::Local) continue;
        if (m_directResult[root] >= 0) pointer(root, "mo" + number(static_cast<std::size_t>(m_directResult[root])));
        if (!isScalars(root)) continue;
        std::string names;
        for (std::int64_t element : m_elements[root]) names += (names.empty() ? "" : ", ") + name(root, element);
        if (!names.empty()) line(std::string(valueType(registerKind(m_arrays[root].dtype))) + " " + names + ";");
    }
}

// To its row, densely.
void LoopWriter::writeResult(std::size_t result)
{
    const std::size_t array = m_outputs[result];
    const LoopArray &shown = m_arrays[array];
    const std::string to = "((" + std::string(memoryType(shown.dtype)) + " *)mo" + std::to_string(result) + ")";
    const std::int64_t base = shown.offset / itemSize(array);
    if (isScalars(shown.root) || shown.shape.product() <= static_cast<std::int64_t>(kMostVariables)) {
        const std::vector<std::int64_t> offsets = offsetsOf(array);
        for (std::size_t e = 0; e < offsets.size(); ++e) line(to + "[" + std::to_string(e) + "] = " + load(array, offsets[e]) + ";");
        return;
    }
    const Dims steps = stepsOf(array), dense = contiguousStrides(shown.shape, 1);
    int depth = 0;
    line(loopsOver(shown.shape, depth));
    std::string from = std::to_string(base), into = "0";
    for (std::size_t axis = 0; axis < steps.size(); ++axis) {
        if (shown.shape[axis] == 1) continue;
        from += " + i" + std::to_string(axis) + " * " + std::to_string(steps[axis]);
        into += " + i" + std::to_string(axis) + " * " + std::to_string(dense[axis]);
    }
    line(to + "[" + into + "] = " + load(array, from) + ";");
}

void LoopWriter::writeEnd()
{
    const auto number = [&](std::size_t i) { return std::to_string(i); };
    m_depth = 2;
    for (std::size_t r = 0; r < m_ties.results; ++r)
        if (!isDirect(r)) writeResult(r);
    // What goes on: all that is taken along first, since one may be what another one was.
    std::vector<std::pair<std::string, std::string>> moves;
    for (std::size_t i = 0; i < m_ties.moving; ++i) {
        const std::size_t root = m_inputs[i];
        if (!isCarried(i)) continue;
        const LoopTies::Carried &from = m_ties.carried[i];
        const std::size_t source =
            from.result >= 0 ? m_outputs[static_cast<std::size_t>(from.result)] : m_inputs[static_cast<std::size_t>(from.input)];
        const std::vector<std::int64_t> into = offsetsOf(root), out = offsetsOf(source);
        for (std::size_t e = 0; e < into.size(); ++e) {
            const std::string taken = fresh("k");
            line(std::string("const ") + valueType(registerKind(m_arrays[root].dtype)) + " " + taken + " = " + load(source, out[e]) + ";");
            moves.emplace_back(name(root, into[e]), taken);
        }
    }
    for (const auto &[to, from] : moves) line(to + " = " + from + ";");
    const auto advance = [&](const std::string &id, bool wraps) {
        if (wraps) line("if (++r" + id + " == c" + id + ") r" + id + " = 0, m" + id + " = b" + id + "; else m" + id + " += s" + id + ";");
        else line("m" + id + " += s" + id + ";");
    };
    for (std::size_t i = 0; i < m_ties.moving; ++i)
        if (m_isUsed[m_inputs[i]]) advance("i" + number(i), !m_ties.isSequence[i]);
    for (std::size_t r = 0; r < m_ties.results; ++r) advance("o" + number(r), true);
    if (m_ties.endsEarly) {
        const std::size_t array = m_outputs.back();
        line("if (" + load(array, offsetsOf(array).at(0)) + ") { ended = 1; break; }");
    }
    m_depth = 1;
    line("}");
    line("numbers[0] = ended ? -done : done;");
    m_depth = 0;
    line("}");
}

// The heads of loops over axes of more than one element, without braces: one statement follows.
std::string LoopWriter::loopsOver(const Dims &shape, int &depth)
{
    std::string text;
    std::size_t last = shape.size();
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] != 1) last = axis;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == 1) continue;
        const std::string i = "i" + std::to_string(axis);
        if (axis == last) text += "IVDEP ";
        text += "for (long " + i + " = 0; " + i + " < " + std::to_string(shape[axis]) + "; ++" + i + ") ";
        ++depth;
    }
    return text;
}

std::optional<std::int64_t> LoopWriter::integer(std::size_t i) const
{
    const LoopArray &array = input(i);
    const LoopArray &root = m_arrays[array.root];
    if (root.kind != LoopArray::Kind::Constant || !isDiscrete(array.dtype) || array.shape.product() != 1) return std::nullopt;
    return withStorageType(array.dtype, [&]<class T>() -> std::optional<std::int64_t> {
        T value;
        std::memcpy(&value, static_cast<const char *>(root.constant) + array.offset, sizeof value);
        return convertElement<std::int64_t>(value);
    });
}

LoopWriter::Part LoopWriter::all(std::size_t array) const { return {array, 0, stepsOf(array)}; }

bool LoopWriter::writeCopy(const Part &to, const Part &from, const Dims &shape, bool adds)
{
    const DType dtype = m_arrays[to.array].dtype;
    const RtKind kind = registerKind(dtype), source = registerKind(m_arrays[from.array].dtype);
    const bool isSame = m_arrays[from.array].dtype == dtype;
    const bool widens = (kind == RT_F64 || kind == RT_F32) && source != RT_COMPLEX && (kind == RT_F64 || source == RT_F32);
    const bool whole = kind == RT_INT && sizeOf(dtype) == 8 && source == RT_INT;
    if (!isSame && !widens && !whole) return false;
    if (adds && kind != RT_F64 && kind != RT_F32 && !(kind == RT_INT && sizeOf(dtype) == 8)) return false;
    const std::int64_t toBase = m_arrays[to.array].offset / itemSize(to.array) + to.offset;
    const std::int64_t fromBase = m_arrays[from.array].offset / itemSize(from.array) + from.offset;
    const std::int64_t count = shape.product();
    const auto sum = [&](const std::string &old, const std::string &value) {
        if (!adds) return value;
        const std::string bits = kind == RT_INT ? "(unsigned long long)" : "";
        return bits + old + " + " + bits + value;
    };
    const std::string cast = std::string("(") + cType(kind) + ")";
    const bool areScalars = isScalars(m_arrays[to.array].root) || isScalars(m_arrays[from.array].root);
    if (count <= static_cast<std::int64_t>(kMostVariables) || areScalars) {
        if (count > 4 * static_cast<std::int64_t>(kMostVariables)) return false;
        std::vector<std::pair<std::int64_t, std::string>> values;
        for (std::int64_t e = 0; e < count; ++e) {
            std::int64_t rest = e, at = toBase, source = fromBase;
            for (std::size_t axis = shape.size(); axis-- > 0;) {
                at += rest % shape[axis] * to.steps[axis];
                source += rest % shape[axis] * from.steps[axis];
                rest /= shape[axis];
            }
            const std::string value = fresh("k");
            line(std::string("const ") + valueType(kind) + " " + value + " = " +
                 sum(load(to.array, at), (dtype == DType::Bool ? "" : cast) + load(from.array, source)) + ";");
            values.emplace_back(at, value);
        }
        for (const auto &[at, value] : values) store(to.array, at, value);
        return true;
    }
    int depth = 0;
    std::string at = std::to_string(toBase), source2 = std::to_string(fromBase);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == 1) continue;
        at += " + i" + std::to_string(axis) + " * " + std::to_string(to.steps[axis]);
        source2 += " + i" + std::to_string(axis) + " * " + std::to_string(from.steps[axis]);
    }
    if (m_arrays[to.array].root == m_arrays[from.array].root) return false;
    line(loopsOver(shape, depth));
    line("p" + std::to_string(m_arrays[to.array].root) + "[" + at +
         "] = " + sum(load(to.array, at), (dtype == DType::Bool ? "" : cast) + load(from.array, source2)) + ";");
    return true;
}

bool LoopWriter::writeZeros(std::size_t array)
{
    const std::vector<std::int64_t> offsets = offsetsOf(array);
    if (offsets.size() > kMostVariables && m_arrays[array].root != array) return false;
    if (offsets.size() <= kMostVariables)
        for (std::int64_t offset : offsets) store(array, offset, "0");
    else line("for (long i = 0; i < " + std::to_string(offsets.size()) + "; ++i) p" + std::to_string(array) + "[i] = 0;");
    return true;
}

bool LoopWriter::writeIntegers(std::span<const std::int64_t> values)
{
    const std::vector<std::int64_t> places = offsetsOf(outputArray(0));
    for (std::size_t e = 0; e < places.size(); ++e) store(outputArray(0), places[e], std::to_string(values[e]) + "LL");
    return true;
}

} // namespace engine
