// What the panel shows: the list of lessons, or a page of one.
#include "views/common/controls.h"
#include "views/common/flow_text.h"
#include "views/common/formats.h"
#include "views/common/panels.h"
#include "views/common/text.h"
#include "views/lessons/lesson_foot.h"
#include "views/lessons/lesson_view.h"
#include "views/lessons/question_card.h"

#include <QAction>
#include <QHBoxLayout>
#include <QPainter>
#include <QScrollArea>
#include <QVBoxLayout>

namespace views {

using profiler::LessonBlockKind;

namespace {

QString groupTitle(const std::string &group)
{
    if (group == "first") return LessonView::tr("First steps");
    if (group == "rewrites") return LessonView::tr("What the rewrites do");
    if (group == "profile") return LessonView::tr("Where the time goes");
    if (group == "devices") return LessonView::tr("Devices");
    if (group == "own") return LessonView::tr("Ops and rewrites of your own");
    if (group == "tutorial") return LessonView::tr("Exercises of the tutorials");
    return LessonView::tr("Others");
}

/// How far one is: a bar for each page.
class PageBar : public QWidget {
public:
    PageBar(int page, int pages) : m_page(page), m_pages(pages)
    {
        setFixedHeight(Theme::current().px(4));
        setAccessibleName(LessonView::tr("Page %1 of %2").arg(page + 1).arg(pages));
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        const Theme &theme = Theme::current();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        const double gap = theme.px(4), width = (this->width() - gap * (m_pages - 1)) / m_pages;
        for (int i = 0; i < m_pages; ++i) {
            painter.setBrush(theme.color(i <= m_page ? Color::Accent : Color::AccentSoft));
            painter.drawRoundedRect(QRectF(i * (width + gap), 0, width, height()), 2, 2);
        }
    }

private:
    int m_page, m_pages;
};

} // namespace

void LessonView::rebuild()
{
    const Theme &theme = Theme::current();
    m_cards.clear();
    auto *page = new QWidget;
    page->setMinimumWidth(1); // as wide as the panel, whatever its longest word asks for
    setSurface(page, "panel");
    m_rows = new QVBoxLayout(page);
    m_rows->setContentsMargins(theme.px(16), theme.px(12), theme.px(16), theme.px(16));
    m_rows->setSpacing(theme.px(10));
    if (m_lesson) buildPage();
    else buildShelf();
    m_rows->addStretch();
    m_scroll->setWidget(page); // deletes the one before
    m_foot->setVisible(m_lesson != nullptr);
    refreshHead();
    showMarks();
}

void LessonView::refreshHead()
{
    m_header->setTitle(m_lesson ? text(m_lesson->title) : tr("Lessons"));
    m_header->setSubtitle(m_lesson ? QString() : tr("%n in all", nullptr, static_cast<int>(m_lessons.size())));
    if (!m_lesson) return;
    const int questions = m_lesson->questionCount();
    QString note = tr("%1 of %2 right").arg(m_answers.rightCount()).arg(questions);
    if (m_hidesAnswers) note = tr("%1 · answers hidden").arg(note);
    m_foot->setPage(m_page, static_cast<int>(m_lesson->pages.size()), questions > 0 ? note : QString());
}

void LessonView::buildShelf()
{
    const Theme &theme = Theme::current();
    if (!m_faults.empty()) {
        QString list = tr("**%1 cannot be read as a lesson.**\n\n").arg(m_file);
        for (const profiler::LessonFault &fault : m_faults)
            list += tr("- Line %1: %2. *Way out:* %3.\n").arg(fault.line).arg(text(fault.sentence), text(fault.wayOut));
        addText(list);
        auto *again = new QPushButton(tr("Read it again"));
        connect(again, &QPushButton::clicked, this, [this] { openFile(QString(m_file)); });
        m_rows->addWidget(again, 0, Qt::AlignLeft);
    }
    if (m_isRead && m_lessons.empty()) {
        addText(tr("There are no lessons beside this program. They come with the package croton-studio."));
        return;
    }
    if (!m_lessons.empty()) addText(tr("For teachers: [two hours with a class](help:teaching), a plan."));
    std::string group;
    for (const profiler::Lesson &lesson : m_lessons) {
        if (lesson.group != group) {
            group = lesson.group;
            m_rows->addSpacing(theme.px(6));
            m_rows->addWidget(new TextLabel(groupTitle(group), FontRole::Overline, "muted"));
        }
        auto *title = linkButton(text(lesson.title));
        title->setObjectName("lesson." + text(lesson.name));
        m_rows->addWidget(title, 0, Qt::AlignLeft);
        const QString length =
            lesson.minutes > 0 ? tr("%1 About %n minutes.", nullptr, lesson.minutes).arg(text(lesson.about)) : text(lesson.about);
        auto *about = new TextLabel(length, FontRole::Caption, "secondary");
        about->setWordWrap(true);
        m_rows->addWidget(about);
        connect(
            title, &QToolButton::clicked, this, [this, name = text(lesson.name)] { openLesson(name); }, Qt::QueuedConnection);
    }
}

void LessonView::addText(const QString &markdown)
{
    auto *words = new FlowText;
    words->setText(markdown);
    words->setAccessibleName(tr("Lesson"));
    connect(
        words, &QTextBrowser::anchorClicked, this, [this](const QUrl &link) { follow(link.toString()); }, Qt::QueuedConnection);
    m_rows->addWidget(words);
}

// Another session is open than the one that the page is about.
void LessonView::buildStrip()
{
    const QString sample = text(place().sample);
    if (sample.isEmpty() || isAtHome()) return;
    auto *strip = new QFrame;
    strip->setProperty("card", true);
    auto *rows = new QVBoxLayout(strip);
    auto *words = new TextLabel(m_standsSoon ? tr("The sample %1 is being opened …").arg(sample)
                                             : tr("This page is about the sample %1. Its numbers and questions wait for that.").arg(sample),
                                FontRole::Body, "secondary");
    words->setWordWrap(true);
    rows->addWidget(words);
    auto *open = new QPushButton(tr("Open the sample"));
    open->setObjectName(QStringLiteral("openSample"));
    connect(open, &QPushButton::clicked, this, [this] { stand(); });
    open->setVisible(!m_standsSoon);
    rows->addWidget(open, 0, Qt::AlignLeft);
    m_rows->addWidget(strip);
}

void LessonView::buildPage()
{
    const profiler::LessonPage &page = m_lesson->pages[static_cast<std::size_t>(m_page)];
    const int pages = static_cast<int>(m_lesson->pages.size());
    m_rows->addWidget(new PageBar(m_page, pages));
    m_rows->addWidget(new TextLabel(tr("Page %1 of %2").arg(m_page + 1).arg(pages), FontRole::Caption, "muted"));
    auto *title = new TextLabel(text(page.title), FontRole::Heading);
    title->setWordWrap(true);
    m_rows->addWidget(title);
    buildStrip();
    for (const profiler::LessonBlock &block : page.blocks) {
        if (block.isQuestion()) {
            addQuestion(block);
        } else if (block.kind == LessonBlockKind::Text) {
            addText(withValues(block.text));
        } else if (block.kind == LessonBlockKind::Teacher && m_notes->isChecked()) {
            auto *note = new QFrame;
            note->setProperty("card", true);
            auto *rows = new QVBoxLayout(note);
            rows->addWidget(new TextLabel(tr("For the teacher"), FontRole::Overline, "muted"));
            std::swap(rows, m_rows);
            addText(withValues(block.text));
            std::swap(rows, m_rows);
            m_rows->addWidget(note);
        } else if (block.kind == LessonBlockKind::Solution && !m_hidesAnswers) {
            auto *open = linkButton(tr("Show a solution"));
            m_rows->addWidget(open, 0, Qt::AlignLeft);
            addText(withValues(block.text));
            QWidget *words = m_rows->itemAt(m_rows->count() - 1)->widget();
            words->hide();
            connect(open, &QToolButton::clicked, words, [words] { words->setVisible(words->isHidden()); });
        }
    }
    if (!page.stand.at.empty() || !page.stand.view.empty()) {
        auto *again = linkButton(tr("Bring the studio back to this page"));
        connect(again, &QToolButton::clicked, this, [this] { stand(); });
        m_rows->addWidget(again, 0, Qt::AlignLeft);
    }
}

void LessonView::addQuestion(const profiler::LessonBlock &block)
{
    CardContext context;
    context.facts = facts();
    context.hidesAnswers = m_hidesAnswers;
    context.isAbout = isAtHome();
    context.text = [this](const std::string &markdown) { return withValues(markdown); };
    if (context.facts && context.isAbout) {
        try {
            context.atStep = context.facts->step(place().at);
        } catch (const profiler::FactError &) {
            context.facts = nullptr;
        }
    }
    auto *card = new QuestionCard(block, std::move(context), m_answers.find(text(block.id)));
    connect(
        card, &QuestionCard::linkActivated, this, [this](const QUrl &link) { follow(link.toString()); }, Qt::QueuedConnection);
    connect(card, &QuestionCard::revealWanted, this, [this](const QString &step) { follow(QStringLiteral("step:") + step); });
    connect(card, &QuestionCard::marksChanged, this, &LessonView::showMarks);
    connect(card, &QuestionCard::answered, this,
            [this, card](const QString &answer, bool isRight, bool isRevealed) { keep(card, answer, isRight, isRevealed); });
    m_cards.push_back(card);
    m_rows->addWidget(card);
}

} // namespace views
