#pragma once

#include "views/code/source_view.h"
#include "views/session/view_feed.h"

#include <QWidget>

class QLineEdit;
class QTimer;
class QToolButton;

namespace views {

class EmptyState;
class TextLabel;

/// The script (and other files it names) with time bars; lines and nodes share the hub's selection. The script can be edited
/// here; files are read and written by whom it asks.
class SourcePanel : public QWidget {
    Q_OBJECT
public:
    explicit SourcePanel(SelectionHub &hub, QWidget *parent = nullptr);
    void obey(const Request &request);
    void feed(const ViewFeed &feed);
    SourceView *view() const { return m_view; }
    QString file() const { return m_file; }
    QStringList files() const { return m_files; }
    void showFile(const QString &file);

    /// The script on this machine that Run starts; empty: nothing here can be edited.
    void setScript(const QString &path);
    /// Puts a text into the editor instead of what was recorded.
    void edit(const QString &text, bool saved);
    void stopEditing();
    bool isEditing() const { return m_view->isEditing(); }
    /// Whether something was typed that is not saved.
    bool isDirty() const { return isEditing() && m_view->document()->isModified(); }
    QString script() const { return m_script; }
    QString text() const { return m_view->toPlainText(); }
    /// It was written to its file.
    void markSaved();
    /// Asks for the width of 80 columns.
    void widen();

Q_SIGNALS:
    void editRequested();
    void saveRequested();
    void edited(); ///< soon after something was typed
    void widthAsked(int width);

protected:
    bool eventFilter(QObject *object, QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void showCaption();
    void showFoot();
    /// Takes the texts of a session; the shown file stays when it is still there.
    void setSession(std::shared_ptr<const SessionData> session);
    void follow();
    void refreshMarks();
    void leaveEditing();
    void refreshEditing();
    void find(bool backwards);
    void closeFind();
    void openMenu(const QPoint &at);
    SelectionHub &m_hub;
    std::shared_ptr<const SessionData> m_session;
    profiler::FunctionId m_function = profiler::kNoFunction;
    QString m_file;
    QStringList m_files;
    SourceView *m_view;
    TextLabel *m_caption;
    QWidget *m_foot; ///< what became of the line that is selected
    TextLabel *m_ofLine;
    QToolButton *m_stepsOfLine;
    QString m_script;
    QString m_recorded; ///< text of the shown file in the session
    QAction *m_edit;
    QAction *m_wide;
    QWidget *m_findLine;
    QLineEdit *m_findText;
    QTimer *m_soon;
    EmptyState *m_empty;
};

} // namespace views
