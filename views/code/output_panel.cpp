#include "views/code/output_panel.h"

#include "profiler/session/store/output_kept.h"
#include "views/common/controls.h"
#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/panels.h"
#include "views/common/text.h"

#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTextBlock>
#include <QVBoxLayout>

#include <algorithm>

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
    m_missing = new ElidedLabel({}, FontRole::Caption, "secondary");
    m_missing->setObjectName(QStringLiteral("outputMissing"));
    m_missing->setContentsMargins(theme.px(12), theme.px(4), theme.px(12), theme.px(4));
    m_missing->hide();
    layout->addWidget(m_missing);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_empty, 1);
    m_text->hide();
    m_empty->show(QStringLiteral("document"), tr("Nothing is open."));
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
        m_text->setFont(Theme::current().font(FontRole::Mono));
        m_text->clear();
        m_shownUpTo = -1;
        if (m_session) append(*m_session->outputs);
        scrollToEnd();
    });
}

void OutputPanel::feed(const ViewFeed &feed)
{
    if (!feed.hasNew(FeedPart::Opened | FeedPart::Session)) return;
    m_session = feed.session;
    if (feed.hasNew(FeedPart::Opened)) {
        m_text->clear();
        m_shownUpTo = -1;
    }
    if (m_session) append(*m_session->outputs);
    sayWhatIsMissing();
    const bool something = m_shownUpTo >= 0;
    m_text->setVisible(something);
    m_empty->setVisible(!something);
    if (m_followsEnd) scrollToEnd();
    if (something) return;
    m_empty->show(QStringLiteral("document"), !m_session                ? tr("Nothing is open.")
                                              : m_session->isRecorded() ? tr("The script printed nothing.")
                                                                        : tr("This script was not run yet."));
}

void OutputPanel::scrollToEnd()
{
    QMetaObject::invokeMethod(
        this, [this] { m_text->verticalScrollBar()->setValue(m_text->verticalScrollBar()->maximum()); }, Qt::QueuedConnection);
}

void OutputPanel::sayWhatIsMissing()
{
    QStringList sentences;
    if (m_text->blockCount() >= kMostLines)
        sentences << tr("Only the last %1 are here.").arg(formats::counted(kMostLines, formats::Thing::Line));
    if (m_session)
        for (const profiler::Drop &drop : m_session->drops)
            if (drop.what == profiler::kLeftOutOfOutput)
                sentences << tr("%1 of the output are not in the session.").arg(formats::bytes(static_cast<double>(drop.count)));
    m_missing->setText(sentences.join(u' '));
    m_missing->setVisible(!sentences.isEmpty());
}

// By their times: of a running script earlier pieces may go from the session, and stay here.
void OutputPanel::append(const std::vector<profiler::OutputText> &outputs)
{
    std::size_t first = outputs.size();
    while (first > 0 && outputs[first - 1].timeNs > m_shownUpTo) --first;
    if (first == outputs.size()) return;
    m_followsEnd = m_text->verticalScrollBar()->value() == m_text->verticalScrollBar()->maximum();
    QTextCursor cursor(m_text->document());
    cursor.movePosition(QTextCursor::End);
    cursor.beginEditBlock();
    for (std::size_t i = first; i < outputs.size();) { // pieces of one stream go in together
        QString text;
        const int stream = outputs[i].stream;
        for (; i < outputs.size() && outputs[i].stream == stream; ++i) text += views::text(outputs[i].text);
        cursor.insertText(text, formatOf(stream));
    }
    cursor.endEditBlock();
    m_shownUpTo = std::max<std::int64_t>(0, outputs.back().timeNs);
}

} // namespace views
