#pragma once

#include "views/session/view_feed.h"

#include <QWidget>

class QPlainTextEdit;

namespace views {

class EmptyState;

/// What the script printed, as it was kept in the session: while it runs, and later. What went to stderr is marked.
class OutputPanel : public QWidget {
    Q_OBJECT
public:
    explicit OutputPanel(QWidget *parent = nullptr);

    void feed(const ViewFeed &feed);

private:
    void append(const std::vector<profiler::OutputText> &outputs);

    QPlainTextEdit *m_text;
    EmptyState *m_empty;
    std::shared_ptr<const SessionData> m_session;
    std::size_t m_shown = 0; ///< pieces of the session's output
};

} // namespace views
