#include "views/code/source_view.h"

#include "views/common/palette.h"
#include "views/common/theme.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QTextBlock>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace views {

class SourceGutter : public QWidget {
public:
    explicit SourceGutter(SourceView *view) : QWidget(view), m_view(view) {}

protected:
    void paintEvent(QPaintEvent *event) override
    {
        QPainter painter(this);
        m_view->paintGutter(painter, event->rect());
    }
    void mousePressEvent(QMouseEvent *event) override
    {
        const int line = m_view->lineAt(QPoint(0, event->position().toPoint().y()));
        if (line > 0) Q_EMIT m_view->lineClicked(line);
    }

private:
    SourceView *m_view;
};

SourceView::SourceView(QWidget *parent)
    : QPlainTextEdit(parent), m_gutter(new SourceGutter(this)),
      m_highlighter(new CodeHighlighter(CodeHighlighter::Language::Python, document()))
{
    setReadOnly(true);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Source"));
    document()->setDocumentMargin(2);
    connect(verticalScrollBar(), &QScrollBar::valueChanged, m_gutter, qOverload<>(&QWidget::update));
    refreshFont();
}

void SourceView::refreshFont()
{
    setFont(Theme::current().font(FontRole::Mono));
    const double tab = QFontMetricsF(font()).horizontalAdvance(QLatin1Char(' ')) * 4;
    setTabStopDistance(tab);
    placeGutter();
}

void SourceView::setSource(const QString &text, CodeHighlighter::Language language)
{
    m_highlighter->setLanguage(language);
    m_marks.clear();
    m_linked.clear();
    m_current = 0;
    setPlainText(text);
    placeGutter();
}

void SourceView::setMarks(QHash<int, LineMark> marks)
{
    m_marks = std::move(marks);
    placeGutter();
    m_gutter->update();
}

void SourceView::setMarkedLines(int current, const QSet<int> &linked)
{
    m_current = current;
    m_linked = linked;
    viewport()->update();
    m_gutter->update();
}

void SourceView::showLine(int line)
{
    const QTextBlock block = document()->findBlockByNumber(line - 1);
    if (!block.isValid()) return;
    const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
    if (place.top() >= 0 && place.bottom() <= viewport()->height()) return;
    const int visible = std::max(1, static_cast<int>(viewport()->height() / place.height()));
    verticalScrollBar()->setValue(std::max(0, line - 1 - visible / 3));
}

int SourceView::gutterWidth() const
{
    const Theme &theme = Theme::current();
    const int digits = std::max<int>(2, static_cast<int>(QString::number(blockCount()).size()));
    const int number = QFontMetrics(font()).horizontalAdvance(QLatin1Char('0')) * digits;
    return theme.px(12) + number + theme.px(4) + theme.px(14) + theme.px(2);
}

void SourceView::placeGutter()
{
    setViewportMargins(gutterWidth(), 0, 0, 0);
    const QRect inside = contentsRect();
    m_gutter->setGeometry(inside.left(), inside.top(), gutterWidth(), inside.height());
}

void SourceView::resizeEvent(QResizeEvent *event)
{
    QPlainTextEdit::resizeEvent(event);
    placeGutter();
}

void SourceView::changeEvent(QEvent *event)
{
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::StyleChange && font() != Theme::current().font(FontRole::Mono)) refreshFont();
}

int SourceView::lineAt(const QPoint &position) const
{
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
        if (place.top() > viewport()->height()) break;
        if (position.y() >= place.top() && position.y() < place.bottom()) return block.blockNumber() + 1;
    }
    return 0;
}

void SourceView::mouseReleaseEvent(QMouseEvent *event)
{
    QPlainTextEdit::mouseReleaseEvent(event);
    if (event->button() != Qt::LeftButton || textCursor().hasSelection()) return;
    const int line = lineAt(event->position().toPoint());
    if (line > 0) Q_EMIT lineClicked(line);
}

