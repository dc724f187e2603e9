#pragma once

#include <QWidget>

class QPushButton;

namespace views {

class ElidedLabel;

/// The way from page to page of a lesson, and how many of its questions are answered.
class LessonFoot : public QWidget {
    Q_OBJECT
public:
    explicit LessonFoot(QWidget *parent = nullptr);
    void setPage(int page, int pages, const QString &note);

Q_SIGNALS:
    void backRequested();
    void nextRequested();

private:
    QPushButton *m_back;
    QPushButton *m_next;
    ElidedLabel *m_note;
};

} // namespace views
