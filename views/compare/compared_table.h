#pragma once

#include "views/common/data_table.h"
#include "views/compare/compare_delegate.h"

namespace views {

struct BlockingRows;

/// The table of a comparison: a bar per row, and columns that give way to the name where there is no room.
class ComparedTable : public TextTableView {
    Q_OBJECT
public:
    explicit ComparedTable(QWidget *parent = nullptr);

    void showRows(std::shared_ptr<const CompareRows> rows, CompareTable table);
    /// A session with blocking off and on.
    void showBlocking(const BlockingRows &rows);
    /// Hides the columns that there is no room for.
    void giveWay();

protected:
    void fit() override;

private:
    CompareDelegate *m_delegate;
};

} // namespace views
