#include "app/studio/pages/handout.h"

#include "app/studio/dialogs/options.h"
#include "app/studio/pages/handout_pictures.h"
#include "app/studio/pages/screenshot.h"
#include "app/studio/pages/welcome_page.h"
#include "profiler/lessons/judge.h"
#include "profiler/lessons/lesson_check.h"
#include "profiler/session/store/reader.h"
#include "views/common/text.h"
#include "views/graph/graph_canvas.h"
#include "views/graph/graph_scenes.h"
#include "views/lessons/lesson_facts.h"
#include "views/lessons/lesson_view.h"

#include <QAbstractTextDocumentLayout>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QPageSize>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>

#include <cstdio>
#include <map>

namespace app {

using namespace views;
using profiler::LessonBlockKind;

namespace {

constexpr double kBesidePicture = 80; // points of a page for its title and for what stands below it
constexpr double kBesideFirst = 160;  // and for the title of all
constexpr double kMostCodePoints = 8, kLeastCodePoints = 6;
constexpr std::size_t kMostNodes = 30;
constexpr int kAround = 3; // edges from what is asked about

class Handout {
public:
    Handout(const profiler::Lesson &lesson, QString samples, bool withAnswers)
        : m_lesson(lesson), m_samples(std::move(samples)), m_withAnswers(withAnswers), m_cursor(&m_document)
    {
        m_document.setDefaultFont(QFont(Theme::current().font(FontRole::Lesson).family(), 10));
    }

    QString write(const QString &path)
    {
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly)) return tr("%1 could not be written: %2. Choose another place.").arg(path, file.errorString());
        QPdfWriter writer(&file);
        writer.setPageSize(QPageSize(QPageSize::A4));
        writer.setPageMargins(QMarginsF(18, 18, 18, 18), QPageLayout::Millimeter);
        writer.setTitle(text(m_lesson.title));
        writer.setCreator(QStringLiteral("Croton Studio"));
        m_page = writer.pageLayout().paintRect(QPageLayout::Point).size();
        add(QStringLiteral("# %1\n\n%2").arg(text(m_lesson.title), text(m_lesson.about)));
        for (const profiler::LessonPage &page : m_lesson.pages) {
            const QString problem = addPage(page);
            if (!problem.isEmpty()) return problem;
        }
        arrange();
        m_document.setPageSize(m_page);
        keepTogether();
        m_document.print(&writer);
        return {};
    }

private:
    struct Opened {
        std::shared_ptr<const SessionData> session;
        std::unique_ptr<profiler::SessionFacts> facts;
    };

    // Links lead nowhere on paper: what one reads of them stays.
    QString withoutLinks(QString markdown) const
    {
        static const QRegularExpression link(QStringLiteral("\\[([^\\]\\n]*)\\]\\([a-z]+:[^)\\n]*\\)"));
        return markdown.replace(link, QStringLiteral("\\1"));
    }

    QString words(const std::string &markdown, profiler::SessionFacts *facts) const
    {
        return withoutLinks(text(profiler::withValues(markdown, [facts](const std::string &expression) -> std::string {
            return facts ? profiler::textOf(facts->value(expression)) : std::string("…");
        })));
    }

    void add(const QString &markdown)
    {
        if (!m_document.isEmpty()) m_cursor.insertBlock(QTextBlockFormat(), QTextCharFormat());
        const int first = m_cursor.block().blockNumber();
        m_cursor.insertMarkdown(markdown);
        if (markdown.startsWith(QLatin1String("```"))) { // its first block loses what it is behind other text
            QTextBlockFormat format;
            format.setProperty(QTextFormat::BlockCodeFence, QStringLiteral("`"));
            QTextCursor(m_document.findBlockByNumber(first)).mergeBlockFormat(format);
        }
        m_cursor.movePosition(QTextCursor::End);
    }

    // Markdown that is inserted behind other text loses what its first block is.
    void addTitle(const std::string &title)
    {
        add(QStringLiteral("## %1").arg(text(title)));
        QTextBlockFormat format = m_cursor.blockFormat();
        format.setHeadingLevel(2);
        m_cursor.setBlockFormat(format);
    }

