#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/compare/compare_rows.h"
#endif

#include <QFrame>

class QMenu;

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

Q_SIGNALS:
    void pathChosen(const QString &path);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void fillMenu();
    bool m_isA;
    QString m_path;
    ElidedLabel *m_title;
    ElidedLabel *m_detail;
    TextLabel *m_figure;
    TextLabel *m_unit;
    MenuButton *m_choose;
    QMenu *m_menu;
};

} // namespace views
