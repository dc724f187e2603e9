#pragma once

#include "views/session/view_feed.h"

#include <QWidget>

class QPlainTextEdit;

namespace views {

class ElidedLabel;
class EmptyState;

/// What the script printed, as it was kept in the session: while it runs, and later. What went to stderr is marked; what was left out is
/// said.
class OutputPanel : public QWidget {
    Q_OBJECT
public:
    explicit OutputPanel(QWidget *parent = nullptr);

    void feed(const ViewFeed &feed);

private:
    void append(const std::vector<profiler::OutputText> &outputs);
    void sayWhatIsMissing();
    void scrollToEnd(); ///< when the text has got its size

    ElidedLabel *m_missing; ///< what is not here
    QPlainTextEdit *m_text;
    EmptyState *m_empty;
    std::shared_ptr<const SessionData> m_session;
    bool m_followsEnd = true;
    std::int64_t m_shownUpTo = -1; ///< the time of what was appended last
};

} // namespace views
