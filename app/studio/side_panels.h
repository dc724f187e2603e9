#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "app/studio/session_data.h"
#endif
#include "views/code/source_view.h"
#include "views/common/selection_hub.h"
#include "views/common/theme.h"

#include <QWidget>

namespace views {
class EmptyState;
class LabeledCombo;
class TextLabel;
} // namespace views

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace app {

/// The script (and other files it names) with time bars; lines and nodes share the hub's selection.
class SourcePanel : public QWidget {
    Q_OBJECT
public:
    explicit SourcePanel(views::SelectionHub &hub, QWidget *parent = nullptr);
    /// Takes the texts of a session; the shown file stays when it is still there.
    void setSession(std::shared_ptr<const SessionData> session);
    void setMarks(const QString &file, QHash<int, views::LineMark> marks);
    void setCaption(const QString &caption);
    views::SourceView *view() const { return m_view; }
    QString file() const { return m_file; }
    QStringList files() const { return m_files; }
    void showFile(const QString &file);

Q_SIGNALS:
    void fileShown(const QString &file);

private:
    void follow();
    views::SelectionHub &m_hub;
    std::shared_ptr<const SessionData> m_session;
    QString m_file;
    QStringList m_files;
    views::SourceView *m_view;
    views::TextLabel *m_caption;
    views::EmptyState *m_empty;
};

/// What lines, marks and colours of the graph mean.
class KeyPanel : public QWidget {
    Q_OBJECT
public:
    explicit KeyPanel(QWidget *parent = nullptr);
    /// Both ends of the hot scale, seconds a call; nothing when there are no times.
    void setTimes(double fastest, double slowest);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {100, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    double m_fastest = -1;
    double m_slowest = -1;
};

/// The generated code of the selected node, or of the whole function.
class CodePanel : public QWidget {
    Q_OBJECT
public:
    explicit CodePanel(QWidget *parent = nullptr);
    void setKernels(const std::vector<profiler::Kernel> *kernels, std::int64_t apply, const QString &why);

private:
    void showKernel(int index);
    std::vector<profiler::Kernel> m_kernels;
    views::LabeledCombo *m_choice;
    views::TextLabel *m_note;
    views::SourceView *m_view;
    views::EmptyState *m_empty;
    QWidget *m_head;
};

/// The 32 px strip at the foot: what can be opened below, and the three largest shares.
class BottomStrip : public QWidget {
    Q_OBJECT
public:
    explicit BottomStrip(QWidget *parent = nullptr);
    void addPanel(const QString &id, const QString &title, const QString &icon);
    void setOpen(const QString &id); ///< empty: closed
    QString open() const { return m_open; }
    void setShares(const QString &text);
    QSize sizeHint() const override;

Q_SIGNALS:
    void openChanged(const QString &id);

private:
    void toggle(const QString &id);
    QString m_open;
    QString m_last;
    std::vector<std::pair<QString, QToolButton *>> m_buttons;
    QHBoxLayout *m_layout;
    views::TextLabel *m_shares;
    QToolButton *m_chevron;
};

} // namespace app
