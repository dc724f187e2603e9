#include "engine/scalar/terms.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/fork.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <unordered_map>

namespace engine {
namespace {

using terms::Term;

// The shortest text that reads back as the same number of its type: 0.1 of a float32, not 0.10000000149011612.
std::string numberText(double value, DType type = DType::Float64)
{
    const auto sameAs = [&](double read) {
        return type == DType::Float32 ? static_cast<float>(read) == static_cast<float>(value) : read == value;
    };
    char text[32];
    for (int digits = 1; digits <= 17; ++digits) {
        std::snprintf(text, sizeof text, "%.*g", digits, value);
        if (sameAs(std::strtod(text, nullptr))) {
            std::snprintf(text, sizeof text, "%.*g", std::max(digits, 6), value); // 50, not 5e+01
            break;
        }
    }
    return text;
}

// Theano's final style: i0 … for inputs, infix operators in parentheses, t0 … for values used more than once.
class Printer {
public:
    explicit Printer(const ScalarBody &body) : m_body(body)
    {
        std::vector<int> uses(body.instructions.size(), 0);
        auto use = [&](std::uint32_t argument) {
            if (argument >= body.inputCount) ++uses[argument - body.inputCount];
        };
        for (const auto &instruction : body.instructions)
            for (std::uint32_t argument : instruction.arguments) use(argument);
        m_names.resize(uses.size());
        for (std::size_t o = 0; o < body.outputs.size(); ++o)
            if (body.outputs[o] >= body.inputCount && uses[body.outputs[o] - body.inputCount] > 0)
                m_names[body.outputs[o] - body.inputCount] = "o" + std::to_string(o);
        int count = 0;
        for (std::size_t i = 0; i < uses.size(); ++i)
            if (uses[i] > 1 && m_names[i].empty() && body.instructions[i].op) m_names[i] = "t" + std::to_string(count++);
    }

    std::string run()
    {
        m_texts.resize(m_body.instructions.size());
        std::string shared;
        for (std::size_t i = 0; i < m_texts.size(); ++i) {
            m_texts[i] = text(m_body.instructions[i]);
            if (m_names[i].empty() || m_names[i][0] != 't') continue;
            shared += (shared.empty() ? " where " : ", ") + m_names[i] + " = " + m_texts[i];
        }
        std::string result;
        for (std::uint32_t output : m_body.outputs) {
            if (!result.empty()) result += ", ";
            result += output < m_body.inputCount ? reference(output) : m_texts[output - m_body.inputCount];
        }
        return "Composite{" + result + shared + "}";
    }

private:
    std::string reference(std::uint32_t argument) const
    {
        if (argument < m_body.inputCount) return "i" + std::to_string(argument);
        const std::size_t i = argument - m_body.inputCount;
        return m_names[i].empty() ? m_texts[i] : m_names[i];
    }

    std::string text(const ScalarInstruction &instruction) const
    {
        if (!instruction.op) return numberText(instruction.literal, instruction.dtype);
        const std::string &infix = instruction.op->infix();
        // Comparisons are printed as calls, GT(a, b), as Theano does; only arithmetic is infix.
        const ScalarCode code = instruction.op->code();
        const bool isInfix = !infix.empty() && code <= ScalarCode::Neg;
        std::string result;
        for (std::size_t k = 0; k < instruction.arguments.size(); ++k) {
            if (k) result += isInfix ? " " + infix + " " : ", ";
            result += reference(instruction.arguments[k]);
        }
        if (!isInfix) return instruction.op->name() + "(" + result + ")";
        return "(" + (instruction.arguments.size() == 1 ? infix : "") + result + ")";
    }

    const ScalarBody &m_body;
    std::vector<std::string> m_names, m_texts;
};

class CompositeScalar final : public ScalarOp {
public:
    explicit CompositeScalar(ScalarBody body) : m_body(std::move(body))
    {
        m_code = ScalarCode::Composite;
        m_name = Printer(m_body).run();
        m_symbol = m_name;
        m_className = "Composite";
        m_arity = static_cast<int>(m_body.inputCount);
        m_cost = 0;
        for (const auto &instruction : m_body.instructions)
            if (instruction.op) m_cost += instruction.op->cost();
        m_friendly = m_name.substr(10, m_name.size() - 11);
    }

    int outputCount() const override { return static_cast<int>(m_body.outputs.size()); }

    std::vector<DType> resultTypes(std::span<const DType> arguments) const override
    {
        check(arguments);
        std::vector<DType> result;
        for (std::uint32_t output : m_body.outputs) result.push_back(typeOf(output));
        return result;
    }
    DType resultType(std::span<const DType> arguments) const override
    {
        check(arguments);
        return typeOf(m_body.outputs[0]);
    }
    std::optional<DType> computeType(std::span<const DType>) const override { return std::nullopt; }

