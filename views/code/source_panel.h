#pragma once

#include "views/code/source_view.h"
#include "views/session/view_feed.h"

#include <QWidget>

namespace views {

class EmptyState;
class TextLabel;

/// The script (and other files it names) with time bars; lines and nodes share the hub's selection.
class SourcePanel : public QWidget {
    Q_OBJECT
public:
    explicit SourcePanel(SelectionHub &hub, QWidget *parent = nullptr);
    void feed(const ViewFeed &feed);
    SourceView *view() const { return m_view; }
    QString file() const { return m_file; }
    QStringList files() const { return m_files; }
    void showFile(const QString &file);

private:
    /// Takes the texts of a session; the shown file stays when it is still there.
    void setSession(std::shared_ptr<const SessionData> session);
    void follow();
    void refreshMarks();
    SelectionHub &m_hub;
    std::shared_ptr<const SessionData> m_session;
    profiler::FunctionId m_function = profiler::kNoFunction;
    QString m_file;
    QStringList m_files;
    SourceView *m_view;
    TextLabel *m_caption;
    EmptyState *m_empty;
};

} // namespace views
