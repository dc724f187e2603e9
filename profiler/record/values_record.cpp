#include "profiler/record/values_record.h"

#include <cmath>
#include <cstdio>

namespace profiler {
namespace {

std::string numberText(double value)
{
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}

std::vector<std::string> numberTexts(const std::vector<double> &values)
{
    std::vector<std::string> texts;
    for (double value : values) texts.push_back(numberText(value));
    return texts;
}

ValueRow rowOf(const engine::ValueRow &from, const ValuesOf &of)
{
    ValueRow row;
    row.function = of.function;
    row.call = of.call;
    row.side = of.side;
    row.graph = of.graph;
    if (from.variable != engine::kNoVar) row.variable = VariableId{engine::raw(from.variable)};
    if (from.apply != engine::kNoApply) row.apply = ApplyId{engine::raw(from.apply)};
    row.port = static_cast<int>(from.port);
    row.step = from.step;
    row.name = from.name;
    row.op = from.op;
    row.type = from.type;
    row.shape = from.shape.text();
    const engine::ArrayFacts &facts = from.facts;
    row.facts.elements = facts.count;
    row.facts.zeros = facts.zeros;
    row.facts.nans = facts.nans;
    row.facts.infinities = facts.infinities;
    row.facts.denormals = facts.denormals;
    row.facts.least = facts.least;
    row.facts.largest = facts.largest;
    row.facts.mean = facts.mean;
    row.facts.deviation = facts.deviation;
    row.facts.magnitude = facts.magnitude;
    for (std::int64_t part : facts.histogram) row.facts.histogram.push_back(std::to_string(part));
    row.facts.first = numberTexts(facts.first);
    const engine::Digits &digits = from.digits;
    static constexpr ValueReference kReferences[] = {ValueReference::Precise, ValueReference::Double, ValueReference::Same,
                                                     ValueReference::None};
    row.accuracy.reference = kReferences[static_cast<std::size_t>(digits.reference)];
    row.accuracy.digits = digits.all;
    row.accuracy.lost = digits.lost;
    row.accuracy.lostMean = digits.mean;
    row.accuracy.own = digits.own;
    row.accuracy.differing = digits.differing;
    row.accuracy.unsure = digits.unsure;
    row.accuracy.worst = digits.worst;
    if (digits.worst >= 0) {
        row.accuracy.got = numberText(digits.got);
        row.accuracy.wanted = digits.wanted;
    }
    row.accuracy.read = numberTexts(from.inputsAtWorst);
    if (from.born.nan) row.accuracy.born.push_back("nan");
    if (from.born.overflow) row.accuracy.born.push_back("overflow");
    else if (from.born.infinity) row.accuracy.born.push_back("inf");
    if (from.born.denormal) row.accuracy.born.push_back("denormal");
    return row;
}

} // namespace

std::vector<ValueRow> valueRows(const engine::CallValues &values, const ValuesOf &of)
{
    std::vector<ValueRow> rows;
    for (const engine::ValueRow &value : values.rows) {
        rows.push_back(rowOf(value, of));
        rows.back().position = static_cast<int>(rows.size() - 1);
    }
    return rows;
}

std::vector<ValueNote> valueNotes(const engine::CallValues &values, const ValuesOf &of)
{
    std::vector<ValueNote> notes;
    for (const std::string &text : values.notes) notes.push_back({of.function, of.call, of.side, text});
    return notes;
}

} // namespace profiler
