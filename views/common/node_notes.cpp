#include "views/common/node_notes.h"

#include <QSettings>
#include <QStringList>

namespace views {
namespace {

QString keyOf(std::uint32_t graph, const NodeRef &node)
{
    return QStringLiteral("%1-%2-%3").arg(graph).arg(static_cast<int>(node.kind)).arg(node.id);
}

} // namespace

NodeNotes::NodeNotes(SelectionHub &hub) : QObject(&hub) {}

NodeNotes &NodeNotes::of(SelectionHub &hub)
{
    if (auto *known = hub.findChild<NodeNotes *>(QString(), Qt::FindDirectChildrenOnly)) return *known;
    return *new NodeNotes(hub);
}

void NodeNotes::setSession(const QString &session)
{
    if (session == m_session) return;
    m_session = session;
    m_notes.clear();
    QSettings settings;
    settings.beginGroup(QStringLiteral("notes/") + session);
    if (!session.isEmpty())
        for (const QString &key : settings.childKeys()) m_notes.insert(key, settings.value(key).toString());
    Q_EMIT changed();
}

QString NodeNotes::note(std::uint32_t graph, const NodeRef &node) const { return m_notes.value(keyOf(graph, node)); }

void NodeNotes::setNote(std::uint32_t graph, const NodeRef &node, const QString &text)
{
    if (m_session.isEmpty() || !node.isValid() || text == note(graph, node)) return;
    const QString key = keyOf(graph, node), kept = QStringLiteral("notes/%1/%2").arg(m_session, key);
    if (text.isEmpty()) {
        m_notes.remove(key);
        QSettings().remove(kept);
    } else {
        m_notes.insert(key, text);
        QSettings().setValue(kept, text);
    }
    Q_EMIT changed();
}

QHash<NodeRef, QString> NodeNotes::ofGraph(std::uint32_t graph, Side side) const
{
    QHash<NodeRef, QString> notes;
    for (auto note = m_notes.cbegin(); note != m_notes.cend(); ++note) {
        const QStringList parts = note.key().split(u'-');
        if (parts.size() == 3 && parts[0].toUInt() == graph)
            notes.insert({side, static_cast<NodeKind>(parts[1].toInt()), parts[2].toLongLong()}, note.value());
    }
    return notes;
}

} // namespace views
