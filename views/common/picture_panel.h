#pragma once

#include "views/common/text_table.h"

#include <QWidget>

class QHBoxLayout;
class QSortFilterProxyModel;
class QStackedWidget;

namespace views {

class ChoiceTabs;
class ElidedLabel;
class EmptyState;

/// A picture and its table over one place, under a bar with what they show. Both hold the same rows.
class PicturePanel : public QWidget {
    Q_OBJECT
public:
    /// `name` is what assistive tools call the picture and its table.
    PicturePanel(const QString &name, QWidget *picture, QWidget *parent = nullptr);

    /// Where a view adds controls, left of the caption, and right of it. Choices become a box where there is no room for them.
    void addLeft(QWidget *widget);
    void addRight(QWidget *widget);
    /// What the picture shows now: "train · 40 calls".
    void setCaption(const QString &text);
    QString caption() const;
    void setTable(TextTable table);
    /// Shows why there is nothing, instead of both; an empty sentence shows them.
    void setEmpty(const QString &icon, const QString &sentence, const QString &action = {});
    bool isEmpty() const;
    QString sentence() const;
    void showTable(bool table);
    bool showsTable() const;
    /// Marks the row of a key without telling.
    void selectKey(std::int64_t key);

    QTableView *table() const { return m_table; }
    TextTableModel *model() const { return m_model; }
    QWidget *picture() const { return m_picture; }

public Q_SLOTS:
    void copyAsText();

Q_SIGNALS:
    /// A person chose a row of the table.
    void keyChosen(qint64 key);
    void actionTriggered();

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void refresh();
    void fitColumns();
    void fitChoices();

    QWidget *m_picture;
    QHBoxLayout *m_left;
    QHBoxLayout *m_right;
    QWidget *m_copy;
    ElidedLabel *m_caption;
    ChoiceTabs *m_kind;
    QWidget *m_bar;
    QStackedWidget *m_stack;
    TextTableModel *m_model;
    QSortFilterProxyModel *m_proxy;
    QTableView *m_table;
    EmptyState *m_empty;
    bool m_isEmpty = false;
    bool m_following = false;
};

} // namespace views
