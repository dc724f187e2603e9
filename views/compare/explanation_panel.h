#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/compare/compare_rows.h"
#endif

#include "views/common/theme.h"

#include <QScrollArea>

class QVBoxLayout;

namespace views {

class TextLabel;

/// From the time in applies of A to that of B, class by class: a bar starts where the one before ended.
class Waterfall : public QWidget {
    Q_OBJECT
public:
    explicit Waterfall(QWidget *parent = nullptr);
    void setExplanation(const profiler::Explanation &explanation);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    struct Row {
        QString name;
        double from = 0, to = 0;
        QString figure;
        Color ink = Color::Same;
    };
    std::vector<Row> m_rows;
    double m_most = 0;
};

/// What explains the difference, how it was judged, and whether the two are comparable.
class ExplanationPanel : public QScrollArea {
    Q_OBJECT
public:
    explicit ExplanationPanel(QWidget *parent = nullptr);
    void setRows(const CompareRows &rows);

private:
    Waterfall *m_waterfall;
    TextLabel *m_title;
    TextLabel *m_reading;
    QVBoxLayout *m_checks;
};

} // namespace views
