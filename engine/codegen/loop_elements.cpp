// Elements of small arrays in a loop: scalar programs, and what combines elements.
#include "engine/codegen/loop_writer.h"
#include "engine/codegen/scalar_text.h"
#include "engine/codegen/step_text.h"
#include "engine/scalar/registers.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace engine {
namespace {

using Block = ScalarProgram::Block;
using Step = ScalarProgram::Step;
using Form = ScalarProgram::Form;

constexpr std::int64_t kMostUnrolled = 16;   // elements that are written one by one
constexpr std::int64_t kMostElements = 2048; // of an array in memory of the kernel's own

std::string declared(RtKind kind, const std::string &name, const std::string &value)
{
    return std::string("const ") + valueType(kind) + " " + name + " = " + value + ";";
}

int lanesFor(std::int64_t count) { return count >= 1024 ? 64 : count >= 128 ? 32 : count >= 16 ? 16 : 4; }

std::string identityText(RtReduce reduce, RtKind kind)
{
    switch (reduce) {
    case RT_PROD: return kind == RT_F32 ? "1.0f" : kind == RT_F64 ? "1.0" : "1";
    case RT_MAX:
        return kind == RT_F32   ? "-__builtin_inff()"
               : kind == RT_F64 ? "-__builtin_inf()"
               : kind == RT_INT ? "(-9223372036854775807LL - 1)"
                                : "0";
    case RT_MIN:
        return kind == RT_F32    ? "__builtin_inff()"
               : kind == RT_F64  ? "__builtin_inf()"
               : kind == RT_INT  ? "9223372036854775807LL"
               : kind == RT_UINT ? "~0ULL"
                                 : "1";
    case RT_ALL: return kind == RT_INT ? "-1LL" : kind == RT_UINT ? "~0ULL" : "1";
    default: return kind == RT_F32 ? "0.0f" : kind == RT_F64 ? "0.0" : "0";
    }
}

} // namespace

Dims LoopWriter::broadcastShape() const
{
    Dims shape(input(0).shape.size(), 1);
    for (std::size_t i = 0; i < inputCount(); ++i)
        for (std::size_t axis = 0; axis < shape.size(); ++axis)
            if (input(i).shape[axis] != 1) shape[axis] = input(i).shape[axis];
    return shape;
}

// Does an int hold every value that the block may have?
bool LoopWriter::isShort(const ScalarProgram &program, std::uint32_t block) const
{
    const auto isNarrow = [](DType dtype) { return isDiscrete(dtype) && sizeOf(dtype) <= (isUnsignedInteger(dtype) ? 2u : 4u); };
    const Block &b = program.blocks()[block];
    if (b.kind == Block::Kind::Literal) return std::abs(program.literals()[b.index].value) <= std::numeric_limits<int>::max();
    if (b.kind == Block::Kind::Input) return isNarrow(input(b.index).dtype);
    return std::any_of(program.steps().begin(), program.steps().end(),
                       [&](const Step &step) { return step.output == block && step.form == Form::Wrap && isNarrow(step.wrapTo); });
}

std::string LoopWriter::callText(const Step &step, const std::string &out, const Texts &in, const std::string &count)
{
    std::string arguments;
    for (const std::string &one : in) arguments += (arguments.empty() ? "" : ", ") + one;
    return "{ const void *in[] = {" + arguments + "}; math[" + std::to_string(mathOf(step.loop)) + "](" + out + ", in, " + count + "); }";
}