    void arrange()
    {
        for (QTextBlock block = m_document.begin(); block.isValid(); block = block.next()) {
            QTextBlockFormat format = block.blockFormat();
            const bool isHeading = format.headingLevel() > 0;
            format.setTopMargin(isHeading ? 14 : 0);
            format.setBottomMargin(isCode(block) && isCode(block.next()) ? 0 : 6);
            if (!isPicture(block) && !isCode(block)) format.setLineHeight(115, QTextBlockFormat::ProportionalHeight);
            QTextCursor(block).setBlockFormat(format);
        }
        arrangeCode();
    }

    // Its lines stay whole, in letters that are small enough for the longest of all; only where these could not be read they are broken.
    void arrangeCode()
    {
        QFont font(Theme::current().font(FontRole::Mono).family());
        font.setPointSizeF(kMostCodePoints);
        double widest = 0;
        for (QTextBlock block = m_document.begin(); block.isValid(); block = block.next())
            if (isCode(block))
                widest = std::max(widest, QFontMetricsF(font, m_document.documentLayout()->paintDevice()).horizontalAdvance(block.text()));
        if (widest == 0) return;
        font.setPointSizeF(std::clamp(kMostCodePoints * m_page.width() / widest, kLeastCodePoints, kMostCodePoints));
        QTextCharFormat letters;
        letters.setFont(font);
        for (QTextBlock block = m_document.begin(); block.isValid(); block = block.next()) {
            if (!isCode(block)) continue;
            QTextCursor cursor(block);
            QTextBlockFormat format = block.blockFormat();
            format.setNonBreakableLines(false);
            cursor.setBlockFormat(format);
            cursor.mergeBlockCharFormat(letters);
            cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
            cursor.mergeCharFormat(letters);
        }
    }

    static bool isCode(const QTextBlock &block) { return block.isValid() && block.blockFormat().hasProperty(QTextFormat::BlockCodeFence); }

    static bool isPicture(const QTextBlock &block)
    {
        return !block.begin().atEnd() && block.begin().fragment().charFormat().isImageFormat();
    }

    static QTextBlock behind(QTextBlock block)
    {
        do block = block.next();
        while (block.isValid() && block.length() <= 1);
        return block;
    }

    // A title, the picture behind it and what is said of that stand on one page; a title stands on the page of its text.
    void keepTogether()
    {
        m_document.documentLayout()->documentSize(); // laid out now
        const auto pageOf = [this](const QTextBlock &block, bool itsEnd) {
            const QRectF place = m_document.documentLayout()->blockBoundingRect(block);
            return static_cast<int>((itsEnd ? place.bottom() - 1 : place.top()) / m_page.height());
        };
        bool belongs = false; // to the title before
        for (QTextBlock block = m_document.begin(); block.isValid(); block = behind(block)) {
            const bool isHeading = block.blockFormat().headingLevel() > 0, isKept = isHeading || (isPicture(block) && !belongs);
            belongs = isHeading;
            if (!isKept) continue;
            QTextBlock last = isHeading ? behind(block) : block;
            const bool hasPicture = isPicture(last);
            if (hasPicture) last = behind(last);
            if (!last.isValid() || pageOf(block, false) == pageOf(last, hasPicture)) continue;
            QTextBlockFormat format = block.blockFormat();
            format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
            QTextCursor(block).setBlockFormat(format);
        }
    }

    QString addPage(const profiler::LessonPage &page)
    {
        Opened *opened = nullptr;
        try {
            opened = open(page.stand.sample);
            if (opened) opened->facts->setFunction(page.stand.function);
            addTitle(page.title);
            if (opened && !page.stand.at.empty()) addGraph(*opened, page);
            for (const profiler::LessonBlock &block : page.blocks) addBlock(block, opened ? opened->facts.get() : nullptr);
        } catch (const std::exception &error) {
            return tr("The lesson cannot be printed: %1. `croton lesson check` says what to mend.").arg(QString::fromUtf8(error.what()));
        }
        return {};
    }

