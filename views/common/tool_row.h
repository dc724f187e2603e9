#pragma once

#include <QPointer>
#include <QWidget>

#include <vector>

class QToolButton;

namespace views {

/// Tools beside one another: boxes, buttons and choices. What has no room goes into a menu behind them, so that none is cut off.
class ToolRow : public QWidget {
    Q_OBJECT
public:
    explicit ToolRow(QWidget *parent = nullptr);

    /// The least important go first, of equal ones the last.
    void insert(int at, QWidget *tool, int importance = 0);
    int count() const { return static_cast<int>(m_tools.size()); }
    /// Shows as many as there is room for.
    void fit(int room);
    /// Takes no room from others: whoever holds it fits it into what is left.
    QSize minimumSizeHint() const override { return {0, QWidget::minimumSizeHint().height()}; }

Q_SIGNALS:
    void wanted(); ///< a tool came, went or needs another width: who knows the room is to fit it again

protected:
    bool eventFilter(QObject *object, QEvent *event) override;

private:
    struct Tool {
        QPointer<QWidget> widget;
        QPointer<QWidget> place; ///< shown where there is room, whether or not the tool itself is to be seen
        int importance;
    };
    void fillMenu();

    std::vector<Tool> m_tools;
    QToolButton *m_more;
};

} // namespace views