// values[block][element], each element by itself. Functions that are called take all elements at once.
bool LoopWriter::writeUnrolled(const ScalarProgram &program, const Dims &shape, std::vector<Texts> &values)
{
    const auto count = static_cast<std::size_t>(shape.product());
    values.assign(program.blocks().size(), {});
    for (std::uint32_t b = 0; b < values.size(); ++b) {
        const Block &block = program.blocks()[b];
        if (block.type == RT_COMPLEX) return false;
        if (block.kind == Block::Kind::Literal) values[b].assign(count, literalText(program.literals()[block.index]));
        if (block.kind != Block::Kind::Input) continue;
        const std::size_t array = inputArray(block.index);
        const Dims steps = stepsOf(array);
        for (std::size_t e = 0; e < count; ++e) {
            auto rest = static_cast<std::int64_t>(e);
            std::int64_t at = m_arrays[array].offset / itemSize(array);
            for (std::size_t axis = shape.size(); axis-- > 0;) {
                at += rest % shape[axis] * steps[axis];
                rest /= shape[axis];
            }
            values[b].push_back(load(array, at));
        }
    }
    for (const Step &step : program.steps()) {
        const RtKind kind = program.blocks()[step.output].type;
        Texts made;
        bool isCheap = true;
        for (std::size_t e = 0; e < count && isCheap; ++e) {
            Texts arguments;
            for (int i = 0; i < step.inputCount; ++i) arguments.push_back("(" + values[step.inputs[i]][e] + ")");
            auto text = stepText(program, step, arguments, [&](std::uint32_t block) { return isShort(program, block); });
            const bool isLog = step.form == Form::Op && step.op == RT_LOG && step.kind == RT_F64;
            if (!text && isLog) text = "logWide(" + arguments[0] + ")"; // of one element, a call takes longer
            isCheap = text.has_value();
            if (!isCheap) break;
            made.push_back(fresh("e"));
            line(declared(kind, made.back(), *text));
        }
        if (!isCheap) {
            made.clear();
            const std::string out = fresh("t");
            Texts arrays;
            std::string text = std::string(cType(kind)) + " " + out + "[" + std::to_string(count) + "];";
            for (int i = 0; i < step.inputCount; ++i) {
                std::string all;
                for (const std::string &value : values[step.inputs[i]]) all += (all.empty() ? "" : ", ") + value;
                arrays.push_back(fresh("t"));
                line(std::string("const ") + cType(program.blocks()[step.inputs[i]].type) + " " + arrays.back() + "[" +
                     std::to_string(count) + "] = {" + all + "};");
            }
            line(text);
            line(callText(step, out, arrays, std::to_string(count)));
            for (std::size_t e = 0; e < count; ++e) {
                made.push_back(fresh("e"));
                line(declared(kind, made.back(), out + "[" + std::to_string(e) + "]"));
            }
        }
        values[step.output] = std::move(made);
    }
    return true;
}

