#pragma once

#include "views/common/data_table.h"
#include "views/common/table_panel.h"

namespace views {

class ChoiceTabs;

/// A picture and its table over one place, under a bar with what they show. Both hold the same rows.
class PicturePanel : public TablePanel {
    Q_OBJECT
public:
    /// `name` is what assistive tools call the picture and its table.
    PicturePanel(const QString &name, QWidget *picture, QWidget *parent = nullptr);

    void setTable(TextTable table) { m_table->setTable(std::move(table)); }
    /// Shows why there is nothing, instead of both and of the bar; an empty sentence shows them.
    void setEmpty(const QString &icon, const QString &sentence, const QString &action = {});
    void showTable(bool table);
    bool showsTable() const;
    /// Marks the row of a key without telling.
    void selectKey(std::int64_t key) { m_table->markKey(key); }

    TextTableView *table() const { return m_table; }
    TextTableModel *model() const { return m_table->rows(); }
    QWidget *picture() const { return m_picture; }

Q_SIGNALS:
    /// A person chose a row of the table.
    void keyChosen(qint64 key);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void fitChoices();

    QWidget *m_picture;
    ChoiceTabs *m_kind;
    TextTableView *m_table;
};

} // namespace views
