#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/stats/machine/worth.h"
#endif
#include "views/common/text_table.h"

#include <QWidget>

#include <memory>

namespace views {

class StepTrack;

/// Three thin lines over the step bar: what a call of the graph after each pass takes, holds, and how wrong it is. What a step made faster,
/// more exact or smaller is marked, and the contrary.
class AlongStrip : public QWidget {
    Q_OBJECT
public:
    /// `track` stands under it, and says where each step is.
    explicit AlongStrip(const StepTrack &track, QWidget *parent = nullptr);

    void setTable(std::shared_ptr<const profiler::AlongTable> table);
    const profiler::AlongTable *table() const { return m_table.get(); }
    void setStep(int step);
    void setLow(bool low);

    enum class Line : std::uint8_t { Time, Memory, Error };
    /// Where the value of a row stands.
    QPointF placeOf(Line line, std::size_t row) const;
    int rowAt(double x) const; ///< the nearest; -1: none
    QString keyText(Line line) const;
    QString tip(std::size_t row) const;
    /// A row's key is its step.
    TextTable textTable() const;
    static QString markText(const profiler::AlongMark &mark);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

Q_SIGNALS:
    void stepRequested(int step);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    bool event(QEvent *event) override;

private:
    double xOf(int step) const;
    double trackLeft() const;
    double lineHeight() const;
    double shareOf(Line line, const profiler::AlongRow &row) const; ///< 0 … 1 of its height
    void paintLine(QPainter &painter, Line line) const;
    void paintMarks(QPainter &painter, Line line) const;

    const StepTrack &m_track;
    std::shared_ptr<const profiler::AlongTable> m_table;
    double m_mostNs = 0, m_mostBytes = 0, m_mostUlp = 0;
    int m_step = 0;
    int m_hovered = -1; ///< a row
    bool m_low = false;
};

} // namespace views