// The results into memory of the kernel's own, or of an array: `targets`, each an expression of the element's number `l`.
bool LoopWriter::writeLoops(const ScalarProgram &program, const Dims &shape, std::span<const std::string> targets)
{
    const std::int64_t count = shape.product();
    if (count > kMostElements) return false;
    const auto blocks = program.blocks();
    const auto steps = program.steps();
    const Dims dense = contiguousStrides(shape, 1);
    std::string number = "0";
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] != 1) number += " + i" + std::to_string(axis) + " * " + std::to_string(dense[axis]);
    // Where a call stands between two loops, what the second one needs of the first is kept in arrays.
    std::vector<std::size_t> part(steps.size());
    std::size_t parts = 0;
    std::vector<bool> isCheap(steps.size());
    for (std::size_t s = 0; s < steps.size(); ++s) {
        const Texts arguments(steps[s].inputCount, "(x)");
        isCheap[s] = stepText(program, steps[s], arguments, [&](std::uint32_t block) { return isShort(program, block); }).has_value();
        if (!isCheap[s]) ++parts;
        part[s] = parts;
        if (blocks[steps[s].output].type == RT_COMPLEX) return false;
    }
    std::vector<std::string> stored(blocks.size());
    const auto storeBlock = [&](std::uint32_t block) {
        if (!stored[block].empty() || blocks[block].kind == Block::Kind::Literal) return;
        stored[block] = fresh("t");
        line(std::string(cType(blocks[block].type)) + " " + stored[block] + "[" + std::to_string(count) + "] ALIGNED;");
    };
    std::vector<std::size_t> madeIn(blocks.size(), 0);
    for (std::size_t s = 0; s < steps.size(); ++s) madeIn[steps[s].output] = part[s];
    for (std::size_t s = 0; s < steps.size(); ++s)
        if (!isCheap[s]) storeBlock(steps[s].output);
    for (std::size_t s = 0; s < steps.size(); ++s)
        for (int i = 0; i < steps[s].inputCount; ++i) {
            const std::uint32_t block = steps[s].inputs[i];
            if (!isCheap[s] || (blocks[block].kind == Block::Kind::Temporary && madeIn[block] < part[s])) storeBlock(block);
        }
    for (std::uint32_t output : program.outputs())
        if (blocks[output].kind == Block::Kind::Temporary && madeIn[output] < parts) storeBlock(output);
    // What is one element for all is loaded before; variables of which each element has its own go to an array.
    std::vector<std::string> from(blocks.size());
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        if (blocks[b].kind == Block::Kind::Literal) from[b] = literalText(program.literals()[blocks[b].index]);
        if (blocks[b].kind != Block::Kind::Input) continue;
        const std::size_t array = inputArray(blocks[b].index);
        const Dims steps = stepsOf(array);
        const std::int64_t base = m_arrays[array].offset / itemSize(array);
        if (m_arrays[array].shape.product() == 1) {
            from[b] = fresh("e");
            line(declared(blocks[b].type, from[b], load(array, base)));
            continue;
        }
        std::string at = std::to_string(base);
        if (isScalars(m_arrays[array].root)) {
            const std::string spread = fresh("t");
            const Dims own = contiguousStrides(m_arrays[array].shape, 1);
            std::string all;
            for (std::int64_t offset : offsetsOf(array)) all += (all.empty() ? "" : ", ") + load(array, offset);
            line(std::string("const ") + cType(blocks[b].type) + " " + spread + "[] = {" + all + "};");
            at = "0";
            for (std::size_t axis = 0; axis < shape.size(); ++axis)
                if (m_arrays[array].shape[axis] != 1) at += " + i" + std::to_string(axis) + " * " + std::to_string(own[axis]);
            from[b] = spread + "[" + at + "]";
            continue;
        }
        for (std::size_t axis = 0; axis < shape.size(); ++axis)
            if (steps[axis] != 0) at += " + i" + std::to_string(axis) + " * " + std::to_string(steps[axis]);
        from[b] = load(array, at);
    }
    int depth = 0;
    const std::string heads = loopsOver(shape, depth);
    for (std::size_t p = 0; p <= parts; ++p) {
        for (std::size_t s = 0; s < steps.size(); ++s) {
            if (part[s] != p || isCheap[s]) continue;
            Texts arrays;
            for (int i = 0; i < steps[s].inputCount; ++i) {
                const std::uint32_t block = steps[s].inputs[i];
                if (blocks[block].kind != Block::Kind::Literal) {
                    arrays.push_back(stored[block]);
                    continue;
                }
                arrays.push_back(fresh("t"));
                line(std::string(cType(blocks[block].type)) + " " + arrays.back() + "[" + std::to_string(count) + "] ALIGNED;");
                line("for (long l = 0; l < " + std::to_string(count) + "; ++l) " + arrays.back() + "[l] = " + from[block] + ";");
            }
            line(callText(steps[s], stored[steps[s].output], arrays, std::to_string(count)));
        }
        std::string body;
        std::vector<std::string> local(blocks.size());
        const auto value = [&](std::uint32_t block) {
            if (!local[block].empty()) return local[block];
            if (blocks[block].kind != Block::Kind::Temporary) return from[block];
            return stored[block] + "[" + number + "]";
        };
        for (std::size_t s = 0; s < steps.size(); ++s) {
            if (part[s] != p || !isCheap[s]) continue;
            Texts arguments;
            for (int i = 0; i < steps[s].inputCount; ++i) arguments.push_back("(" + value(steps[s].inputs[i]) + ")");
            const std::string made = fresh("e");
            body += declared(blocks[steps[s].output].type, made,
                             *stepText(program, steps[s], arguments, [&](std::uint32_t block) { return isShort(program, block); })) +
                    " ";
            local[steps[s].output] = made;
            if (!stored[steps[s].output].empty()) body += stored[steps[s].output] + "[" + number + "] = " + made + "; ";
        }
        if (p < parts) // inputs that a call reads, in the order of the elements
            for (std::uint32_t b = 0; b < blocks.size(); ++b)
                if (p == 0 && blocks[b].kind == Block::Kind::Input && !stored[b].empty())
                    body += stored[b] + "[" + number + "] = " + from[b] + "; ";
        if (p == parts)
            for (std::size_t o = 0; o < program.outputs().size(); ++o) body += targets[o] + " = " + value(program.outputs()[o]) + "; ";
        if (!body.empty()) line(heads + "{ const long l = " + number + "; " + body + "}");
    }
    return true;
}

