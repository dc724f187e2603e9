#include "engine/scalar/table.h"

#include "engine/tensor/convert.h"
#include "engine/tensor/errors.h"

#include <array>
#include <unordered_map>

namespace engine {

std::string_view cTypeName(DType dtype)
{
    static constexpr std::string_view names[kDTypeCount] = {
        "_Bool",          "signed char", "short",  "int", "long", "unsigned char", "unsigned short", "unsigned int", "unsigned long",
        "unsigned short", "float",       "double", "",    ""};
    return names[static_cast<std::size_t>(dtype)];
}

namespace {

bool hasC(DType dtype) { return !isComplex(dtype) && dtype != DType::Float16; }

std::string converted(const std::string &text, DType from, DType to)
{
    if (from == to) return text;
    return "((" + std::string(cTypeName(to)) + ")" + text + ")";
}

std::string fillTemplate(const char *pattern, std::span<const std::string> args, bool isFloat32)
{
    std::string result;
    for (const char *p = pattern; *p; ++p) {
        if (*p == '$') result += args[static_cast<std::size_t>(*++p - '0')];
        else if (*p == '@') result += isFloat32 ? "f" : "";
        else result += *p;
    }
    return result;
}

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
        m_associative = row.arity < 0;
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

    std::optional<std::string> cText(std::span<const std::string> args, std::span<const DType> types) const override
    {
        const auto compute = computeType(types);
        const DType result = resultType(types);
        for (DType dtype : types)
            if (!hasC(dtype)) return std::nullopt;
        const DType work = compute.value_or(types[0]);
        if (!hasC(work) || !hasC(result)) return std::nullopt;
        const char *pattern = isDiscrete(work) && m_row.cDiscrete ? m_row.cDiscrete : m_row.c;
        if (!pattern) return std::nullopt;
        if (m_code == ScalarCode::Invert && work == DType::Bool) pattern = "(!$0)";

        std::vector<std::string> texts;
        for (std::size_t i = 0; i < args.size(); ++i) {
            const bool stays = !compute || (i == 0 && (m_code == ScalarCode::Switch || m_code == ScalarCode::Second));
            texts.push_back(stays ? args[i] : converted(args[i], types[i], *compute));
        }
        const bool isFloat32 = work == DType::Float32;
        std::string text;
        if (m_arity >= 0) {
            text = fillTemplate(pattern, texts, isFloat32);
        } else {
            text = texts[0];
            for (std::size_t i = 1; i < texts.size(); ++i) {
                const std::string pair[] = {text, texts[i]};
                text = fillTemplate(pattern, pair, isFloat32);
            }
        }
        // C computes small integers in int: the result is cut back to its own width.
        if (result != work || (isDiscrete(work) && sizeOf(work) < 4)) text = "((" + std::string(cTypeName(result)) + ")" + text + ")";
        return text;
    }

    double evaluate(std::span<const double> arguments) const override { return m_row.evaluate(arguments.data(), arguments.size()); }

private:
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
    std::optional<std::string> cText(std::span<const std::string> args, std::span<const DType> types) const override
    {
        if (!hasC(types[0]) || !hasC(m_target)) return std::nullopt;
        return converted(args[0], types[0], m_target);
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
        for (auto rows : {arithmeticRows(), logicRows(), exponentialRows(), trigonometricRows(), specialRows(), complexRows()}) {
            for (const ScalarRow &row : rows) {
                ScalarOpPtr op = new TableScalar(row);
                all.push_back(op);
                ScalarOpPtr &place = byCode[static_cast<std::size_t>(row.code)];
                ENGINE_ASSERT(!place, std::string("the table names a scalar code twice: ") + row.name);
                place = op;
                byName.emplace(op->name(), op);
                byName.emplace(op->symbol(), op);
            }
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
