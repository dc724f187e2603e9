#pragma once

#include <QPointer>
#include <QWidget>

namespace views {

/// The one focus ring of a window: 2 px around whatever has the keys, shown only after the keyboard moved the focus.
class FocusRing : public QWidget {
    Q_OBJECT
public:
    explicit FocusRing(QWidget *window);
    QWidget *target() const { return m_target; }

protected:
    bool eventFilter(QObject *object, QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    void follow(QWidget *widget);
    void place();
    QPointer<QWidget> m_target;
    bool m_keyboard = false;
};

} // namespace views
