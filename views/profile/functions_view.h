#pragma once

#include <QAbstractListModel>
#include <QListView>

#include <cstdint>
#include <vector>

namespace views {

class SelectionHub;

/// One compiled function in the list at the left.
struct FunctionRow {
    std::int64_t id = -1;
    std::int64_t graph = -1; ///< of a graph inside an apply; -1: the function's own
    std::int64_t parentApply = -1;
    int depth = 0; ///< how deep inside the function
    QString name;
    QString detail; ///< "19 applies"
    QString figure; ///< "133.0 µs" a call, or "1 call", or "compiling"
    QString tip;
};

class FunctionsModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { kIdRole = Qt::UserRole + 1, kDetailRole, kFigureRole, kDepthRole };
    using QAbstractListModel::QAbstractListModel;
    void setRows(std::vector<FunctionRow> rows);
    int rowOf(std::int64_t id, std::int64_t graph = -1) const;
    const FunctionRow &row(int at) const { return m_rows[static_cast<std::size_t>(at)]; }
    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;

private:
    std::vector<FunctionRow> m_rows;
};

/// The functions of the session; choosing one selects it in the hub.
class FunctionsView : public QListView {
    Q_OBJECT
public:
    explicit FunctionsView(SelectionHub &hub, QWidget *parent = nullptr);
    void setRows(std::vector<FunctionRow> rows);
    QSize sizeHint() const override;

private:
    void follow();
    SelectionHub &m_hub;
    FunctionsModel *m_model;
    bool m_following = false;
};

} // namespace views
