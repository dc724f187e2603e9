#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/worth/worth_rows.h"
#endif

#include "views/common/scroll_picture.h"

#include <memory>

namespace views {

/// A line each: its name, and a bar from zero: to the right what the call would lose without it, to the left what it would gain.
class WorthCanvas : public ScrollPicture {
    Q_OBJECT
public:
    explicit WorthCanvas(QWidget *parent = nullptr);
    void setRows(std::shared_ptr<const WorthRows> rows, std::shared_ptr<const SessionData> session);
    void setChosen(int line);
    int chosen() const { return m_chosen; }

    QRectF lineRect(int line) const; ///< in the viewport
    QRectF barOf(int line) const;
    int lineAt(const QPointF &place) const; ///< -1: none
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void chosenByPerson(int line);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void layOut() override;
    QString tipAt(const QPointF &place) const override;
    void pointerLeft() override { m_hovered = -1; }

private:
    int count() const { return m_rows ? static_cast<int>(m_rows->lines.size()) : 0; }
    double headHeight() const;
    double nameWidth() const;
    double textWidth() const;
    double zero() const;
    double gapBefore(int line) const;
    void choose(int line);
    void paintLine(QPainter &painter, int line) const;
    void paintHead(QPainter &painter) const;

    std::shared_ptr<const WorthRows> m_rows;
    std::shared_ptr<const SessionData> m_session;
    int m_chosen = -1, m_hovered = -1;
};

} // namespace views
