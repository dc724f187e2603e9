#include "views/common/flow_text.h"

#include "views/common/theme.h"

#include <QTextBlock>
#include <QTextList>
#include <QWheelEvent>

#include <cmath>
#include <memory>

namespace views {

void dressMarkdown(QTextDocument &document, int margin)
{
    const Theme &theme = Theme::current();
    document.setDocumentMargin(margin);
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        QTextBlockFormat format = block.blockFormat();
        const bool isCode = format.hasProperty(QTextFormat::BlockCodeFence) || format.hasProperty(QTextFormat::BlockCodeLanguage);
        if (isCode) format.setBackground(theme.color(Color::Sunken));
        else if (!block.textList()) format.setBottomMargin(theme.px(8));
        if (format.headingLevel() > 0) format.setTopMargin(theme.px(10));
        format.setLineHeight(isCode ? 100 : 120, QTextBlockFormat::ProportionalHeight);
        QTextCursor(block).setBlockFormat(format);
    }
}

FlowText::FlowText(QWidget *parent) : QTextBrowser(parent)
{
    setFrameShape(QFrame::NoFrame);
    setOpenLinks(false);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setLineWrapMode(QTextEdit::WidgetWidth);
    setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    viewport()->setAutoFillBackground(false);
    setProperty("bare", true);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &FlowText::render);
}

void FlowText::setText(const QString &markdown)
{
    if (markdown == m_markdown && !document()->isEmpty()) return;
    m_markdown = markdown;
    render();
}

void FlowText::render()
{
    document()->setDefaultFont(Theme::current().font(FontRole::Lesson));
    setMarkdown(m_markdown);
    dressMarkdown(*document(), 0);
    updateGeometry();
    setFixedHeight(heightForWidth(std::max(width(), minimumSizeHint().width())));
}

QSize FlowText::sizeHint() const { return {Theme::current().px(320), heightForWidth(Theme::current().px(320))}; }

QSize FlowText::minimumSizeHint() const { return {Theme::current().px(120), 1}; }

int FlowText::heightForWidth(int width) const
{
    const std::unique_ptr<QTextDocument> copy(document()->clone());
    copy->setTextWidth(width);
    return static_cast<int>(std::ceil(copy->size().height())) + 1;
}

void FlowText::resizeEvent(QResizeEvent *event)
{
    QTextBrowser::resizeEvent(event);
    if (event->size().width() != event->oldSize().width()) setFixedHeight(heightForWidth(event->size().width()));
}

void FlowText::wheelEvent(QWheelEvent *event) { event->ignore(); } // the column scrolls

} // namespace views
