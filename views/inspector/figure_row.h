#pragma once

#include <QBoxLayout>
#include <QWidget>

#include <vector>

namespace views {

/// A few numbers with what they are: side by side, or one below the other where one would be cut.
class FigureRow : public QWidget {
    Q_OBJECT
public:
    explicit FigureRow(QWidget *parent = nullptr);
    void add(const QString &value, const QString &label, const QString &quality);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void arrange();
    QBoxLayout *m_cellsLayout;
    std::vector<QBoxLayout *> m_cells;
    std::vector<QWidget *> m_lines;
    int m_widest = 0;
};

} // namespace views
