#include "views/session/value_marks.h"

#include "views/common/text.h"

#include <algorithm>

namespace views {
namespace {

// The worst of a node is seen first: a badge has room for one word.
constexpr const char *kWorstFirst[] = {"nan", "inf", "overflow", "denormal"};

QString sentenceOf(const std::string &kind, const profiler::ValueRow &row)
{
    const QString what = views::text(kind), op = views::text(row.op);
    QString text = row.apply == profiler::kNoApply ? tr("The first %1 of the call came in here").arg(what)
                   : row.step >= 0                 ? tr("The first %1 of the call was born in its step %2").arg(what, op)
                                                   : tr("The first %1 of the call was born here").arg(what);
    if (const std::string loss = profiler::lossText(row); !loss.empty()) text += QStringLiteral(": ") + views::text(loss);
    return text;
}

} // namespace

ValueMarks::ValueMarks(const SessionData &session)
{
    for (const profiler::ValuesOfSide &values : session.values) {
        const bool isLast = std::none_of(session.values.begin(), session.values.end(), [&](const profiler::ValuesOfSide &other) {
            return other.function == values.function && other.side == values.side && other.call > values.call;
        });
        if (!isLast) continue;
        const Side side = values.side == profiler::ValueSide::Original ? Side::Original : Side::Optimized;
        for (const profiler::ValueRow &row : values.rows) {
            const bool isVariable = row.apply == profiler::kNoApply;
            OfNode &node = m_nodes[{row.graph, side, isVariable, isVariable ? raw(row.variable) : raw(row.apply)}];
            if (row.step >= 0) node.steps.push_back(&row);
            else add(node, row);
        }
        const auto births = values.births();
        for (const char *kind : kWorstFirst)
            for (const auto &[born, row] : births) {
                if (born != kind) continue;
                const bool isVariable = row->apply == profiler::kNoApply;
                OfNode &node = m_nodes[{row->graph, side, isVariable, isVariable ? raw(row->variable) : raw(row->apply)}];
                if (node.born.isEmpty()) node.born = QString::fromLatin1(kind);
                node.sentence += (node.sentence.isEmpty() ? QString() : QStringLiteral("\n")) + sentenceOf(born, *row);
            }
    }
}

void ValueMarks::add(OfNode &node, const profiler::ValueRow &row)
{
    node.rows.push_back(&row);
    if (row.accuracy.countsDigits()) node.lostShare = std::max(node.lostShare, row.accuracy.lost / row.accuracy.digits);
    if (!row.facts.hasFinite()) return;
    node.magnitude = std::max(node.magnitude, row.facts.magnitude);
    auto &[least, largest] = m_magnitudes[row.graph];
    if (row.facts.magnitude <= 0) return;
    least = least > 0 ? std::min(least, row.facts.magnitude) : row.facts.magnitude;
    largest = std::max(largest, row.facts.magnitude);
}

const ValueMarks::OfNode *ValueMarks::ofApply(profiler::GraphId graph, Side side, profiler::ApplyId apply) const
{
    const auto found = m_nodes.find({graph, side, false, raw(apply)});
    return found == m_nodes.end() ? nullptr : &found->second;
}

const ValueMarks::OfNode *ValueMarks::ofVariable(profiler::GraphId graph, Side side, profiler::VariableId variable) const
{
    const auto found = m_nodes.find({graph, side, true, raw(variable)});
    return found == m_nodes.end() ? nullptr : &found->second;
}

std::pair<double, double> ValueMarks::magnitudes(profiler::GraphId graph) const
{
    const auto found = m_magnitudes.find(graph);
    return found == m_magnitudes.end() ? std::pair(0.0, 0.0) : found->second;
}

} // namespace views
