#pragma once

#include "views/common/controls.h"

#include <functional>

class QHBoxLayout;
class QVBoxLayout;

namespace views {

/// The 32 px title line of a panel: title, quiet subtitle, room for buttons at the right.
class PanelHeader : public QWidget {
    Q_OBJECT
public:
    explicit PanelHeader(const QString &title, QWidget *parent = nullptr);
    void setTitle(const QString &title);
    void setSubtitle(const QString &subtitle);
    QString title() const;
    QString subtitle() const;
    /// Adds a widget at the right end.
    void addWidget(QWidget *widget);

private:
    QHBoxLayout *m_layout;
    ElidedLabel *m_title;
    ElidedLabel *m_subtitle;
};

/// Why there is nothing to see, and the one button that helps.
class EmptyState : public QWidget {
    Q_OBJECT
public:
    explicit EmptyState(QWidget *parent = nullptr);
    void show(const QString &icon, const QString &sentence, const QString &action = {});
    QString sentence() const;

Q_SIGNALS:
    void actionTriggered();

protected:
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void refreshIcon();
    QString m_iconName;
    QLabel *m_icon;
    TextLabel *m_text;
    QPushButton *m_button;
};

/// A strip on top of a view: something failed, is cut off, or needs care. The last good picture stays below.
class NoticeStrip : public QFrame {
    Q_OBJECT
public:
    enum class Kind { Info, Warning, Error };

    explicit NoticeStrip(QWidget *parent = nullptr);
    /// Shows the sentence; `details` (mono, copyable) open on demand; `action` is what can be done about it.
    void show(Kind kind, const QString &sentence, const QString &details = {}, const QString &action = {});
    void clear();
    Kind kind() const { return m_kind; }
    QString sentence() const;

Q_SIGNALS:
    void actionTriggered();
    void dismissed();

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    Kind m_kind = Kind::Info;
    QLabel *m_icon;
    TextLabel *m_text;
    QToolButton *m_detailsButton;
    QToolButton *m_actionButton;
    QToolButton *m_close;
    TextLabel *m_details;
};

/// The 2 px accent line at a view's top edge: nothing for 200 ms, then moving, and the text is told.
class ProgressLine : public QWidget {
    Q_OBJECT
public:
    explicit ProgressLine(QWidget *parent = nullptr);
    void start(const QString &text = {});
    void stop();
    bool isRunning() const { return m_running; }

Q_SIGNALS:
    void textShown(const QString &text);

protected:
    void paintEvent(QPaintEvent *event) override;
    void timerEvent(QTimerEvent *event) override;

private:
    bool m_running = false;
    bool m_visiblePart = false;
    int m_timer = 0;
    int m_delay = 0;
    double m_phase = 0;
    QString m_text;
};

} // namespace views