void SourceView::setEditing(bool on)
{
    setReadOnly(!on);
    setTextInteractionFlags(on ? Qt::TextEditorInteraction : Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setHorizontalScrollBarPolicy(on ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
    viewport()->update();
}

int SourceView::widthOfColumns(int columns) const
{
    const QFontMetrics metrics(font());
    const int text =
        std::max(metrics.horizontalAdvance(QLatin1Char('0')) * columns, metrics.horizontalAdvance(QString(columns, QLatin1Char('0'))));
    const QMargins around = viewportMargins(); // right also before it was laid out
    return around.left() + around.right() + 2 * frameWidth() + text + verticalScrollBar()->sizeHint().width() + Theme::current().px(20);
}

bool SourceView::findText(const QString &text, bool backwards)
{
    const QTextDocument::FindFlags flags = backwards ? QTextDocument::FindBackward : QTextDocument::FindFlags();
    if (text.isEmpty() || find(text, flags)) return !text.isEmpty();
    const QTextCursor before = textCursor();
    moveCursor(backwards ? QTextCursor::End : QTextCursor::Start);
    if (find(text, flags)) return true;
    setTextCursor(before);
    return false;
}

void SourceView::keyPressEvent(QKeyEvent *event)
{
    if (event->matches(QKeySequence::Find)) {
        Q_EMIT findRequested();
        return;
    }
    if (isEditing()) {
        if (event->key() == Qt::Key_Tab) {
            textCursor().insertText(QStringLiteral("    "));
        } else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
            const QString line = textCursor().block().text().left(textCursor().positionInBlock());
            const auto end = std::find_if(line.begin(), line.end(), [](QChar c) { return !c.isSpace(); });
            const QString indent(line.begin(), static_cast<qsizetype>(end - line.begin()));
            textCursor().insertText(u'\n' + indent + (line.trimmed().endsWith(u':') ? QStringLiteral("    ") : QString()));
            ensureCursorVisible();
        } else {
            QPlainTextEdit::keyPressEvent(event);
        }
        return;
    }
    if (event->key() == Qt::Key_Down || event->key() == Qt::Key_Up) {
        const int next = m_current + (event->key() == Qt::Key_Down ? 1 : -1);
        if (m_current > 0 && next >= 1 && next <= blockCount()) {
            Q_EMIT lineClicked(next);
            return;
        }
    }
    QPlainTextEdit::keyPressEvent(event);
}

bool SourceView::event(QEvent *event)
{
    // The text has a find of its own, while it has the keys.
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent *>(event)->matches(QKeySequence::Find)) event->accept();
    if (event->type() == QEvent::ToolTip) {
        auto *help = static_cast<QHelpEvent *>(event);
        const int line = lineAt(help->pos() - QPoint(0, contentsRect().top()));
        const auto mark = m_marks.constFind(line);
        if (mark != m_marks.constEnd() && !mark->tip.isEmpty()) QToolTip::showText(help->globalPos(), mark->tip, this);
        else QToolTip::hideText();
        return true;
    }
    return QPlainTextEdit::event(event);
}

void SourceView::paintEvent(QPaintEvent *event)
{
    {
        QPainter painter(viewport());
        for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
            const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
            if (place.top() > viewport()->height()) break;
            if (block.blockNumber() + 1 == m_current)
                painter.fillRect(QRectF(0, place.top(), viewport()->width(), place.height()), Theme::current().color(Color::SelectionFill));
        }
    }
    QPlainTextEdit::paintEvent(event);
    paintOverflow();
}

void SourceView::paintOverflow()
{
    const Theme &theme = Theme::current();
    QPainter painter(viewport());
    painter.setFont(font());
    if (isEditing()) return; // it scrolls
    const QString mark = QStringLiteral("…");
    const double width = QFontMetricsF(font()).horizontalAdvance(mark) + 2;
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
        if (place.top() > viewport()->height()) break;
        if (block.layout()->lineCount() == 0) continue;
        const QTextLine line = block.layout()->lineAt(0);
        if (place.left() + line.naturalTextWidth() <= viewport()->width()) continue;
        const QRectF end(viewport()->width() - width, place.top(), width, place.height());
        const bool current = block.blockNumber() + 1 == m_current;
        painter.fillRect(end, theme.color(current ? Color::SelectionFill : Color::Panel));
        painter.setPen(theme.color(Color::TextMuted));
        painter.drawText(end, Qt::AlignVCenter, mark);
    }
}

namespace {

// The line's own time is filled; what it calls stands behind that in a frame.
void paintBar(QPainter &painter, const LineMark &mark, const QRectF &room)
{
    const QColor colour = Theme::current().color(Color::Cpu);
    const auto widthOf = [&](double fraction) { return fraction > 0 ? std::max(1.0, std::round(room.width() * fraction)) : 0.0; };
    const QRectF own(room.topLeft(), QSizeF(widthOf(mark.own), room.height()));
    const QRectF all(room.topLeft(), QSizeF(widthOf(mark.withCalls), room.height()));
    if (all.width() > own.width()) {
        painter.fillRect(all, colour);
        const QRectF inside = all.adjusted(own.width() > 0 ? 0 : 1, 1, -1, -1);
        if (inside.width() > 0) painter.fillRect(inside, Theme::current().color(Color::SoftCpu));
    }
    if (mark.estimated && own.width() >= 6) fillHatched(painter, own, colour);
    else painter.fillRect(own, colour);
}

} // namespace

void SourceView::paintGutter(QPainter &painter, const QRect &exposed)
{
    const Theme &theme = Theme::current();
    painter.fillRect(exposed, theme.color(Color::Panel));
    painter.setFont(font());
    const double barLeft = gutterWidth() - theme.px(16);
    const double barRoom = theme.px(13);
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
        if (place.top() > exposed.bottom()) break;
        const int line = block.blockNumber() + 1;
        const bool current = line == m_current;
        const bool linked = m_linked.contains(line);
        const QRectF row(0, place.top(), m_gutter->width(), place.height());
        if (current) painter.fillRect(row, theme.color(Color::SelectionFill));
        if (current || linked)
            painter.fillRect(QRectF(0, row.top(), 3, row.height()),
                             theme.color(current ? Color::SelectionRing : Color::SelectionLinkedRing));
        painter.setPen(theme.color(current || linked ? Color::TextSecondary : Color::TextMuted));
        painter.drawText(QRectF(0, row.top(), barLeft - theme.px(5), row.height()), Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(line));
        const auto mark = m_marks.constFind(line);
        if (mark != m_marks.constEnd())
            paintBar(painter, *mark, QRectF(barLeft, std::round(row.center().y() - theme.px(3)), barRoom, theme.px(7)));
    }
}

} // namespace views
