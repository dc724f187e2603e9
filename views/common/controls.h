#pragma once

#include "views/common/theme.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QWidget>

class QBoxLayout;
class QHBoxLayout;
class QLineEdit;

namespace views {

/// A label in a role's font that follows theme and text size. `ink`: "", "secondary", "muted", "link", "ok", "warn", "error".
class TextLabel : public QLabel {
    Q_OBJECT
public:
    explicit TextLabel(const QString &text = {}, FontRole role = FontRole::Body, const char *ink = nullptr, QWidget *parent = nullptr);
    void setInk(const char *ink);

private:
    void refresh();
    FontRole m_role;
    Color m_ink = Color::TextPrimary;
};

/// One line that elides instead of asking for room; the whole text is its tool tip when it does not fit.
class ElidedLabel : public TextLabel {
    Q_OBJECT
public:
    explicit ElidedLabel(const QString &text = {}, FontRole role = FontRole::Body, const char *ink = nullptr,
                         Qt::TextElideMode mode = Qt::ElideRight, QWidget *parent = nullptr);
    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    Qt::TextElideMode m_mode;
};

/// A hairline between blocks.
class Hairline : public QFrame {
    Q_OBJECT
public:
    explicit Hairline(Qt::Orientation orientation = Qt::Horizontal, QWidget *parent = nullptr);
};

/// Two or more exclusive choices side by side: workspaces, kinds of table.
class SegmentedSwitch : public QWidget {
    Q_OBJECT
public:
    explicit SegmentedSwitch(QWidget *parent = nullptr);
    /// Adds a choice; an empty icon name gives text only.
    void addChoice(const QString &id, const QString &text, const QString &icon = {});
    QString current() const { return m_current; }
    void setCompact(bool compact);
    void setChoiceEnabled(const QString &id, bool enabled, const QString &reason = {});
    QSize sizeHint() const override;
    /// Where there is less room than for all texts they are elided, with tool tips: `ChoiceTabs` becomes a box instead.
    QSize minimumSizeHint() const override;
    /// Is there less room than for all texts, and no icon to stand for one?
    bool isCut() const;

public Q_SLOTS:
    void setCurrent(const QString &id);

Q_SIGNALS:
    void currentChanged(const QString &id);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    struct Choice {
        QString id;
        QString text;
        QString icon;
        bool enabled = true;
        QString reason;
    };
    int widthOf(const Choice &choice) const;
    int at(const QPoint &position) const;
    QRect rectOf(int index) const;
    std::vector<Choice> m_choices;
    QString m_current;
    int m_hovered = -1;
    bool m_compact = false;
};

/// A combo box that says what it sets: "Device  CPU ⌄".
class LabeledCombo : public QComboBox {
    Q_OBJECT
public:
    explicit LabeledCombo(const QString &label = {}, QWidget *parent = nullptr);
    QString label() const { return m_label; }
    void setCompact(bool compact);
    QSize sizeHint() const override;
    /// Without its label, and with an elided text.
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_label;
    bool m_compact = false;
};

/// A button that opens a menu, drawn with the chevron of the combo boxes.
class MenuButton : public QPushButton {
    Q_OBJECT
public:
    explicit MenuButton(const QString &text, QWidget *parent = nullptr);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
};

/// A pill with a short text: device, type, "destroys i4".
class Chip : public QWidget {
    Q_OBJECT
public:
    Chip(const QString &text, Color ink, Color fill, QWidget *parent = nullptr);
    QString text() const { return m_text; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_text;
    Color m_ink;
    Color m_fill;
};

/// The letter of a phase in its square.
class PhaseBadge : public QWidget {
    Q_OBJECT
public:
    explicit PhaseBadge(const QString &phase, QWidget *parent = nullptr);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_phase;
};

/// Icon button without frame: tool tip and accessible name are the same text.
QToolButton *iconButton(const QString &icon, const QString &tip, QWidget *parent = nullptr);
/// A field to search or filter with; the name is for assistive tools.
QLineEdit *searchBox(const QString &placeholder, const QString &name);
/// Text that acts: link coloured, with a pointing hand.
QToolButton *linkButton(const QString &text, QWidget *parent = nullptr);
/// Marks a push button as the primary action of its place.
void makePrimary(QPushButton *button, bool primary = true);
/// Sets the surface a widget stands on ("window", "panel", "canvas", "sunken", "raised").
void setSurface(QWidget *widget, const char *surface);
/// Removes and deletes everything in a layout.
void clearLayout(QLayout *layout);

} // namespace views