    Opened *open(const std::string &sample)
    {
        if (sample.empty()) return nullptr;
        Opened &opened = m_sessions[sample];
        if (opened.session) return &opened;
        const std::string path = profiler::sampleSession(m_samples.toStdString(), sample);
        const auto reader = profiler::SessionReader::open(path.empty() ? sample + ".croton" : path);
        opened.session = readSession(*reader, nullptr);
        opened.facts = factsOf(opened.session);
        return &opened;
    }

    static void layOut(GraphCanvas &canvas, Scene scene)
    {
        canvas.resize(900, 700);
        canvas.setUseGraphviz(false);
        canvas.setScene(std::move(scene), GraphCanvas::Change::Fresh);
        QElapsedTimer clock;
        clock.start();
        while (!canvas.isSettled() && clock.elapsed() < kLayoutLimitMs) {
            QEventLoop loop; // nobody waits at a window: this is a program of its own
            loop.processEvents(QEventLoop::WaitForMoreEvents, 20);
        }
        canvas.settle();
    }

    // The graph at the step of the page; with answers the nodes that its prediction is about are marked.
    void addGraph(Opened &opened, const profiler::LessonPage &page)
    {
        profiler::SessionFacts &facts = *opened.facts;
        const int step = facts.step(page.stand.at);
        const auto graph = opened.session->graphs.at(facts.function().graph);
        GraphScenes scenes(opened.session, graph);
        Scene scene = scenes.at(step, {}, false);
        QHash<SceneKey, NodeMark> marks;
        for (const profiler::LessonBlock &block : page.blocks)
            if (block.kind == LessonBlockKind::Nodes)
                for (const profiler::ApplyId id : profiler::judgeNodes(facts, block, {}, step).missed)
                    marks.insert(scenes.keyOf({Side::Optimized, NodeKind::Apply, profiler::raw(id)}, Side::Optimized), NodeMark::Right);
        // Of a large graph on paper only the part can be read that is asked about.
        QString how;
        if (scene.nodes.size() > kMostNodes && !marks.isEmpty()) {
            GraphCanvas whole;
            layOut(whole, scene);
            QSet<SceneKey> part;
            for (auto mark = marks.cbegin(); mark != marks.cend(); ++mark) {
                whole.showNeighbours(mark.key(), kAround);
                part.unite(whole.part());
            }
            scene = partOf(scene, part);
            how = ' ' + tr("(a part of it)");
        }
        GraphCanvas canvas;
        layOut(canvas, std::move(scene));
        if (m_withAnswers) canvas.setMarks(marks);
        const QSizeF room = m_page - QSizeF(0, m_pictures == 0 ? kBesideFirst : kBesidePicture);
        std::vector<PaperPiece> pieces = onPaper(canvas, room);
        if (pieces.size() > 1 && marks.isEmpty()) { // equal parts once are read sooner than all of them
            scenes.setFold(FoldChoice::Repetition);
            GraphCanvas folded;
            layOut(folded, scenes.at(step, {}, false));
            std::vector<PaperPiece> fewer = onPaper(folded, room);
            if (fewer.size() < pieces.size()) {
                pieces = std::move(fewer);
                how = ' ' + tr("(equal parts are one node)");
            }
        }
        const int last = facts.step("last");
        const QString function = text(facts.function().name);
        const QString title = step == 0      ? tr("%1 as written").arg(function)
                              : step == last ? tr("%1 optimized").arg(function)
                                             : tr("%1 after step %2 of %3").arg(function).arg(step).arg(last);
        const auto [seen, isNew] = m_shown.try_emplace({opened.session.get(), raw(graph->info.id), step}, m_pictures + 1);
        if (!isNew && marks.isEmpty()) {
            add(QStringLiteral("*%1*: %2").arg(title, tr("picture %1.").arg(seen->second)));
            return;
        }
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const QString name = QStringLiteral("graph-%1").arg(++m_pictures);
            m_document.addResource(QTextDocument::ImageResource, QUrl(name), pieces[i].image);
            QTextImageFormat format;
            format.setName(name);
            format.setWidth(pieces[i].size.width());
            format.setHeight(pieces[i].size.height());
            m_cursor.insertBlock(QTextBlockFormat(), QTextCharFormat());
            m_cursor.insertImage(format);
            const QString piece = pieces.size() > 1 ? ' ' + tr("(piece %1 of %2)").arg(i + 1).arg(pieces.size()) : QString();
            add(QStringLiteral("%1 *%2*%3%4").arg(tr("Picture %1:").arg(m_pictures), title, how, piece));
        }
    }

    void addBlock(const profiler::LessonBlock &block, profiler::SessionFacts *facts)
    {
        const bool forTeachers = block.kind == LessonBlockKind::Solution || block.kind == LessonBlockKind::Teacher;
        if (forTeachers && !m_withAnswers) return;
        if (block.kind == LessonBlockKind::Teacher) add(QStringLiteral("**%1**").arg(tr("For the teacher")));
        if (block.kind == LessonBlockKind::Solution) add(QStringLiteral("**%1**").arg(tr("A solution")));
        if (block.isQuestion()) ++m_questions;
        add(block.isQuestion() ? QStringLiteral("**%1.** %2").arg(m_questions).arg(words(block.text, facts)) : words(block.text, facts));
        if (!block.isQuestion()) return;
        QString answer;
        if (block.kind == LessonBlockKind::Choice && facts) {
            for (const profiler::OfferedAnswer &each : profiler::offeredAnswers(*facts, block))
                answer += QStringLiteral("%1 %2\n\n").arg(QChar(m_withAnswers && each.isRight ? u'☑' : u'☐')).arg(words(each.text, facts));
        } else if (block.kind == LessonBlockKind::Number && facts) {
            const profiler::Judgement judgement = profiler::judgeNumber(*facts, block, {});
            answer = m_withAnswers ? tr("Answer: %1").arg(text(judgement.expected))
                                   : tr("Answer: ____________ %1").arg(text(profiler::unitOf(*facts, block)));
        } else if (block.kind == LessonBlockKind::Nodes) {
            answer = m_withAnswers ? tr("Answer: the nodes that are marked.") : tr("Mark them in the picture.");
        }
        if (!answer.isEmpty()) add(answer);
        // What is said behind a task is of the run that solved it.
        if (m_withAnswers && !block.because.empty() && block.kind != LessonBlockKind::Task)
            add(QStringLiteral("*%1* %2").arg(tr("Because:"), words(block.because, facts)));
    }

    const profiler::Lesson &m_lesson;
    QString m_samples;
    bool m_withAnswers;
    QTextDocument m_document;
    QTextCursor m_cursor;
    std::map<std::string, Opened> m_sessions;
    std::map<std::tuple<const SessionData *, std::int64_t, int>, int> m_shown; ///< graphs at steps, and the number of their picture
    QSizeF m_page;                                                             ///< in points
    int m_pictures = 0;
    int m_questions = 0;
};

} // namespace

QString writeHandout(const profiler::Lesson &lesson, const QString &samples, const QString &path, bool withAnswers)
{
    return Handout(lesson, samples, withAnswers).write(path);
}

int writeHandout(const Options &options)
{
    const bool isFile = options.lesson.endsWith(QLatin1String(".md"));
    const QString file = isFile ? options.lesson : lessonFolders().lessons + '/' + options.lesson.section(u'/', 0, 0) + ".md";
    std::vector<profiler::LessonFault> faults;
    const profiler::Lesson lesson = profiler::readLessonFile(file.toStdString(), faults);
    QString problem;
    if (!faults.empty())
        problem = tr("%1, line %2: %3. %4.").arg(file).arg(faults[0].line).arg(text(faults[0].sentence), text(faults[0].wayOut));
    else problem = writeHandout(lesson, samplesFolder(), options.handout, options.withAnswers);
    if (problem.isEmpty()) return 0;
    std::fprintf(stderr, "croton-studio: %s\n", qPrintable(problem));
    return 1;
}

} // namespace app
