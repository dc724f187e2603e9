#pragma once

#include "app/studio/window/view_table.h"

#include <QSplitter>
#include <QWidget>

class QHBoxLayout;
class QStackedWidget;
class QToolButton;

namespace views {
class Hairline;
class TextLabel;
} // namespace views

namespace app {

/// The 32 px strip at the foot: what can be opened below, and the three largest shares.
class BottomStrip : public QWidget {
    Q_OBJECT
public:
    explicit BottomStrip(QWidget *parent = nullptr);
    void addPanel(const QString &id, const QString &title, const QString &icon);
    void setOffered(const QStringList &ids); ///< the others are hidden
    void setOpen(const QString &id);         ///< empty: closed
    QString open() const { return m_open; }
    void setShares(const QString &text);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void openChanged(const QString &id);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void toggle(const QString &id);
    void fit(); ///< in a narrow window the shares go, then the words
    QString m_open;
    QString m_last;
    std::vector<std::pair<QString, QToolButton *>> m_buttons;
    QHBoxLayout *m_layout;
    views::TextLabel *m_shares;
    QToolButton *m_chevron;
};

/// The middle of the window: a page, the strip under it, and the panel that is open below.
class BottomArea : public QSplitter {
    Q_OBJECT
public:
    BottomArea(QWidget *page, const ViewTable &views, QWidget *parent = nullptr);

    BottomStrip *strip() const { return m_strip; }
    /// Offers the panels of a workspace; an open one that does not stand there is hidden until one that has it is entered.
    void enter(const QString &workspace);
    /// Opens a panel; its widget comes along.
    void openPanel(const QString &id, QWidget *panel);
    void closePanel();
    bool isOpen(const QString &id) const;
    /// The panel that is seen; null: none.
    QWidget *panel() const;

Q_SIGNALS:
    /// The person wants a panel, or none with an empty id.
    void panelChosen(const QString &id);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void share();
    const ViewTable &m_views;
    QWidget *m_page;
    QStringList m_offered;
    BottomStrip *m_strip;
    QWidget *m_line;
    QStackedWidget *m_panels;
};

} // namespace app
