#pragma once

#include "views/common/selection_hub.h"

#include <QHash>
#include <QObject>

namespace views {

/// What a person noted on nodes of a session. Kept among the settings, by when the session was recorded, so that a copy of it has the
/// same. One for each hub, on which it hangs.
class NodeNotes : public QObject {
    Q_OBJECT
public:
    static NodeNotes &of(SelectionHub &hub);

    /// The notes of another session; empty: of none.
    void setSession(const QString &session);
    QString note(std::uint32_t graph, const NodeRef &node) const;
    /// Without a text it is forgotten.
    void setNote(std::uint32_t graph, const NodeRef &node, const QString &text);
    /// A node has its note on both sides.
    QHash<NodeRef, QString> ofGraph(std::uint32_t graph, Side side) const;

Q_SIGNALS:
    void changed();

private:
    explicit NodeNotes(SelectionHub &hub);
    QString m_session;
    QHash<QString, QString> m_notes; ///< "graph-kind-id"
};

} // namespace views
