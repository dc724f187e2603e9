#pragma once

#include <QFrame>
#include <QStringList>

class QProgressBar;
class QToolButton;

namespace views {

class ElidedLabel;
class Measuring;
class SelectionHub;

/// What a command that was started for a view is doing, with a button that stops it; and the sentence of one that failed. Takes no
/// room otherwise.
class MeasureStrip : public QFrame {
    Q_OBJECT
public:
    /// `commands`: of `croton`, those that this view asks for.
    MeasureStrip(SelectionHub &hub, QStringList commands, QWidget *parent = nullptr);
    bool isRunning() const;
    QString text() const;
    QToolButton *stopButton() const { return m_stop; }

private:
    void follow();

    Measuring &m_measuring;
    QStringList m_commands;
    ElidedLabel *m_text;
    QProgressBar *m_progress;
    QToolButton *m_stop;
};

} // namespace views
