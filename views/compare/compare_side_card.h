#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/compare/compare_rows.h"
#endif

#include <QFileInfo>
#include <QFrame>

class QMenu;
class QToolButton;

namespace views {

class ElidedLabel;
class MenuButton;
class TextLabel;

/// One side: its letter in a circle (A) or a square (B), which session it is, what a call takes; and the menu to choose another.
class CompareSideCard : public QFrame {
    Q_OBJECT
public:
    explicit CompareSideCard(bool isA, QWidget *parent = nullptr);
    void setSide(const CompareSideText &side);
    /// A session that is not read yet, or none.
    void setPath(const QString &path);
    QString title() const;
    QSize sizeHint() const override;
    /// A person's own name for the session; empty: what it says itself.
    void setName(const QString &name);
    void setPinned(bool pinned);
    /// Sessions that were opened or recorded in this window, newest first: they are offered first.
    void setOffered(const QStringList &paths);

Q_SIGNALS:
    void pathChosen(const QString &path);
    void pinToggled(bool pinned);
    void named(const QString &path, const QString &name);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void fillMenu();
    void askName();
    void refresh();
    void showWhatFits();
    bool m_isA;
    QString m_path;
    QString m_name;
    CompareSideText m_side;
    QStringList m_offered;
    QToolButton *m_pin;
    ElidedLabel *m_title;
    ElidedLabel *m_detail;
    TextLabel *m_figure;
    TextLabel *m_unit;
    MenuButton *m_choose;
    QMenu *m_menu;
};

} // namespace views
