#pragma once

#include <QPointer>
#include <QString>
#include <QWidget>

#include <functional>
#include <vector>

class QPushButton;
class QToolButton;

namespace views {
class TextLabel;
}

namespace app {

/// One thing that a tour shows.
struct TourStop {
    QString title;
    QString text;
    std::function<void()> prepare;                   ///< brings it into view
    std::function<std::vector<QWidget *>()> widgets; ///< what it is about, side by side; none that is seen: the stop is told in the middle
};

/// The card of a stop, with a tip that points at what it is about.
class TourCallout : public QWidget {
    Q_OBJECT
public:
    explicit TourCallout(QWidget *window);
    void setStop(const TourStop &stop, int number, int count);
    /// Beside `about` (in the window), where most room is.
    void placeBeside(const QRect &about);
    QPushButton *nextButton() const { return m_next; }

Q_SIGNALS:
    void nextRequested();
    void backRequested();
    void leaveRequested();

protected:
    void paintEvent(QPaintEvent *event) override;
    bool eventFilter(QObject *object, QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void arrange();
    bool turns(int key); ///< whether it is one that goes on, back, or leaves
    views::TextLabel *m_count;
    views::TextLabel *m_title;
    views::TextLabel *m_text;
    QToolButton *m_leave;
    QPushButton *m_back;
    QPushButton *m_next;
    Qt::Edge m_tipEdge = Qt::LeftEdge;
    int m_tipAt = -1; ///< along that edge; -1: it points nowhere
};

/// Shows the stops one after the other, over a window that stays as it is: everything in it can be used meanwhile.
class Tour : public QObject {
    Q_OBJECT
public:
    Tour(QWidget *window, std::vector<TourStop> stops);
    ~Tour() override;

    void go(int stop);
    int at() const { return m_at; }
    int count() const { return static_cast<int>(m_stops.size()); }
    const TourCallout &callout() const { return *m_callout; }
    /// What is left bright, in the window; empty: nothing.
    QRect about() const;

Q_SIGNALS:
    void left(); ///< at its end, or before

protected:
    bool eventFilter(QObject *object, QEvent *event) override;

private:
    void place();
    class Veil;
    QWidget *m_window;
    std::vector<TourStop> m_stops;
    int m_at = -1;
    QPointer<Veil> m_veil;
    QPointer<TourCallout> m_callout;
};

} // namespace app
