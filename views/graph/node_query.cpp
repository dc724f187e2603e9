#include "views/graph/node_query.h"

#include "views/common/text.h"

#include <QRegularExpression>

#include <algorithm>
#include <optional>

namespace views {
namespace {

bool holds(const QString &text, const QString &part) { return text.contains(part, Qt::CaseInsensitive); }

// "1ms", "20 us" without the space, "0.5s"; a bare number is microseconds, as the columns have them.
std::optional<double> secondsOf(const QString &text)
{
    static const QRegularExpression form(QStringLiteral("^([0-9]*\\.?[0-9]+)(ns|us|µs|ms|s|)$"));
    const QRegularExpressionMatch match = form.match(text);
    if (!match.hasMatch()) return std::nullopt;
    const QString unit = match.captured(2);
    const double scale = unit == QLatin1String("s") ? 1 : unit == QLatin1String("ms") ? 1e-3 : unit == QLatin1String("ns") ? 1e-9 : 1e-6;
    return match.captured(1).toDouble() * scale;
}

// Words, but what stands between slashes is one.
QStringList wordsOf(const QString &text)
{
    QStringList words;
    QString word;
    bool inside = false;
    for (QChar c : text) {
        if (c == u'/' && (inside || word.isEmpty())) inside = !inside;
        if (c.isSpace() && !inside) {
            if (!word.isEmpty()) words << std::exchange(word, {});
            continue;
        }
        word += c;
    }
    if (!word.isEmpty()) words << word;
    return words;
}

} // namespace

NodeQuery::NodeQuery(const QString &text)
{
    for (const QString &word : wordsOf(text)) add(word);
}

void NodeQuery::add(const QString &word)
{
    if (word.size() > 1 && word.startsWith(u'/')) {
        const QRegularExpression form(word.mid(1, word.size() - (word.endsWith(u'/') ? 2 : 1)), QRegularExpression::CaseInsensitiveOption);
        if (!form.isValid()) m_error = tr("%1 is no regular expression: %2.").arg(word, form.errorString());
        m_conditions.emplace_back([form](const SceneNode &node) {
            return form.isValid() && (form.match(node.title).hasMatch() || form.match(node.exactName).hasMatch());
        });
        return;
    }
    static const QRegularExpression fact(QStringLiteral("^(op|name|type|shape|phase|device|kind|line|time)([:<>])(.+)$"));
    const QRegularExpressionMatch match = fact.match(word);
    if (!match.hasMatch()) {
        m_conditions.emplace_back([word](const SceneNode &node) {
            return holds(node.title, word) || holds(node.exactName, word) || holds(node.subtitle, word) || holds(node.type, word) ||
                   holds(node.shape, word);
        });
        return;
    }
    const QString field = match.captured(1), value = match.captured(3);
    const QChar relation = match.captured(2).front();
    if (field == QLatin1String("time")) {
        const std::optional<double> bound = secondsOf(value);
        if (!bound) m_error = tr("%1 is no time: write time>20us, time>1ms or time<1s.").arg(value);
        m_conditions.emplace_back([bound, relation](const SceneNode &node) {
            return bound && node.cost.seconds >= 0 && (relation == u'<' ? node.cost.seconds < *bound : node.cost.seconds >= *bound);
        });
    } else if (field == QLatin1String("line")) {
        m_conditions.emplace_back([line = value.toInt(), relation](const SceneNode &node) {
            return node.line > 0 && (relation == u'<' ? node.line < line : relation == u'>' ? node.line > line : node.line == line);
        });
    } else if (field == QLatin1String("kind")) {
        m_conditions.emplace_back([value](const SceneNode &node) { return holds(sceneKindName(node.kind), value); });
    } else if (field == QLatin1String("op")) {
        m_conditions.emplace_back(
            [value](const SceneNode &node) { return isApply(node.kind) && (holds(node.exactName, value) || holds(node.title, value)); });
    } else if (field == QLatin1String("name")) {
        m_conditions.emplace_back(
            [value](const SceneNode &node) { return holds(node.subtitle, value) || (isVariable(node.kind) && holds(node.title, value)); });
    } else {
        const auto part = field == QLatin1String("type")    ? &SceneNode::type
                          : field == QLatin1String("shape") ? &SceneNode::shape
                          : field == QLatin1String("phase") ? &SceneNode::phase
                                                            : &SceneNode::device;
        m_conditions.emplace_back([value, part](const SceneNode &node) { return holds(node.*part, value); });
    }
}

bool NodeQuery::matches(const SceneNode &node) const
{
    return std::all_of(m_conditions.begin(), m_conditions.end(), [&](const auto &condition) { return condition(node); });
}

std::vector<NodeQuery::Field> NodeQuery::fields()
{
    return {
        {QStringLiteral("op:gemm"), tr("the op's name holds it")},
        {QStringLiteral("type:float32"), tr("the type holds it")},
        {QStringLiteral("shape:400"), tr("the shape holds it")},
        {QStringLiteral("time>20us"), tr("takes longer per call")},
        {QStringLiteral("line:10"), tr("most of it descends from that line")},
        {QStringLiteral("phase:fusion"), tr("made in that phase of the compiler")},
        {QStringLiteral("device:cuda"), tr("runs there")},
        {QStringLiteral("kind:input"), tr("input, constant, shared, output, view, transfer, group …")},
        {QStringLiteral("/^gemm.*inplace/"), tr("a regular expression on its names")},
    };
}

} // namespace views
