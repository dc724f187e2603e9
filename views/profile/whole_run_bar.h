#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/stats/times/whole_run.h"
#endif
#include "views/common/theme.h"

#include <QWidget>

namespace views {

/// The whole script as one bar: functions, compiling, and what is in neither. Its words are the table of it.
class WholeRunBar : public QWidget {
    Q_OBJECT
public:
    explicit WholeRunBar(QWidget *parent = nullptr);
    void setRun(const profiler::WholeRun &run);
    /// "Functions 0.76 s", one a part.
    QStringList words() const;
    QSize sizeHint() const override;
    /// In a low window without its words: as many as fit are drawn.
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    struct Part {
        QString name;
        std::int64_t ns = 0;
        Color ink = Color::Cpu;
        bool hatched = false;
    };
    int perLine(int width) const;
    int titleHeight(int width) const;
    std::vector<Part> m_parts;
    QString m_title;
};

} // namespace views
