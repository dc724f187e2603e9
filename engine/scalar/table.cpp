#include "engine/scalar/table.h"

#include "engine/scalar/registers.h"
#include "engine/tensor/convert.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

namespace engine {

namespace {

class TableScalar final : public ScalarOp {
public:
    explicit TableScalar(const ScalarRow &row) : m_row(row)
    {
        m_code = row.code;
        m_name = row.name;
        m_symbol = row.symbol;
        m_className = row.className;
        m_friendly = row.friendly;
        m_infix = row.infix;
        m_arity = row.arity;
        m_cost = row.cost;
    }

    std::vector<DType> resultTypes(std::span<const DType> arguments) const override { return {resultType(arguments)}; }

    DType resultType(std::span<const DType> arguments) const override
    {
        if (m_arity >= 0 ? arguments.size() != static_cast<std::size_t>(m_arity) : arguments.empty())
            throw TypeMismatch("[" + m_symbol + "] takes " +
                               (m_arity < 0 ? "at least one argument" : std::to_string(m_arity) + " arguments") + ", got " +
                               std::to_string(arguments.size()));
        return resultOf(m_row.types, *this, arguments);
    }

    std::optional<DType> computeType(std::span<const DType> arguments) const override { return computeOf(m_row.types, arguments); }

    std::vector<terms::Term> slopes(const terms::Chain &chain) const override
    {
        if (m_row.derivative) return m_row.derivative(chain);
        std::vector<terms::Term> result;
        for (const terms::Term &argument : chain.in) {
            result.push_back(number(0, chain.g));
            if (!isDiscrete(argument.dtype())) result.back() = call(ScalarCode::Second, argument, result.back());
        }
        return result;
    }

    double evaluate(std::span<const double> arguments) const override
    {
        if (m_code == ScalarCode::Second) return arguments[1];
        if (m_code == ScalarCode::Switch) return arguments[0] != 0 ? arguments[1] : arguments[2];
        double value = arguments[0];
        if (m_arity == 1) return one({&value, 1});
        if (m_arity > 0) return one(arguments);
        for (double next : arguments.subspan(1)) {
            const double pair[] = {value, next};
            value = one(pair);
        }
        return value;
    }

private:
    /// Through the loop for one element: of doubles, or of integers where that is the only one.
    double one(std::span<const double> arguments) const
    {
        const RtOp op = *primitiveOf(m_code);
        const void *in[3];
        const auto run = [&](RtLoop loop, const auto *values, auto result) {
            for (std::size_t i = 0; i < arguments.size(); ++i) in[i] = values + i;
            loop(&result, in, 1);
            return static_cast<double>(result);
        };
        const RtLoop real = rt_table()->loops[op][RT_F64];
        if (real && isTest(op)) return run(real, arguments.data(), (unsigned char)0);
        if (real && !isComplexPair()) return run(real, arguments.data(), 0.0);
        if (isComplexPair()) return arguments[0] * (m_code == ScalarCode::ComplexFromPolar ? std::cos(arguments[1]) : 1);
        std::int64_t whole[3] = {};
        std::copy(arguments.begin(), arguments.end(), whole);
        return run(rt_table()->loops[op][RT_INT], whole, std::int64_t(0));
    }
    bool isComplexPair() const { return m_row.types == TypeRule::Complex; }

    const ScalarRow &m_row;
};

class CastScalar final : public ScalarOp {
public:
    explicit CastScalar(DType target) : m_target(target)
    {
        m_code = ScalarCode::Cast;
        m_name = "Cast{" + std::string(nameOf(target)) + "}";
        m_symbol = m_name;
        m_className = "Cast";
        m_friendly = nameOf(target);
        m_cost = 0.5;
    }

    std::vector<DType> resultTypes(std::span<const DType> arguments) const override { return {resultType(arguments)}; }
    DType resultType(std::span<const DType> arguments) const override
    {
        if (isComplex(arguments[0]) && !isComplex(m_target))
            throw TypeMismatch("[cast] cannot cast " + std::string(nameOf(arguments[0])) + " to " + std::string(nameOf(m_target)),
                               "use real(), imag() or abs_()");
        return m_target;
    }
    std::optional<DType> computeType(std::span<const DType>) const override { return std::nullopt; }
    std::vector<terms::Term> slopes(const terms::Chain &chain) const override
    {
        return {chain.g}; // a discrete target never gets here: its slope is zero
    }
    double evaluate(std::span<const double> arguments) const override
    {
        return withStorageType(m_target, [&]<class T>() { return convertElement<double>(convertElement<T>(arguments[0])); });
    }
    std::optional<DType> castTarget() const override { return m_target; }

private:
    DType m_target;
};

struct Registry {
    std::vector<ScalarOpPtr> all;
    std::array<ScalarOpPtr, static_cast<std::size_t>(ScalarCode::Composite) + 1> byCode{};
    std::array<ScalarOpPtr, kDTypeCount> casts{};
    std::unordered_map<std::string_view, ScalarOpPtr> byName;

    Registry()
    {
        for (const ScalarRow &row : scalarRows()) {
            const ScalarOpPtr op = new TableScalar(row);
            all.push_back(op);
            byCode[static_cast<std::size_t>(row.code)] = op;
            byName.emplace(op->name(), op);
            byName.emplace(op->symbol(), op);
        }
        for (std::size_t i = 0; i < casts.size(); ++i) {
            casts[i] = new CastScalar(static_cast<DType>(i));
            byName.emplace(casts[i]->name(), casts[i]);
        }
        static constexpr struct {
            std::string_view alias;
            ScalarCode code;
        } kAliases[] = {{"abs", ScalarCode::Abs},          {"fill", ScalarCode::Second},    {"where", ScalarCode::Switch},
                        {"floor_div", ScalarCode::IntDiv}, {"power", ScalarCode::Pow},      {"round", ScalarCode::RoundHalfToEven},
                        {"max", ScalarCode::Maximum},      {"min", ScalarCode::Minimum},    {"sign", ScalarCode::Sgn},
                        {"square", ScalarCode::Sqr},       {"conjugate", ScalarCode::Conj}, {"identity", ScalarCode::Identity}};
        for (const auto &entry : kAliases) byName.emplace(entry.alias, byCode[static_cast<std::size_t>(entry.code)]);
    }
};

const Registry &registry()
{
    static const auto *instance = new Registry;
    return *instance;
}

} // namespace

ScalarOpPtr scalarOp(ScalarCode code)
{
    ScalarOpPtr op = registry().byCode[static_cast<std::size_t>(code)];
    ENGINE_ASSERT(op, "Cast and Composite are not single functions");
    return op;
}

ScalarOpPtr findScalarOp(std::string_view name)
{
    const auto &names = registry().byName;
    auto found = names.find(name);
    return found == names.end() ? nullptr : found->second;
}

ScalarOpPtr castOp(DType target) { return registry().casts[static_cast<std::size_t>(target)]; }
std::span<const ScalarOpPtr> allScalarOps() { return registry().all; }

} // namespace engine
