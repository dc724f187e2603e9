#pragma once

#include "views/code/code_highlighter.h"

#include <QHash>
#include <QPlainTextEdit>
#include <QSet>

namespace views {

/// What stands beside a line: its share of the slowest line draws the bar, the text is the tool tip.
struct LineMark {
    double own = 0;         ///< 0 … 1 of the longest bar, filled
    double withCalls = 0;   ///< and up to here pale: from what the line calls
    bool estimated = false; ///< hatched
    QString tip;
};

/// Source with line numbers, time bars and marked lines, to be read or edited. Knows nothing of sessions.
class SourceView : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit SourceView(QWidget *parent = nullptr);

    void setSource(const QString &text, CodeHighlighter::Language language);
    void setMarks(QHash<int, LineMark> marks);
    /// `current` (0: none) has the selection colour and the accent bar, `linked` the thin linked bar.
    void setMarkedLines(int current, const QSet<int> &linked);
    int currentLine() const { return m_current; }
    const QHash<int, LineMark> &marks() const { return m_marks; }
    /// Scrolls so that the line stands in the upper third.
    void showLine(int line);
    /// Whether it can be typed into; Tab gives blanks, Return keeps the indentation.
    void setEditing(bool on);
    bool isEditing() const { return !isReadOnly(); }
    /// What `columns` of the text need, with the gutter.
    int widthOfColumns(int columns) const;
    /// Selects the next place of the text, from the cursor on and round; false when there is none.
    bool findText(const QString &text, bool backwards = false);
    int lineAt(const QPoint &position) const;
    int gutterWidth() const;

Q_SIGNALS:
    void lineClicked(int line);
    void findRequested();

protected:
    void resizeEvent(QResizeEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    friend class SourceGutter;
    void paintGutter(QPainter &painter, const QRect &exposed);
    void paintOverflow(); ///< marks lines that go on beyond the right edge
    void refreshFont();
    void placeGutter();

    QWidget *m_gutter;
    CodeHighlighter *m_highlighter;
    QHash<int, LineMark> m_marks;
    QSet<int> m_linked;
    int m_current = 0;
    QPoint m_pressed;
};

} // namespace views
