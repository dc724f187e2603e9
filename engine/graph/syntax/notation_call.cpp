#include "engine/graph/syntax/notation_call.h"

#include "engine/graph/ir/builders.h"
#include "engine/graph/op/op.h"
#include "engine/scalar/scalar_op.h"
#include "engine/tensor/convert.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/fork.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>

namespace engine {

// --- values -----------------------------------------------------------------------------------------

NotationValue NotationValue::ofInteger(std::int64_t value)
{
    NotationValue result;
    result.kind = Kind::Integer;
    result.integer = value;
    return result;
}

NotationValue NotationValue::ofReal(double value)
{
    NotationValue result;
    result.kind = Kind::Real;
    result.real = value;
    return result;
}

NotationValue NotationValue::ofBoolean(bool value)
{
    NotationValue result = ofInteger(value);
    result.kind = Kind::Boolean;
    return result;
}

NotationValue NotationValue::ofText(std::string value)
{
    NotationValue result;
    result.kind = Kind::Text;
    result.text = std::move(value);
    return result;
}

NotationValue NotationValue::ofList(std::vector<NotationValue> values)
{
    NotationValue result;
    result.kind = Kind::List;
    result.items = std::move(values);
    return result;
}

NotationValue NotationValue::ofVariables(std::span<const VarRef> variables)
{
    return ofList(std::vector<NotationValue>(variables.begin(), variables.end()));
}

std::string NotationValue::describe() const
{
    switch (kind) {
    case Kind::Variable: return "a variable";
    case Kind::Integer: return "the number " + std::to_string(integer);
    case Kind::Real: return "a number with a fraction";
    case Kind::Boolean: return integer ? "True" : "False";
    case Kind::Text: return "the text '" + text + "'";
    case Kind::List: return "a list";
    case Kind::None: return "None";
    }
    return "something else";
}

namespace {

constexpr std::int64_t kMaxElements = 1 << 20;

void measure(const NotationValue &value, std::size_t depth, Dims &shape, bool &fraction, bool &boolean)
{
    if (value.isNumber()) {
        if (depth != shape.size()) throw NotationError("the rows of an array have to be lists of one length", value.line, value.column);
        fraction |= value.kind == NotationValue::Kind::Real;
        boolean &= value.kind == NotationValue::Kind::Boolean;
        return;
    }
    if (value.kind != NotationValue::Kind::List)
        throw NotationError("an array holds numbers only, not " + value.describe(), value.line, value.column,
                            "put variables together with stack or join");
    if (depth == shape.size() || static_cast<std::int64_t>(value.items.size()) != shape[depth])
        throw NotationError("the rows of an array have to be lists of one length", value.line, value.column);
    for (const NotationValue &item : value.items) measure(item, depth + 1, shape, fraction, boolean);
}

template <class T>
void fillElements(const NotationValue &value, T *&out)
{
    if (value.kind == NotationValue::Kind::List) {
        for (const NotationValue &item : value.items) fillElements(item, out);
    } else if (value.kind == NotationValue::Kind::Real) {
        *out++ = convertElement<T>(value.real);
    } else {
        *out++ = convertElement<T>(value.integer);
    }
}

// [n, x.shape[0], 3]
VarRef vectorOf(const NotationValue &list, DType floatX)
{
    std::vector<VarRef> scalars;
    for (const NotationValue &item : list.items) {
        scalars.push_back(item.kind == NotationValue::Kind::Variable ? item.variable : notationConstant(item, {}, floatX));
        if (scalars.back()->type().rank() != 0)
            throw NotationError("a list holds numbers and scalar variables only", item.line, item.column,
                                "put arrays together with stack or join");
    }
    return builders().makeVector(scalars);
}

} // namespace

VarRef notationConstant(const NotationValue &value, std::optional<DType> dtype, DType floatX)
{
    if (!dtype && value.kind == NotationValue::Kind::List &&
        std::any_of(value.items.begin(), value.items.end(),
                    [](const NotationValue &item) { return item.kind == NotationValue::Kind::Variable; }))
        return vectorOf(value, floatX);
    if (value.isNumber() && !dtype) {
        if (value.kind == NotationValue::Kind::Real) return literal(value.real, floatX);
        if (value.kind == NotationValue::Kind::Integer) return literal(value.integer);
    }
    Dims shape;
    for (const NotationValue *at = &value; at->kind == NotationValue::Kind::List; at = &at->items.front()) {
        if (shape.rank() == kMaxRank)
            throw NotationError("an array has at most " + std::to_string(kMaxRank) + " dimensions", at->line, at->column);
        shape.push_back(static_cast<std::int64_t>(at->items.size()));
        if (at->items.empty()) break;
    }
    bool fraction = false, boolean = true;
    measure(value, 0, shape, fraction, boolean);
    if (shape.product() > kMaxElements)
        throw NotationError("an array written out has at most a million elements", value.line, value.column);
    if (!dtype) dtype = shape.product() == 0 || fraction ? DType::Float64 : boolean ? DType::Bool : DType::Int64;
    Tensor tensor = Tensor::empty(*dtype, shape);
    withStorageType(*dtype, [&]<class T>() {
        T *out = tensor.as<T>();
        fillElements(value, out);
    });
    return Variable::constant(std::move(tensor));
}

// --- calls ------------------------------------------------------------------------------------------

NotationCall::NotationCall(std::string function, std::vector<NotationValue> positional,
                           std::vector<std::pair<std::string, NotationValue>> named, DType floatX, int line, int column)
    : m_function(std::move(function)), m_positional(std::move(positional)), m_named(std::move(named)), m_used(m_named.size(), false),
      m_floatX(floatX), m_line(line), m_column(column)
{}

void NotationCall::fail(const std::string &message, const std::string &hint) const { throw NotationError(message, m_line, m_column, hint); }

void NotationCall::failAt(const NotationValue &where, const std::string &message, const std::string &hint) const
{
    throw NotationError(message, where.line, where.column, hint);
}

const NotationValue *NotationCall::take(std::string_view name)
{
    const NotationValue *found = nullptr;
    if (m_next < m_positional.size()) found = &m_positional[m_next];
    ++m_next;
    for (std::size_t i = 0; i < m_named.size(); ++i) {
        if (m_named[i].first != name) continue;
        if (found) failAt(m_named[i].second, m_function + " gets " + std::string(name) + " twice");
        m_used[i] = true;
        found = &m_named[i].second;
    }
    return found;
}

void NotationCall::assume(std::string_view name, const NotationValue &fallback)
{
    const auto isNamed = [&](const auto &one) { return one.first == name; };
    if (fallback.kind == NotationValue::Kind::None || m_next < m_positional.size() || std::any_of(m_named.begin(), m_named.end(), isNamed))
        return;
    m_named.emplace_back(name, fallback);
    m_used.push_back(false);
}

const NotationValue &NotationCall::need(std::string_view name)
{
    const NotationValue *found = take(name);
    if (!found) fail(m_function + " needs the argument " + std::string(name));
    return *found;
}

VarRef NotationCall::toVariable(const NotationValue &value) const
{
    if (value.kind == NotationValue::Kind::Variable) return value.variable;
    if (value.isNumber() || value.kind == NotationValue::Kind::List) return notationConstant(value, {}, m_floatX);
    failAt(value, m_function + " works on variables and numbers, not on " + value.describe());
}

VarRef NotationCall::variable(std::string_view name) { return toVariable(need(name)); }

std::optional<VarRef> NotationCall::variableIfGiven(std::string_view name)
{
    const NotationValue *value = take(name);
    if (!value || value->kind == NotationValue::Kind::None) return std::nullopt;
    return toVariable(*value);
}

std::int64_t NotationCall::integer(std::string_view name, std::optional<std::int64_t> fallback)
{
    const NotationValue *value = fallback ? take(name) : &need(name);
    if (!value) return *fallback;
    if (value->kind != NotationValue::Kind::Integer)
        failAt(*value, std::string(name) + " of " + m_function + " is a whole number, not " + value->describe());
    return value->integer;
}

double NotationCall::real(std::string_view name, std::optional<double> fallback)
{
    const NotationValue *value = fallback ? take(name) : &need(name);
    if (!value) return *fallback;
    if (!value->isNumber()) failAt(*value, std::string(name) + " of " + m_function + " is a number, not " + value->describe());
    return value->number();
}

bool NotationCall::flag(std::string_view name, bool fallback)
{
    const NotationValue *value = take(name);
    if (!value) return fallback;
    if (value->kind != NotationValue::Kind::Boolean && value->kind != NotationValue::Kind::Integer)
        failAt(*value, std::string(name) + " of " + m_function + " is True or False, not " + value->describe());
    return value->integer != 0;
}

std::size_t NotationCall::choice(std::string_view name, std::span<const char *const> names)
{
    const NotationValue *value = take(name);
    if (!value) return 0;
    const auto found = std::find(names.begin(), names.end(), value->text);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    std::string all;
    for (const char *one : names) all += std::string(all.empty() ? "'" : ", '") + one + "'";
    failAt(*value, "[" + m_function + "] the " + std::string(name) + " is one of " + all + ", not " + value->describe());
}

DType NotationCall::dtype(std::string_view name, std::optional<DType> fallback)
{
    const NotationValue *value = fallback ? take(name) : &need(name);
    if (!value || (fallback && value->kind == NotationValue::Kind::None)) return *fallback;
    if (value->kind == NotationValue::Kind::Text) {
        if (value->text == "floatX") return m_floatX;
        if (auto dtype = dtypeFromName(value->text)) return *dtype;
    }
    failAt(*value, std::string(name) + " of " + m_function + " is a dtype, not " + value->describe(),
           "dtypes are bool, int8 … int64, uint8 … uint64, float16, float32, float64, complex64, complex128 and floatX");
}

std::optional<DType> NotationCall::dtypeIfGiven(std::string_view name)
{
    const NotationValue *value = take(name);
    if (!value || value->kind == NotationValue::Kind::None) return std::nullopt;
    NotationCall single(m_function, {*value}, {}, m_floatX, m_line, m_column);
    return single.dtype(name);
}

int NotationCall::axis(std::string_view name, int rank, std::optional<int> fallback)
{
    const NotationValue *value = fallback ? take(name) : &need(name);
    if (!value) return *fallback;
    if (value->kind != NotationValue::Kind::Integer)
        failAt(*value, std::string(name) + " of " + m_function + " is a whole number, not " + value->describe());
    if (value->integer < -rank || value->integer >= rank)
        failAt(*value, m_function + " got axis " + std::to_string(value->integer) + " of an array of " + std::to_string(rank) +
                           (rank == 1 ? " dimension" : " dimensions"));
    return static_cast<int>(value->integer < 0 ? value->integer + rank : value->integer);
}

std::optional<int> NotationCall::axisIfGiven(std::string_view name, int rank)
{
    const auto given = axes(name, rank);
    if (given && given->size() != 1) fail(m_function + " works along one axis");
    return given ? std::optional<int>(given->front()) : std::nullopt;
}

std::optional<std::vector<int>> NotationCall::axes(std::string_view name, int rank)
{
    const NotationValue *value = take(name);
    if (!value || value->kind == NotationValue::Kind::None) return std::nullopt;
    const std::vector<NotationValue> one{*value};
    const auto &items = value->kind == NotationValue::Kind::List ? value->items : one;
    std::vector<int> result;
    for (const NotationValue &item : items) {
        NotationCall single(m_function, {item}, {}, m_floatX, m_line, m_column);
        result.push_back(single.axis(name, rank));
    }
    std::sort(result.begin(), result.end());
    if (std::adjacent_find(result.begin(), result.end()) != result.end()) failAt(*value, m_function + " gets one axis twice");
    return result;
}

NotationValue NotationCall::value(std::string_view name, const NotationValue &fallback)
{
    const NotationValue *value = take(name);
    return value ? *value : fallback;
}

std::vector<NotationValue> NotationCall::items(std::string_view name)
{
    const NotationValue &value = need(name);
    if (value.kind != NotationValue::Kind::List) failAt(value, std::string(name) + " of " + m_function + " is a list: [x, y]");
    return value.items;
}

bool NotationCall::isVectorNext() const
{
    if (m_next >= m_positional.size()) return false;
    const NotationValue &next = m_positional[m_next];
    return next.kind == NotationValue::Kind::List || (next.kind == NotationValue::Kind::Variable && next.variable->type().rank() == 1);
}

std::vector<NotationValue> NotationCall::all()
{
    std::vector<NotationValue> result;
    while (m_next < m_positional.size()) result.push_back(m_positional[m_next++]);
    return result;
}

std::vector<NotationValue> NotationCall::rest()
{
    std::vector<NotationValue> result = all();
    if (result.size() == 1 && result[0].kind == NotationValue::Kind::List) return result[0].items;
    return result;
}

std::vector<VarRef> NotationCall::variables(const std::vector<NotationValue> &values) const
{
    std::vector<VarRef> result;
    for (const NotationValue &value : values) result.push_back(toVariable(value));
    return result;
}

std::vector<VarRef> NotationCall::sizes()
{
    std::vector<VarRef> result;
    for (const NotationValue &item : rest()) {
        result.push_back(toVariable(item));
        if (result.back()->type().rank() != 0 || !isDiscrete(result.back()->type().dtype())) failAt(item, "a size is a whole number");
    }
    return result;
}

void NotationCall::finish(std::string_view signature) const
{
    for (std::size_t i = 0; i < m_named.size(); ++i)
        if (!m_used[i])
            failAt(m_named[i].second, m_function + " has no argument named " + m_named[i].first,
                   "it is called as " + std::string(signature));
    if (m_next < m_positional.size())
        failAt(m_positional[m_next], m_function + " takes no further argument here", "it is called as " + std::string(signature));
}

// --- registry ---------------------------------------------------------------------------------------

namespace {

struct Registry {
    ProcessMutex mutex; // guards functions; entries never change once added
    std::map<std::string, NotationFunction, std::less<>> functions;
};

Registry &registry()
{
    static auto *instance = new Registry;
    return *instance;
}

NotationValue callScalar(ScalarOpPtr op, NotationCall &call)
{
    std::vector<VarRef> inputs;
    for (const NotationValue &value : call.rest()) inputs.push_back(call.toVariable(value));
    const auto wanted = static_cast<std::size_t>(std::max(op->arity(), 1));
    if (op->arity() < 0 ? inputs.empty() : inputs.size() != wanted) {
        const std::string many = wanted == 1 ? " argument" : " arguments";
        call.fail(call.function() + " takes " + (op->arity() < 0 ? "at least " : "") + std::to_string(wanted) + many + ", but got " +
                  std::to_string(inputs.size()));
    }
    return builders().elementwise(op, inputs);
}

// Scalar functions join under all their names when they are first asked for.
const NotationFunction *addScalar(std::string_view name)
{
    const ScalarOpPtr op = findScalarOp(name);
    if (!op || op->code() == ScalarCode::Composite || op->code() == ScalarCode::Cast) return nullptr;
    static constexpr std::string_view kArguments[] = {"", "x", "x, y", "x, y, z", "a, b, c, d"};
    const int arity = op->arity();
    std::string signature(name);
    signature += "(" + std::string(arity < 0 ? "x, …" : kArguments[std::min(arity, 4)]) + ")";
    auto build = [op](NotationCall &call) { return callScalar(op, call); };
    auto [place, fresh] = registry().functions.emplace(std::string(name), NotationFunction{std::string(name), signature, build, true});
    return &place->second;
}

/// The value of "=0.5", "=None", "='max'"; a word is a text.
NotationValue fallbackOf(const std::string &text)
{
    if (text == "None") return {};
    if (text == "True" || text == "False") return NotationValue::ofBoolean(text == "True");
    if (text[0] == '\'') return NotationValue::ofText(text.substr(1, text.size() - 2));
    if (text[0] != '-' && !std::isdigit(static_cast<unsigned char>(text[0]))) return NotationValue::ofText(text);
    return text.find('.') == std::string::npos ? NotationValue::ofInteger(std::stoll(text)) : NotationValue::ofReal(std::stod(text));
}

} // namespace

std::vector<NotationParameter> notationParameters(const std::string &signature)
{
    std::vector<NotationParameter> parameters;
    std::size_t at = signature.find('(') + 1;
    while (at < signature.size() && signature[at] != ')') {
        if (signature[at] == '[') {
            parameters.push_back({"arrays", {}});
            at = signature.find(']', at) + 1;
        }
        const std::size_t end = signature.find_first_of(",)", at);
        const std::string part = signature.substr(at, end - at);
        const std::size_t equals = part.find('=');
        if (!part.empty() && part != "…")
            parameters.push_back(
                {part.substr(0, equals), equals == std::string::npos ? NotationValue() : fallbackOf(part.substr(equals + 1))});
        at = end + (end < signature.size() && signature[end] == ',' ? 2 : 0);
    }
    return parameters;
}

const std::string &NotationReader::begin()
{
    ENGINE_ASSERT(m_next < m_parameters.size(), "the signature of " + m_call.function() + " names too few parameters");
    const NotationParameter &parameter = m_parameters[m_next++];
    // A 0-d array has no last axis.
    if (m_rank != 0 || !parameter.name.starts_with("axis")) m_call.assume(parameter.name, parameter.fallback);
    return parameter.name;
}

bool registerNotation(std::string signature, OpRef op)
{
    auto parameters = notationParameters(signature);
    return registerNotation(
        std::move(signature), [parameters = std::move(parameters), op = std::move(op)](NotationCall &call) -> NotationValue {
            std::vector<VarRef> inputs;
            for (const NotationParameter &parameter : parameters) {
                VarRef input = call.variable(parameter.name);
                // Scalars that were written as plain numbers take the dtype of the arrays.
                if (!inputs.empty() && input->kind() == Variable::Kind::Constant && input->type().dtype() != inputs[0]->type().dtype())
                    input = Variable::constant(input->value().tensor().converted(inputs[0]->type().dtype()));
                inputs.push_back(std::move(input));
            }
            const ApplyRef made = Apply::create(op, inputs);
            if (made->outputCount() == 1) return VarRef(made->output());
            std::vector<VarRef> outputs;
            for (int i = 0; i < made->outputCount(); ++i) outputs.emplace_back(made->output(i));
            return NotationValue::ofVariables(outputs);
        });
}

bool registerNotation(std::string signature, NotationBuilder build)
{
    const std::string name = signature.substr(0, signature.find_first_of("({"));
    Registry &all = registry();
    std::lock_guard lock(all.mutex);
    NotationFunction function{name, std::move(signature), std::move(build), false};
    const bool fresh = all.functions.emplace(name, std::move(function)).second;
    ENGINE_ASSERT(fresh, "the notation has a function " + name + " already");
    return true;
}

const NotationFunction *findNotation(std::string_view name)
{
    Registry &all = registry();
    std::lock_guard lock(all.mutex);
    auto found = all.functions.find(name);
    return found != all.functions.end() ? &found->second : addScalar(name);
}

std::vector<const NotationFunction *> allNotationFunctions()
{
    Registry &all = registry();
    std::lock_guard lock(all.mutex);
    for (ScalarOpPtr op : allScalarOps())
        if (all.functions.find(op->name()) == all.functions.end()) addScalar(op->name());
    std::vector<const NotationFunction *> result;
    for (const auto &[name, function] : all.functions) result.push_back(&function);
    return result;
}

std::string closestNotation(std::string_view name)
{
    // Edit distance against every known name; hopeless ones are not suggested.
    const auto distance = [](std::string_view a, std::string_view b) {
        std::vector<std::size_t> row(b.size() + 1);
        for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
        for (std::size_t i = 1; i <= a.size(); ++i) {
            std::size_t diagonal = row[0];
            row[0] = i;
            for (std::size_t j = 1; j <= b.size(); ++j) {
                const std::size_t change = diagonal + (a[i - 1] != b[j - 1]);
                diagonal = row[j];
                row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
            }
        }
        return row[b.size()];
    };
    if (name.size() > 40) return {};
    std::string best;
    std::size_t least = name.size() < 4 ? 2 : 3;
    for (const NotationFunction *function : allNotationFunctions()) {
        const std::size_t d = distance(name, function->name);
        if (d < least) {
            least = d;
            best = function->name;
        }
    }
    return best.empty() ? best : "did you mean " + best + "?";
}

} // namespace engine