bool LoopWriter::writeElements(const ScalarProgram &program)
{
    const Dims shape = broadcastShape();
    const std::int64_t count = shape.product();
    if (count == 0) return false;
    for (std::size_t o = 0; o < m_applied->outputs.size(); ++o)
        if (program.blocks()[program.outputs()[o]].type != registerKind(output(o).dtype)) return false;
    if (count <= kMostUnrolled) {
        std::vector<Texts> values;
        if (!writeUnrolled(program, shape, values)) return false;
        // Taken along first: an output may overwrite an input of another one.
        for (std::size_t o = 0; o < m_applied->outputs.size(); ++o) {
            const std::vector<std::int64_t> offsets = offsetsOf(outputArray(o));
            for (std::size_t e = 0; e < offsets.size(); ++e) {
                std::string &value = values[program.outputs()[o]][e];
                if (program.blocks()[program.outputs()[o]].kind != Block::Kind::Input) continue;
                const std::string taken = fresh("e");
                line(declared(program.blocks()[program.outputs()[o]].type, taken, value));
                value = taken;
            }
        }
        for (std::size_t o = 0; o < m_applied->outputs.size(); ++o) {
            const std::vector<std::int64_t> offsets = offsetsOf(outputArray(o));
            for (std::size_t e = 0; e < offsets.size(); ++e) store(outputArray(o), offsets[e], values[program.outputs()[o]][e]);
        }
        return true;
    }
    Texts targets;
    for (std::size_t o = 0; o < m_applied->outputs.size(); ++o) {
        const std::size_t array = outputArray(o);
        if (isScalars(m_arrays[array].root)) return false;
        const Dims steps = stepsOf(array);
        std::string at = std::to_string(m_arrays[array].offset / itemSize(array));
        for (std::size_t axis = 0; axis < steps.size(); ++axis)
            if (steps[axis] != 0) at += " + i" + std::to_string(axis) + " * " + std::to_string(steps[axis]);
        targets.push_back("p" + std::to_string(m_arrays[array].root) + "[" + at + "]");
    }
    return writeLoops(program, shape, targets);
}

// As the folds of rt/ do: lanes by the length, folded by halves, into the identity.
void LoopWriter::foldTexts(const Texts &elements, RtReduce reduce, RtKind accumulator, RtKind, std::string &result)
{
    const std::string identity = identityText(reduce, accumulator);
    const std::string cast = std::string("(") + valueType(accumulator) + ")";
    Texts lanes(static_cast<std::size_t>(lanesFor(static_cast<std::int64_t>(elements.size()))), identity);
    const auto combine = [&](const std::string &a, const std::string &b) {
        const std::string made = fresh("e");
        line(declared(accumulator, made, combinedText(reduce, accumulator, a, b)));
        return made;
    };
    // A sum begins at 0, which makes -0 to 0; of others the first element is what it gives with the identity.
    const bool beginsAtFirst = reduce == RT_MAX || reduce == RT_MIN || reduce == RT_PROD;
    for (std::size_t e = 0; e < elements.size(); ++e) {
        std::string &lane = lanes[e % lanes.size()];
        const std::string element = "(" + cast + "(" + elements[e] + "))";
        lane = beginsAtFirst && e < lanes.size() ? element : combine(lane, element);
    }
    while (lanes.size() > 1) {
        Texts half;
        for (std::size_t j = 0; j < lanes.size() / 2; ++j) {
            const std::string &a = lanes[j], &b = lanes[j + lanes.size() / 2];
            half.push_back(b == identity && (beginsAtFirst || a == identity) ? a : combine(a, b));
        }
        lanes = std::move(half);
    }
    result = beginsAtFirst && elements.size() > 1 ? lanes[0] : combine(identity, lanes[0]);
}

std::string LoopWriter::foldMemory(const std::string &array, std::int64_t count, RtReduce reduce, RtKind accumulator, RtKind)
{
    const int lanes = lanesFor(count);
    const std::string lane = fresh("t"), n = std::to_string(lanes), type = valueType(accumulator);
    line(type + " " + lane + "[" + n + "] ALIGNED;");
    line("for (int j = 0; j < " + n + "; ++j) " + lane + "[j] = " + identityText(reduce, accumulator) + ";");
    const std::int64_t whole = count / lanes * lanes;
    const auto into = [&](const std::string &at) {
        return lane + "[j] = " + combinedText(reduce, accumulator, lane + "[j]", "((" + type + ")" + array + "[" + at + "])") + ";";
    };
    line("for (long l = 0; l < " + std::to_string(whole) + "; l += " + n + ") IVDEP for (int j = 0; j < " + n + "; ++j) " + into("l + j"));
    if (whole < count) line("for (int j = 0; j < " + std::to_string(count - whole) + "; ++j) " + into(std::to_string(whole) + " + j"));
    for (int half = lanes / 2; half > 0; half /= 2)
        line("for (int j = 0; j < " + std::to_string(half) + "; ++j) " + lane +
             "[j] = " + combinedText(reduce, accumulator, lane + "[j]", lane + "[j + " + std::to_string(half) + "]") + ";");
    const std::string made = fresh("e");
    line(declared(accumulator, made, combinedText(reduce, accumulator, identityText(reduce, accumulator), lane + "[0]")));
    return made;
}

