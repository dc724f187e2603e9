#pragma once

#include "app/studio/pages/welcome_page.h"

#include <QAbstractButton>

class QToolButton;

namespace app {

/// A sample: a small picture of its graph, title, what it is, tags.
class SampleButton : public QAbstractButton {
    Q_OBJECT
public:
    explicit SampleButton(SampleCard card, QWidget *parent = nullptr);
    QSize sizeHint() const override;

Q_SIGNALS:
    void runRequested();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void paintPicture(QPainter &painter, const QRectF &area) const;
    QRectF nodeRect(const SampleCard::Node &node, const QRectF &area) const;
    SampleCard m_card;
    QToolButton *m_run;
};

/// What became of a file of the recent list.
struct RecentState {
    QString text; ///< "finished · 2 minutes ago"
    bool good = true;
};
/// Looks into the file; slow for a damaged one.
RecentState recentState(const QString &path);

/// A file of the recent list: icon, name, how it stands, where it lies.
class RecentButton : public QAbstractButton {
    Q_OBJECT
public:
    explicit RecentButton(const QString &path, QWidget *parent = nullptr);
    void setState(const RecentState &state);
    QString state() const { return m_state.text; }
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_path;
    RecentState m_state;
};

/// The dashed place that says what can be dropped. The window takes the drop.
class DropHint : public QWidget {
    Q_OBJECT
public:
    using QWidget::QWidget;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
};

/// A wide button with an icon at the left and a shortcut at the right.
class WideButton : public QAbstractButton {
    Q_OBJECT
public:
    WideButton(const QString &icon, const QString &text, const QString &shortcut, bool primary);
    QSize sizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QRect wordsIn(const QRect &rect) const;
    QString m_icon;
    QString m_shortcut;
    bool m_primary;
};

} // namespace app
