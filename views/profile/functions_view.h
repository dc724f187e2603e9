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
    QString name;
    QString detail; ///< "19 applies"
    QString figure; ///< "133.0 µs" a call, or "1 call", or "compiling"
    QString tip;
};

class FunctionsModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { kIdRole = Qt::UserRole + 1, kDetailRole, kFigureRole };
    using QAbstractListModel::QAbstractListModel;
    void setRows(std::vector<FunctionRow> rows);
    int rowOf(std::int64_t id) const;
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