bool LoopWriter::writeFold(const ScalarProgram *program, RtReduce reduce, std::span<const int> axes, RtKind accumulator)
{
    const Dims shape = program ? broadcastShape() : input(0).shape;
    const RtKind element = program ? program->blocks()[program->outputs()[0]].type : registerKind(input(0).dtype);
    const RtKind made = registerKind(output(0).dtype);
    if (shape.product() == 0 || !elementsBecome(element, accumulator)) return false;
    if (made != accumulator && !(made == RT_F32 && accumulator == RT_F64)) return false;
    if (!isNativeRegister(output(0).dtype)) return false;
    // The axes that vanish are the last ones of more than one element, or the first ones.
    std::vector<bool> vanishes(shape.size(), false);
    for (int axis : axes) vanishes[static_cast<std::size_t>(axis)] = true;
    std::int64_t combined = 1, kept = 1;
    std::vector<bool> order; // of the axes of more than one element
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == 1) continue;
        (vanishes[axis] ? combined : kept) *= shape[axis];
        if (order.empty() || order.back() != vanishes[axis]) order.push_back(vanishes[axis]);
    }
    if (order.size() > 2) return false;
    const bool isByRows = order.empty() || order.back(), isAlone = kept == 1;
    const std::int64_t count = shape.product();
    const std::vector<std::int64_t> results = offsetsOf(outputArray(0));
    const auto finish = [&](std::int64_t r, const std::string &value) {
        store(outputArray(0), results[static_cast<std::size_t>(r)], made == accumulator ? value : "(float)" + value);
    };
    if (count <= 4 * kMostUnrolled) {
        std::vector<Texts> values;
        Texts elements;
        if (program) {
            if (!writeUnrolled(*program, shape, values)) return false;
            elements = values[program->outputs()[0]];
        } else {
            for (std::int64_t offset : offsetsOf(inputArray(0))) elements.push_back(load(inputArray(0), offset));
        }
        Texts folded;
        for (std::int64_t r = 0; r < kept; ++r) {
            std::string result;
            if (isByRows || isAlone) {
                foldTexts(Texts(elements.begin() + r * combined, elements.begin() + (r + 1) * combined), reduce, accumulator, element,
                          result);
            } else {
                result = identityText(reduce, accumulator);
                for (std::int64_t c = 0; c < combined; ++c) {
                    const std::string next = fresh("e"), cast = std::string("((") + valueType(accumulator) + ")(";
                    line(declared(
                        accumulator, next,
                        combinedText(reduce, accumulator, result, cast + elements[static_cast<std::size_t>(c * kept + r)] + "))")));
                    result = next;
                }
            }
            folded.push_back(result);
        }
        for (std::int64_t r = 0; r < kept; ++r) finish(r, folded[static_cast<std::size_t>(r)]);
        return true;
    }
    if (count > kMostElements || (kept > kMostUnrolled && !isByRows)) return false;
    if (kept > 4 * kMostUnrolled) return false;
    const std::string elements = fresh("t");
    line(std::string(cType(element)) + " " + elements + "[" + std::to_string(count) + "] ALIGNED;");
    if (program) {
        const std::string target = elements + "[l]";
        if (!writeLoops(*program, shape, {&target, 1})) return false;
    } else {
        const std::size_t array = inputArray(0);
        if (isScalars(m_arrays[array].root)) return false;
        const Dims steps = stepsOf(array), dense = contiguousStrides(shape, 1);
        std::string at = std::to_string(m_arrays[array].offset / itemSize(array)), to = "0";
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            if (shape[axis] == 1) continue;
            at += " + i" + std::to_string(axis) + " * " + std::to_string(steps[axis]);
            to += " + i" + std::to_string(axis) + " * " + std::to_string(dense[axis]);
        }
        int depth = 0;
        line(loopsOver(shape, depth) + elements + "[" + to + "] = " + load(array, at) + ";");
    }
    Texts folded;
    if (isByRows || isAlone) {
        for (std::int64_t r = 0; r < kept; ++r)
            folded.push_back(
                foldMemory("(" + elements + " + " + std::to_string(r * combined) + ")", combined, reduce, accumulator, element));
    } else {
        for (std::int64_t r = 0; r < kept; ++r) {
            const std::string sum = fresh("e");
            line(std::string(valueType(accumulator)) + " " + sum + " = " + identityText(reduce, accumulator) + ";");
            line("for (long j = 0; j < " + std::to_string(combined) + "; ++j) " + sum + " = " +
                 combinedText(reduce, accumulator, sum,
                              std::string("((") + valueType(accumulator) + ")" + elements + "[j * " + std::to_string(kept) + " + " +
                                  std::to_string(r) + "])") +
                 ";");
            folded.push_back(sum);
        }
    }
    for (std::int64_t r = 0; r < kept; ++r) finish(r, folded[static_cast<std::size_t>(r)]);
    return true;
}

} // namespace engine
