#include "engine/graph/op/op_card.h"

#include "engine/tensor/dims.h"
#include "engine/tensor/fork.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <typeindex>
#include <unordered_map>

namespace engine {
namespace {

struct Cards {
    ProcessMutex mutex; // guards both; cards stay where they are
    std::unordered_map<std::type_index, std::unique_ptr<OpCard>> byClass;
    std::map<std::string_view, const OpCard *> byName;
};

Cards &cards()
{
    static auto *instance = new Cards;
    return *instance;
}

} // namespace

OpCard &cardOf(const std::type_info &op)
{
    Cards &all = cards();
    std::lock_guard lock(all.mutex);
    std::unique_ptr<OpCard> &card = all.byClass[op];
    if (!card) card = std::make_unique<OpCard>();
    return *card;
}

OpCard &nameCard(const std::type_info &op, const char *className, OpRole role)
{
    OpCard &card = cardOf(op);
    card.className = className;
    card.role = role;
    Cards &all = cards();
    std::lock_guard lock(all.mutex);
    ENGINE_ASSERT(all.byName.emplace(card.className, &card).second, "the op " + card.className + " has two cards");
    return card;
}

const OpCard *findCard(std::string_view className)
{
    Cards &all = cards();
    std::lock_guard lock(all.mutex);
    const auto found = all.byName.find(className);
    return found == all.byName.end() || !found->second->isDocumented() ? nullptr : found->second;
}

std::vector<const OpCard *> allCards()
{
    Cards &all = cards();
    std::lock_guard lock(all.mutex);
    std::vector<const OpCard *> result;
    for (const auto &[name, card] : all.byName) result.push_back(card);
    return result;
}

std::optional<RowAxes> rowAxesOf(const Op &op, std::span<const Type> inputs)
{
    if (!op.card().rowAxes || inputs.empty() || !std::ranges::all_of(inputs, &Type::isTensor)) return std::nullopt;
    return op.card().rowAxes(op, inputs);
}

namespace {
void (*s_writeInnerGraph)(JsonWriter &, const InnerGraph &) = nullptr;
}

bool setInnerGraphWriter(void (*write)(JsonWriter &, const InnerGraph &))
{
    s_writeInnerGraph = write;
    return true;
}

void writeInnerGraph(JsonWriter &out, const InnerGraph &graph) { s_writeInnerGraph(out, graph); }

// --- parameters -------------------------------------------------------------------------------------

void OpParameters::fail(std::string_view key, const std::string &message) const
{
    throw DocumentError(m_place + (key.empty() ? "" : ".") + std::string(key) + ": " + message);
}

const JsonValue &OpParameters::need(std::string_view key) const
{
    const JsonValue *value = m_object.find(key);
    if (!value) fail(key, "this parameter is missing");
    return *value;
}

std::int64_t OpParameters::integerOf(const JsonValue &value, const std::string &place, std::int64_t least, std::int64_t most)
{
    if (!value.integer) throw DocumentError(place + ": a whole number was expected, not " + value.kindText());
    if (*value.integer < least || *value.integer > most)
        throw DocumentError(place + ": " + std::to_string(*value.integer) + " is outside of " + std::to_string(least) + " to " +
                            std::to_string(most));
    return *value.integer;
}

DType OpParameters::dtypeOf(const JsonValue &value, const std::string &place)
{
    if (!value.isText()) throw DocumentError(place + ": a dtype was expected, not " + std::string(value.kindText()));
    const auto dtype = dtypeFromName(value.text);
    if (!dtype) throw DocumentError(place + ": there is no dtype " + value.text);
    return *dtype;
}

double OpParameters::realOf(const JsonValue &value, const std::string &place)
{
    if (value.kind == JsonValue::Kind::Number) return value.number;
    if (value.text == "nan") return std::nan("");
    if (value.text == "inf") return HUGE_VAL;
    if (value.text == "-inf") return -HUGE_VAL;
    throw DocumentError(place + ": a number was expected");
}

std::int64_t OpParameters::integer(std::string_view key, std::int64_t least, std::int64_t most) const
{
    return integerOf(need(key), m_place + "." + std::string(key), least, most);
}

bool OpParameters::flag(std::string_view key) const
{
    const JsonValue &value = need(key);
    if (value.kind != JsonValue::Kind::Boolean) fail(key, std::string("true or false was expected, not ") + value.kindText());
    return value.boolean;
}

std::string OpParameters::text(std::string_view key) const
{
    const JsonValue &value = need(key);
    if (!value.isText()) fail(key, std::string("a text was expected, not ") + value.kindText());
    return value.text;
}

DType OpParameters::dtype(std::string_view key) const { return dtypeOf(need(key), m_place + "." + std::string(key)); }

std::optional<DType> OpParameters::dtypeIfGiven(std::string_view key) const
{
    if (!has(key)) return std::nullopt;
    return dtype(key);
}

std::vector<std::int64_t> OpParameters::integers(std::string_view key, std::int64_t least, std::int64_t most) const
{
    const JsonValue &value = need(key);
    if (!value.isArray()) fail(key, std::string("an array was expected, not ") + value.kindText());
    std::vector<std::int64_t> result;
    for (std::size_t i = 0; i < value.items.size(); ++i)
        result.push_back(integerOf(value.items[i], m_place + "." + std::string(key) + "[" + std::to_string(i) + "]", least, most));
    return result;
}

template <>
std::vector<std::string> OpParameters::list(std::string_view key) const
{
    const JsonValue &value = need(key);
    std::vector<std::string> result;
    for (const JsonValue &item : value.items) {
        if (!item.isText()) fail(key, "an array of texts was expected");
        result.push_back(item.text);
    }
    if (!value.isArray()) fail(key, "an array of texts was expected");
    return result;
}

template <>
std::vector<bool> OpParameters::list(std::string_view key) const
{
    const JsonValue &value = need(key);
    std::vector<bool> result;
    for (const JsonValue &item : value.items) {
        if (item.kind != JsonValue::Kind::Boolean) fail(key, "an array of true and false was expected");
        result.push_back(item.boolean);
    }
    if (!value.isArray() || result.size() > kMaxRank) fail(key, "an array of at most 12 flags was expected");
    return result;
}

std::vector<int> OpParameters::axes(std::string_view key) const
{
    std::vector<int> axes;
    for (std::int64_t axis : integers(key, 0, kMaxRank - 1)) {
        if (!axes.empty() && axis <= axes.back()) fail(key, "axes have to be sorted, each once");
        axes.push_back(static_cast<int>(axis));
    }
    return axes;
}

std::size_t OpParameters::choice(std::string_view key, std::span<const char *const> names) const
{
    const std::string word = text(key);
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end()) fail(key, "there is no " + word);
    return static_cast<std::size_t>(found - names.begin());
}

std::vector<Alias> OpParameters::aliases(std::string_view key) const
{
    const JsonValue &value = need(key);
    if (!value.isArray()) fail(key, std::string("an array was expected, not ") + value.kindText());
    std::vector<Alias> result;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
        const std::string place = m_place + "." + std::string(key) + "[" + std::to_string(i) + "]";
        const JsonValue &pair = value.items[i];
        if (!pair.isArray() || pair.items.size() != 2) throw DocumentError(place + ": a pair [output, input] was expected");
        result.push_back({static_cast<std::uint32_t>(integerOf(pair.items[0], place, 0, 1'000'000)),
                          static_cast<std::uint32_t>(integerOf(pair.items[1], place, 0, 1'000'000))});
    }
    return result;
}

} // namespace engine
