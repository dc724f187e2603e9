#include "profiler/lessons/judge.h"

#include <algorithm>
#include <cmath>

namespace profiler {

namespace {

constexpr double kMeasured = 0.05; // how far off a measured number may be read when the question does not say

Value numberOf(SessionFacts &facts, const std::string &expression)
{
    const Value value = facts.value(expression);
    if (value.kind == Value::Kind::Nodes) return Value::of(static_cast<double>(value.nodes.size()));
    if (!value.isNumber()) throw FactError("the answer is '" + textOf(value) + "', which is no number");
    return value;
}

Value nodesOf(SessionFacts &facts, const std::string &expression)
{
    Value value = facts.value(expression);
    if (value.kind != Value::Kind::Nodes) throw FactError("'" + expression + "' are no nodes");
    return value;
}

// How far from a value a typed number still counts. What one reads off is rounded: to the digits that are shown it is right.
double roomAround(const LessonBlock &question, const Value &value)
{
    const double within = question.within > 0 ? question.within : value.unit == ValueUnit::Count ? 0 : kMeasured;
    const double rounded = readNumber(question.in.empty() ? textOf(value) : textIn(value, question.in), value.unit).value_or(value.number);
    return std::max(within * std::abs(value.number), std::abs(rounded - value.number)) + 1e-9 * std::abs(value.number);
}

// A name of the session with its middle left out; of a class only the last word.
std::string shortened(const std::string &name, std::size_t longest)
{
    const std::size_t dot =
        name.find('{') == std::string::npos && name.find(':') == std::string::npos && name.find(' ') == std::string::npos
            ? name.rfind('.')
            : std::string::npos;
    const std::string last = dot == std::string::npos ? name : name.substr(dot + 1);
    if (last.size() <= longest) return last;
    return last.substr(0, longest / 2) + "…" + last.substr(last.size() - longest / 3);
}

// All of one length, as short as they still differ.
std::vector<std::string> shortNames(const std::vector<std::string> &names)
{
    for (const std::size_t longest : {28U, 44U, 72U}) {
        std::vector<std::string> all;
        for (const std::string &name : names) all.push_back(shortened(name, longest));
        if (std::set<std::string>(all.begin(), all.end()).size() == names.size()) return all;
    }
    return names;
}

} // namespace

std::vector<OfferedAnswer> offeredAnswers(SessionFacts &facts, const LessonBlock &question)
{
    std::vector<OfferedAnswer> all;
    if (!question.offered.empty()) {
        const Value list = facts.value(question.offered);
        if (list.kind != Value::Kind::List) throw FactError("'" + question.offered + "' is no list");
        const std::vector<std::string> names = shortNames(list.list);
        for (std::size_t i = 0; i < names.size(); ++i) {
            all.push_back({names[i], i == 0, names[i] == list.list[i] ? std::string() : list.list[i], {}});
            if (i > 0 && i < list.sizes.size())
                all.back().why = "`" + names[i] + "` has " + list.sizes[i] + ", and another of these has more.";
        }
        std::sort(all.begin(), all.end(), [](const OfferedAnswer &a, const OfferedAnswer &b) { return a.text < b.text; });
        return all;
    }
    for (const LessonOption &option : question.options)
        all.push_back({option.text, option.condition.empty() ? option.isRight : facts.holds(option.condition), {}, option.why});
    return all;
}

Judgement judgeChoice(SessionFacts &facts, const LessonBlock &question, const std::set<int> &chosen)
{
    const std::vector<OfferedAnswer> offered = offeredAnswers(facts, question);
    Judgement judgement;
    bool hasWrong = false, lacks = false;
    for (std::size_t i = 0; i < offered.size(); ++i) {
        const bool isChosen = chosen.contains(static_cast<int>(i));
        if (offered[i].isRight) judgement.expected += (judgement.expected.empty() ? "" : "; ") + offered[i].text;
        lacks = lacks || (offered[i].isRight && !isChosen);
        if (offered[i].isRight || !isChosen) continue;
        hasWrong = true;
        if (!offered[i].why.empty()) judgement.why.push_back(offered[i].why);
    }
    judgement.isRight = !hasWrong && !lacks;
    judgement.isPart = !hasWrong && lacks && !chosen.empty();
    return judgement;
}

Judgement judgeNumber(SessionFacts &facts, const LessonBlock &question, const std::string &typed)
{
    const Value value = numberOf(facts, question.answer);
    Judgement judgement;
    judgement.expected = question.in.empty() ? textOf(value) : textIn(value, question.in);
    const std::optional<double> number = readNumber(typed, value.unit, unitOf(facts, question));
    if (!number) return judgement;
    judgement.isRight = std::abs(*number - value.number) <= roomAround(question, value);
    if (judgement.isRight) return judgement;
    judgement.off = *number < value.number ? -1 : 1;
    for (const LessonMistake &mistake : question.mistakes) {
        const Value taken = numberOf(facts, mistake.answer);
        if (std::abs(*number - taken.number) <= roomAround(question, taken)) judgement.why.push_back(mistake.why);
    }
    return judgement;
}

Judgement judgeNodes(SessionFacts &facts, const LessonBlock &question, const std::set<ApplyId> &marked, int step)
{
    const std::set<ApplyId> meant = nodesOf(facts, question.answer).nodes;
    std::set<ApplyId> needed = meant;
    std::erase_if(needed, [&facts, step](ApplyId id) { return !facts.isDrawn(id, step); }); // nobody could click them
    Judgement judgement;
    std::set_intersection(marked.begin(), marked.end(), meant.begin(), meant.end(), std::inserter(judgement.right, judgement.right.end()));
    std::set_difference(needed.begin(), needed.end(), marked.begin(), marked.end(),
                        std::inserter(judgement.missed, judgement.missed.end()));
    std::set_difference(marked.begin(), marked.end(), meant.begin(), meant.end(), std::inserter(judgement.wrong, judgement.wrong.end()));
    judgement.isRight = judgement.missed.empty() && judgement.wrong.empty();
    judgement.expected = std::to_string(needed.size());
    std::set<ApplyId> unexplained = judgement.wrong;
    for (const LessonMistake &mistake : question.mistakes) {
        const std::set<ApplyId> taken = nodesOf(facts, mistake.answer).nodes;
        const auto isTaken = [&taken](ApplyId id) { return taken.contains(id); };
        if (std::any_of(judgement.wrong.begin(), judgement.wrong.end(), isTaken)) judgement.why.push_back(mistake.why);
        std::erase_if(unexplained, isTaken);
    }
    const Fact *fact = findFact(question.answer.substr(0, question.answer.find('(')));
    if (fact && *fact->otherwise != '\0' && !unexplained.empty()) judgement.why.emplace_back(fact->otherwise);
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
    const Value value = numberOf(facts, question.answer);
    const std::vector<std::string> units = unitsOf(value.unit);
    return units.empty() ? std::string() : units.front();
}

} // namespace profiler
