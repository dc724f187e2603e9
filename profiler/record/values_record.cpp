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
    row.elements = facts.count;
    row.zeros = facts.zeros;
    row.nans = facts.nans;
    row.infinities = facts.infinities;
    row.denormals = facts.denormals;
    row.least = facts.least;
    row.largest = facts.largest;
    row.mean = facts.mean;
    row.deviation = facts.deviation;
    row.magnitude = facts.magnitude;
    for (std::int64_t part : facts.histogram) row.histogram.push_back(std::to_string(part));
    row.first = numberTexts(facts.first);
    const engine::Digits &digits = from.digits;
    static constexpr ValueReference kReferences[] = {ValueReference::Precise, ValueReference::Double, ValueReference::Same,
                                                     ValueReference::None};
    row.reference = kReferences[static_cast<std::size_t>(digits.reference)];
    row.digits = digits.all;
    row.lost = digits.lost;
    row.lostMean = digits.mean;
    row.own = digits.own;
    row.differing = digits.differing;
    row.unsure = digits.unsure;
    row.worst = digits.worst;
    if (digits.worst >= 0) {
        row.got = numberText(digits.got);
        row.wanted = digits.wanted;
    }
    row.read = numberTexts(from.inputsAtWorst);
    if (from.born.nan) row.born.push_back("nan");
    if (from.born.overflow) row.born.push_back("overflow");
    else if (from.born.infinity) row.born.push_back("inf");
    if (from.born.denormal) row.born.push_back("denormal");
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
