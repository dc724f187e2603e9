#include "views/flame/flame_rows.h"

#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/node_title.h"
#include "views/common/text.h"
#include "views/session/shared_words.h"

#include <QHash>

#include <algorithm>

namespace views {

using profiler::FlameKind;
using profiler::FlameNode;

namespace {

QString runnerText(const std::string &tier)
{
    if (tier == "interpreter") return tr("interpreter");
    if (tier == "compiled") return tr("generated code");
    if (tier == "library") return tr("library");
    if (tier == "copy") return tr("copy between devices");
    return text(tier);
}

} // namespace

FlameRows::FlameRows(const SessionData &session) : flame(profiler::makeFlame(session.profile))
{
    SharedWords words;
    QHash<QString, QStringList> files;
    texts.reserve(flame.nodes.size());
    lineTexts.resize(flame.nodes.size());
    for (std::size_t i = 0; i < flame.nodes.size(); ++i) {
        const FlameNode &node = flame.nodes[i];
        levels = std::max(levels, node.depth + 1);
        switch (node.kind) {
        case FlameKind::All: texts.push_back(tr("all functions")); break;
        case FlameKind::Function: texts.push_back(node.name.empty() ? tr("unnamed") : text(node.name)); break;
        case FlameKind::Apply: texts.push_back(friendlyName(words.of(node.name))); break;
        case FlameKind::Runner: texts.push_back(runnerText(node.name)); break;
        case FlameKind::Line: {
            if (node.source.line <= 0) {
                texts.push_back(tr("no line of the script"));
                break;
            }
            const QString file = text(node.source.file);
            auto lines = files.find(file);
            if (lines == files.end()) lines = files.insert(file, text(session.sourceText(node.source.file)).split(QLatin1Char('\n')));
            const QString line = lines->value(node.source.line - 1).trimmed();
            lineTexts[i] = line.toStdString();
            texts.push_back(QStringLiteral("%1:%2  %3").arg(file.section(QLatin1Char('/'), -1)).arg(node.source.line).arg(line));
        }
        }
    }
}

QString FlameRows::kindText(std::size_t node) const
{
    switch (flame.nodes[node].kind) {
    case FlameKind::All: return tr("All");
    case FlameKind::Function: return tr("Function");
    case FlameKind::Line: return tr("Line");
    case FlameKind::Apply: return tr("Apply");
    case FlameKind::Runner: return tr("Run by");
    }
    return {};
}

QString FlameRows::tip(std::size_t node) const
{
    const FlameNode &one = flame.nodes[node];
    const QString about = one.estimated ? QStringLiteral("~") : QString();
    QString result = QStringLiteral("%1\n%2%3 · %2%4")
                         .arg(one.kind == FlameKind::Apply ? text(one.detail).left(140) : texts[node], about, formats::timeNs(one.ns),
                              formats::percent(one.share));
    if (one.calls > 0) result += QStringLiteral(" · ") + formats::counted(one.calls, formats::Thing::Call);
    if (one.estimated) result += QLatin1Char('\n') + tr("An apply that stems from several lines is shared out by what its steps cost.");
    return result;
}

QString FlameRows::caption(std::size_t node) const
{
    if (node >= flame.nodes.size()) return {};
    return tr("%1 · %2 in thunks").arg(texts[node], formats::timeNs(flame.nodes[node].ns));
}

TextTable FlameRows::table() const
{
    TextTable table;
    table.columns = {
        {tr("Level"), tr("What the row is"), false, false, 96},
        {tr("Time"), tr("In thunks; ~ where an apply of several lines is shared out by what its steps cost"), true, false, 96},
        {tr("% time"), tr("Share of the time in all thunks"), true, false, 80},
        {tr("#call"), tr("Calls of the function, or of its applies together"), true, false, 84},
        {tr("Name"), tr("Indented by level"), false, true, 200},
    };
    for (std::size_t i = 0; i < flame.nodes.size(); ++i) {
        const FlameNode &node = flame.nodes[i];
        const QString about = node.estimated ? QStringLiteral("~") : QString();
        table.rows.push_back(
            {{{kindText(i), 0},
              numberCell(about + formats::timeNs(node.ns), node.ns),
              numberCell(formats::percent(node.share), node.share),
              numberCell(formats::count(node.calls), static_cast<double>(node.calls)),
              {QString(node.depth * 2, QChar(0x2003)) + (node.kind == FlameKind::Apply ? text(node.detail) : texts[i]), 0}},
             static_cast<std::int64_t>(i)});
    }
    return table;
}

} // namespace views
