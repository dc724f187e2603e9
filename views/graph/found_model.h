#pragma once

#include <QAbstractListModel>

namespace views {

class GraphCanvas;

/// What a search found among the nodes that are drawn, a line each. A line is written when it is looked at: there may be very many.
class FoundModel : public QAbstractListModel {
    Q_OBJECT
public:
    explicit FoundModel(const GraphCanvas &canvas, QObject *parent = nullptr) : QAbstractListModel(parent), m_canvas(canvas) {}

    /// Takes what the canvas has found by now.
    void renew();
    int rowCount(const QModelIndex &parent = {}) const override { return parent.isValid() ? 0 : m_rows; }
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

private:
    const GraphCanvas &m_canvas;
    int m_rows = 0;
};

} // namespace views
