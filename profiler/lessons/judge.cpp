#include "profiler/lessons/judge.h"

#include <algorithm>
#include <cmath>

namespace profiler {

namespace {

constexpr double kMeasured = 0.05; // how far off a measured number may be read when the question does not say

Value numberOf(SessionFacts &facts, const LessonBlock &question)
{
    const Value value = facts.value(question.answer);
    if (value.kind == Value::Kind::Nodes) return Value::of(static_cast<double>(value.nodes.size()));
    if (!value.isNumber()) throw FactError("the answer is '" + textOf(value) + "', which is no number");
    return value;
}

} // namespace

std::vector<OfferedAnswer> offeredAnswers(SessionFacts &facts, const LessonBlock &question)
{
    std::vector<OfferedAnswer> all;
    if (!question.offered.empty()) {
        const Value list = facts.value(question.offered);
        if (list.kind != Value::Kind::List) throw FactError("'" + question.offered + "' is no list");
        for (std::size_t i = 0; i < list.list.size(); ++i) all.push_back({list.list[i], i == 0});
        std::sort(all.begin(), all.end(), [](const OfferedAnswer &a, const OfferedAnswer &b) { return a.text < b.text; });
        return all;
    }
    for (const LessonOption &option : question.options)
        all.push_back({option.text, option.condition.empty() ? option.isRight : facts.holds(option.condition)});
    return all;
}

Judgement judgeChoice(SessionFacts &facts, const LessonBlock &question, const std::set<int> &chosen)
{
    const std::vector<OfferedAnswer> offered = offeredAnswers(facts, question);
    Judgement judgement{.isRight = true, .expected = {}, .right = {}, .missed = {}, .wrong = {}, .need = -1};
    for (std::size_t i = 0; i < offered.size(); ++i) {
        if (offered[i].isRight) judgement.expected += (judgement.expected.empty() ? "" : "; ") + offered[i].text;
        if (offered[i].isRight != chosen.contains(static_cast<int>(i))) judgement.isRight = false;
    }
    return judgement;
}

Judgement judgeNumber(SessionFacts &facts, const LessonBlock &question, const std::string &typed)
{
    const Value value = numberOf(facts, question);
    Judgement judgement;
    judgement.expected = question.in.empty() ? textOf(value) : textIn(value, question.in);
    const std::optional<double> number = readNumber(typed, value.unit, unitOf(facts, question));
    if (!number) return judgement;
    const double within = question.within > 0 ? question.within : value.unit == ValueUnit::Count ? 0 : kMeasured;
    // What one reads off is rounded: a right answer to the digits that are shown is right.
    const double rounded = readNumber(judgement.expected, value.unit).value_or(value.number);
    const double room = std::max(within * std::abs(value.number), std::abs(rounded - value.number)) + 1e-9 * std::abs(value.number);
    judgement.isRight = std::abs(*number - value.number) <= room;
    return judgement;
}

Judgement judgeNodes(SessionFacts &facts, const LessonBlock &question, const std::set<ApplyId> &marked)
{
    Value value = facts.value(question.answer);
    if (value.kind != Value::Kind::Nodes) throw FactError("'" + question.answer + "' are no nodes");
    std::erase_if(value.nodes, [&facts](ApplyId id) { return facts.isPartOfReader(id); }); // nobody could click them
    Judgement judgement;
    std::set_intersection(marked.begin(), marked.end(), value.nodes.begin(), value.nodes.end(),
                          std::inserter(judgement.right, judgement.right.end()));
    std::set_difference(value.nodes.begin(), value.nodes.end(), marked.begin(), marked.end(),
                        std::inserter(judgement.missed, judgement.missed.end()));
    std::set_difference(marked.begin(), marked.end(), value.nodes.begin(), value.nodes.end(),
                        std::inserter(judgement.wrong, judgement.wrong.end()));
    judgement.isRight = judgement.missed.empty() && judgement.wrong.empty();
    judgement.expected = std::to_string(value.nodes.size());
    return judgement;
}

Judgement judgeTask(SessionFacts &facts, const LessonBlock &question)
{
    Judgement judgement;
    for (std::size_t i = 0; i < question.needs.size(); ++i) {
        bool holds = false;
        try {
            holds = facts.holds(question.needs[i].condition);
        } catch (const FactError &) {
            // A run of another script lacks what is asked for: the sentence of the need says what to do.
        }
        if (holds) continue;
        judgement.need = static_cast<int>(i);
        return judgement;
    }
    judgement.isRight = true;
    return judgement;
}

std::string unitOf(SessionFacts &facts, const LessonBlock &question)
{
    if (!question.in.empty()) return question.in;
    const Value value = numberOf(facts, question);
    const std::vector<std::string> units = unitsOf(value.unit);
    return units.empty() ? std::string() : units.front();
}

} // namespace profiler
