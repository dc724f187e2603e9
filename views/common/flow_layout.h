#pragma once

#include <QLayout>

namespace views {

/// Left to right, then the next line: chips.
class FlowLayout : public QLayout {
public:
    FlowLayout(QWidget *parent, int gap);
    ~FlowLayout() override;
    void addItem(QLayoutItem *item) override;
    int count() const override;
    QLayoutItem *itemAt(int index) const override;
    QLayoutItem *takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSize() const override;
    void setGeometry(const QRect &rect) override;

private:
    int place(const QRect &all, bool move) const;
    QList<QLayoutItem *> m_items;
    int m_gap;
};

} // namespace views
