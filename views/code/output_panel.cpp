#include "views/code/output_panel.h"

#include "views/common/controls.h"
#include "views/common/panels.h"

#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTextBlock>
#include <QVBoxLayout>

namespace views {
namespace {

constexpr int kStderr = 2;
constexpr int kMostLines = 20000; // in the view; the session keeps more

QTextCharFormat formatOf(int stream)
{
    const Theme &theme = Theme::current();
    QTextCharFormat format;
    format.setForeground(theme.color(stream == kStderr ? Color::Error : Color::TextPrimary));
    format.setFontItalic(stream == kStderr); // never by colour alone
    return format;
}

} // namespace

OutputPanel::OutputPanel(QWidget *parent) : QWidget(parent)
{
    setSurface(this, "panel");
    const Theme &theme = Theme::current();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_text = new QPlainTextEdit;
    m_text->setReadOnly(true);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setFont(theme.font(FontRole::Mono));
    m_text->setMaximumBlockCount(kMostLines);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->document()->setDocumentMargin(theme.px(10));
    m_text->setAccessibleName(tr("What the script printed"));
    m_empty = new EmptyState;
    layout->addWidget(m_text, 1);
    layout->addWidget(m_empty, 1);
    m_text->hide();
    m_empty->show(QStringLiteral("document"), tr("Nothing is open."));
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
        m_text->setFont(Theme::current().font(FontRole::Mono));
        m_text->clear();
        m_shown = 0;
        if (m_session) append(*m_session->outputs);
    });
}

void OutputPanel::feed(const ViewFeed &feed)
{
    if (!feed.hasNew(FeedPart::Opened | FeedPart::Session)) return;
    m_session = feed.session;
    if (feed.hasNew(FeedPart::Opened)) {
        m_text->clear();
        m_shown = 0;
    }
    if (m_session) append(*m_session->outputs);
    m_text->setVisible(m_shown > 0);
    m_empty->setVisible(m_shown == 0);
    if (m_shown > 0) return;
    m_empty->show(QStringLiteral("document"), !m_session                ? tr("Nothing is open.")
                                              : m_session->isRecorded() ? tr("The script printed nothing.")
                                                                        : tr("This script was not run yet."));
}

void OutputPanel::append(const std::vector<profiler::OutputText> &outputs)
{
    if (m_shown >= outputs.size()) return;
    const bool atEnd = m_text->verticalScrollBar()->value() == m_text->verticalScrollBar()->maximum();
    QTextCursor cursor(m_text->document());
    cursor.movePosition(QTextCursor::End);
    cursor.beginEditBlock();
    for (std::size_t i = m_shown; i < outputs.size();) { // pieces of one stream go in together
        QString text;
        const int stream = outputs[i].stream;
        for (; i < outputs.size() && outputs[i].stream == stream; ++i) text += QString::fromStdString(outputs[i].text);
        cursor.insertText(text, formatOf(stream));
    }
    cursor.endEditBlock();
    m_shown = outputs.size();
    if (atEnd) m_text->verticalScrollBar()->setValue(m_text->verticalScrollBar()->maximum());
}

} // namespace views