    std::vector<Term> slopes(const terms::Chain &chain) const override
    {
        ENGINE_ASSERT(m_body.outputs.size() == 1, "a Composite of several outputs is differentiated one by one");
        std::vector<Term> values(chain.in.begin(), chain.in.end());
        for (const auto &instruction : m_body.instructions)
            values.push_back(instruction.op ? call(instruction.op, pick(values, instruction.arguments))
                                            : terms::constant(instruction.dtype, instruction.literal, chain.g));
        std::vector<Term> arrived(values.size());
        arrived[m_body.outputs[0]] = chain.g;
        for (std::size_t i = m_body.instructions.size(); i-- > 0;) {
            const ScalarInstruction &instruction = m_body.instructions[i];
            const Term &g = arrived[m_body.inputCount + i];
            if (!instruction.op || g.isDisconnected()) continue;
            const std::vector<Term> terms = slopesOfStep(instruction, values, values[m_body.inputCount + i], g);
            for (std::size_t k = 0; k < terms.size(); ++k) {
                Term &total = arrived[instruction.arguments[k]];
                if (total.isUndefined() || terms[k].isDisconnected()) continue;
                total = total.isDisconnected() || terms[k].isUndefined() ? terms[k] : total + terms[k];
            }
        }
        arrived.resize(m_body.inputCount);
        return arrived;
    }

    double evaluate(std::span<const double> arguments) const override
    {
        std::vector<double> values(arguments.begin(), arguments.end());
        std::vector<double> now;
        for (const auto &instruction : m_body.instructions) {
            if (!instruction.op) {
                values.push_back(instruction.literal);
                continue;
            }
            now.clear();
            for (std::uint32_t argument : instruction.arguments) now.push_back(values[argument]);
            values.push_back(instruction.op->evaluate(now));
        }
        return values[m_body.outputs[0]];
    }

    const ScalarBody *body() const override { return &m_body; }

private:
    DType typeOf(std::uint32_t value) const
    {
        return value < m_body.inputCount ? m_body.inputTypes[value] : m_body.instructions[value - m_body.inputCount].dtype;
    }

    void check(std::span<const DType> arguments) const
    {
        if (std::equal(arguments.begin(), arguments.end(), m_body.inputTypes.begin(), m_body.inputTypes.end())) return;
        std::string wanted, got;
        for (DType dtype : m_body.inputTypes) wanted += (wanted.empty() ? "" : ", ") + std::string(nameOf(dtype));
        for (DType dtype : arguments) got += (got.empty() ? "" : ", ") + std::string(nameOf(dtype));
        throw TypeMismatch("[" + m_name + "] takes (" + wanted + "), got (" + got + ")");
    }

    static std::vector<Term> pick(const std::vector<Term> &values, const std::vector<std::uint32_t> &which)
    {
        std::vector<Term> result;
        for (std::uint32_t one : which) result.push_back(values[one]);
        return result;
    }

    static std::vector<Term> slopesOfStep(const ScalarInstruction &instruction, const std::vector<Term> &values, const Term &result,
                                          const Term &g)
    {
        const std::vector<Term> arguments = pick(values, instruction.arguments);
        const bool isSecond = instruction.op->code() == ScalarCode::Second;
        std::vector<Term> slopes;
        if (g.isUndefined()) {
            slopes.assign(arguments.size(), g);
        } else if (isDiscrete(instruction.dtype)) { // flat almost everywhere
            for (const Term &argument : arguments) slopes.push_back(call(ScalarCode::Second, argument, number(0, argument)));
        } else {
            return instruction.op->slopes({*instruction.op, arguments, result, cast(g, instruction.dtype)});
        }
        if (isSecond) slopes[0] = Term();
        return slopes;
    }

    ScalarBody m_body;
};

std::string keyOf(const ScalarBody &body)
{
    std::string key;
    auto put = [&](const auto &value) { key.append(reinterpret_cast<const char *>(&value), sizeof value); };
    put(body.inputCount);
    for (DType dtype : body.inputTypes) put(dtype);
    for (const auto &instruction : body.instructions) {
        put(instruction.op);
        put(instruction.dtype);
        put(std::bit_cast<std::uint64_t>(instruction.literal));
        put(static_cast<std::uint32_t>(instruction.arguments.size()));
        for (std::uint32_t argument : instruction.arguments) put(argument);
    }
    put(0xFFFFFFFFu);
    for (std::uint32_t output : body.outputs) put(output);
    return key;
}

} // namespace

ScalarOpPtr compositeOp(ScalarBody body)
{
    ENGINE_ASSERT(body.inputTypes.size() == body.inputCount, "a Composite body names the dtype of each input");
    static ProcessMutex mutex; // guards table
    static auto *table = new std::unordered_map<std::string, ScalarOpPtr>;
    std::string key = keyOf(body);
    std::lock_guard lock(mutex);
    ScalarOpPtr &place = (*table)[std::move(key)];
    if (!place) place = new CompositeScalar(std::move(body));
    return place;
}

} // namespace engine
