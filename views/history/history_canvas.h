#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/history/history_rows.h"
#endif

#include <QWidget>

#include <memory>

namespace views {

/// A row for each function, with a small picture for each measure: a point a session, in the order of time. A point that is a
/// diamond says that something is another since then.
class HistoryCanvas : public QWidget {
    Q_OBJECT
public:
    explicit HistoryCanvas(QWidget *parent = nullptr);
    void setRows(std::shared_ptr<const HistoryRows> rows);
    /// The session that is marked, and the one that it is to be compared with; -1: none.
    void setChosen(int session, int other = -1);
    int chosen() const { return m_chosen; }
    int other() const { return m_other; }

    QPointF placeOf(int function, Measure measure, int point) const;
    int sessionAt(const QPointF &place) const; ///< -1: none
    QSize sizeHint() const override;

Q_SIGNALS:
    /// A person chose a session; `other` is the first of two, -1: none. A click chooses the first, another one the second; keys
    /// move, and Space says that this is the first.
    void chosenByPerson(int session, int other);
    /// The second of two was clicked, or Return was pressed.
    void compareWanted();

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    struct Hit {
        int function = -1, point = -1;
    };
    Hit hitAt(const QPointF &place) const;
    double rowHeight() const;
    QRectF cellOf(int function, Measure measure) const;
    QRectF plotOf(int function, Measure measure) const;
    double largest(int function, Measure measure) const;
    void paintCell(QPainter &painter, int function, Measure measure) const;
    void choose(int session, int other);

    std::shared_ptr<const HistoryRows> m_rows;
    int m_chosen = -1, m_other = -1;
};

} // namespace views
