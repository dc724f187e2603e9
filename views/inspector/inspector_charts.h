#pragma once

#include <QString>
#include <QWidget>

#include <vector>

namespace views {

/// Where the times or the values of an apply lie: one bar for each stretch of an axis, lines at the median and below which 95 % lie.
struct TimesPicture {
    QString name;             ///< for those who do not see it
    std::vector<double> bars; ///< 0 … 1
    std::vector<QString> tips;
    double median = 0; ///< on the axis, 0 … 1; below 0: not drawn
    double p95 = 0;
    QString least, most;        ///< at its ends
    QString sentence;           ///< the same in words
    std::vector<QString> tiers; ///< one line each
};

/// The life of a piece of memory within one call.
struct BufferPicture {
    QString name;
    QString note;
    QString tip;
    double from = 0; ///< of the order of execution, 0 … 1
    double to = 1;
    bool atPeak = false;
};

class TimesChart : public QWidget {
    Q_OBJECT
public:
    explicit TimesChart(TimesPicture picture, QWidget *parent = nullptr);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;

private:
    TimesPicture m_picture;
};

class BufferRow : public QWidget {
    Q_OBJECT
public:
    explicit BufferRow(BufferPicture picture, QWidget *parent = nullptr);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    BufferPicture m_picture;
};

} // namespace views
