#pragma once

#include <QWidget>

class QLineEdit;
class QToolButton;

namespace views {

class GraphCanvas;
class TextLabel;

/// Finds nodes of a canvas while one types: how many there are, which one is shown, the next and the previous. Closing it
/// gives every node its colour back.
class FindBar : public QWidget {
    Q_OBJECT
public:
    explicit FindBar(GraphCanvas &canvas, QWidget *parent = nullptr);

    void open();
    void close();
    void setText(const QString &text);
    void next(bool backwards = false);
    QString countText() const;

protected:
    bool eventFilter(QObject *object, QEvent *event) override;

private:
    void search();
    void refresh();

    GraphCanvas &m_canvas;
    QLineEdit *m_text;
    TextLabel *m_count;
    QToolButton *m_previous;
    QToolButton *m_next;
};

} // namespace views
