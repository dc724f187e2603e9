#include "views/lessons/lesson_view.h"

#include "profiler/lessons/lesson_check.h"
#include "views/common/controls.h"
#include "views/common/flow_text.h"
#include "views/common/panels.h"
#include "views/common/text.h"
#include "views/common/view_words.h"
#include "views/lessons/lesson_facts.h"
#include "views/lessons/lesson_foot.h"
#include "views/lessons/question_card.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenu>
#include <QResizeEvent>
#include <QSaveFile>
#include <QScrollArea>
#include <QScrollBar>
#include <QStandardPaths>
#include <QVBoxLayout>

#include <algorithm>

namespace views {

using profiler::LessonBlockKind;

LessonFolders lessonFolders()
{
    const QString home = QCoreApplication::applicationDirPath() + "/../";
    return {QDir(home + "lessons").canonicalPath(), QDir(home + "samples").canonicalPath(),
            QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) + "/croton/sessions"};
}

LessonView::LessonView(SelectionHub &hub, QWidget *parent) : QWidget(parent), m_hub(hub), m_folders(lessonFolders())
{
    setSurface(this, "panel");
    auto *rows = new QVBoxLayout(this);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    m_header = new PanelHeader(tr("Lessons"));
    m_menu = iconButton(QStringLiteral("more"), tr("For teachers: hide answers, export, print"));
    m_menu->setObjectName(QStringLiteral("lessonMenu"));
    m_close = iconButton(QStringLiteral("cross"), tr("Close the lesson"));
    m_header->addWidget(m_menu);
    m_header->addWidget(m_close);
    rows->addWidget(m_header);
    rows->addWidget(new Hairline);
    m_scroll = new QScrollArea;
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setAccessibleName(tr("Lesson"));
    rows->addWidget(m_scroll, 1);
    m_foot = new LessonFoot;
    rows->addWidget(m_foot);
    buildMenu();
    connect(m_scroll->verticalScrollBar(), &QScrollBar::rangeChanged, this, &LessonView::keepInView);
    connect(m_scroll->verticalScrollBar(), &QScrollBar::actionTriggered, this, [this] { m_keptInView.clear(); });
    connect(m_foot, &LessonFoot::backRequested, this, [this] { m_page > 0 ? showPage(m_page - 1) : showShelf(); });
    connect(m_foot, &LessonFoot::nextRequested, this, [this] {
        if (m_lesson && m_page + 1 < static_cast<int>(m_lesson->pages.size())) showPage(m_page + 1);
        else showShelf();
    });
    connect(m_close, &QToolButton::clicked, this, [this] {
        showShelf();
        m_hub.request(HideView{QStringLiteral("lessons")});
    });
    connect(&m_hub, &SelectionHub::selectionChanged, this, [this](const Selection &, SelectionParts changed) {
        if (changed & SelectionPart::Node) takeClick();
    });
    rebuild();
}

void LessonView::obey(const Request &request)
{
    const auto *wanted = std::get_if<ShowLesson>(&request);
    if (!wanted) return;
    if (wanted->lesson.endsWith(QLatin1String(".md"))) openFile(wanted->lesson);
    else openLesson(wanted->lesson.section(u'/', 0, 0), std::max(1, wanted->lesson.section(u'/', 1).toInt()) - 1);
}

LessonView::~LessonView() = default;

void LessonView::setFolders(const LessonFolders &folders)
{
    m_folders = folders;
    m_isRead = false;
    read();
    if (!m_lesson) rebuild();
}

void LessonView::read()
{
    if (std::exchange(m_isRead, true)) return;
    m_lessons = profiler::lessonsIn(m_folders.lessons.toStdString());
}

void LessonView::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (m_isRead) return;
    read();
    rebuild();
}

QuestionCard *LessonView::cardInView() const
{
    const QRect seen = m_scroll->viewport()->rect();
    for (QuestionCard *card : m_cards) {
        const KeptAnswer *kept = m_answers.find(text(card->question().id));
        const QRect place(card->mapTo(m_scroll->viewport(), QPoint()), card->size());
        if (!(kept && kept->isRight) && place.intersects(seen)) return card;
    }
    return nullptr;
}

// A view that is opened beside the lesson takes room from it: the question stays where one can answer it, until a person scrolls.
void LessonView::resizeEvent(QResizeEvent *event)
{
    if (!m_keptInView && event->size().height() < event->oldSize().height()) m_keptInView = cardInView();
    QWidget::resizeEvent(event);
    keepInView();
}

void LessonView::keepInView()
{
    if (m_keptInView) m_scroll->ensureWidgetVisible(m_keptInView, 0, Theme::current().px(8));
}

void LessonView::feed(const ViewFeed &feed)
{
    const bool isOther = feed.session != m_feed.session;
    m_feed = feed;
    m_feed.changed = {};
    if (!isOther || !m_lesson) return;
    m_facts.reset();
    // Not while others are still being fed.
    if (m_standsSoon && isAtHome()) QMetaObject::invokeMethod(this, &LessonView::standNow, Qt::QueuedConnection);
    rebuild();
}

const profiler::LessonStand &LessonView::place() const { return m_lesson->pages[static_cast<std::size_t>(m_page)].stand; }

bool LessonView::isAtHome() const
{
    if (!m_lesson || !m_feed.session || !m_feed.session->isRecorded()) return false;
    const std::string &sample = place().sample;
    if (sample.empty() || isTask()) return true;
    return QFileInfo(text(m_feed.session->info.path)).completeBaseName() == text(sample) ||
           QFileInfo(text(m_feed.session->script.path)).completeBaseName() == text(sample);
}

// A page with nothing but something to do asks whatever was run.
bool LessonView::isTask() const
{
    bool hasTask = false;
    for (const profiler::LessonBlock &block : m_lesson->pages[static_cast<std::size_t>(m_page)].blocks) {
        if (block.isQuestion() && block.kind != LessonBlockKind::Task) return false;
        hasTask = hasTask || block.kind == LessonBlockKind::Task;
    }
    return hasTask;
}

profiler::SessionFacts *LessonView::facts()
{
    const std::shared_ptr<const SessionData> &session = m_feed.session;
    if (!m_lesson || !session || !session->isRecorded()) return nullptr;
    try {
        if (!m_facts || m_factsOf != session) {
            m_facts = factsOf(session);
            m_factsOf = session;
        }
        m_facts->setFunction({});
        if (isAtHome()) m_facts->setFunction(place().function);
    } catch (const profiler::FactError &) {
        if (!isTask()) return nullptr; // a run of another kind: the strip on top says so
    }
    return m_facts.get();
}

QString LessonView::withValues(const std::string &markdown)
{
    profiler::SessionFacts *asked = isAtHome() ? facts() : nullptr;
    return text(profiler::withValues(markdown, [asked](const std::string &expression) -> std::string {
        if (!asked) return "…";
        try {
            return profiler::textOf(asked->value(expression));
        } catch (const profiler::FactError &) {
            return "…";
        }
    }));
}

void LessonView::openLesson(const QString &name, int page)
{
    read();
    for (const profiler::Lesson &each : m_lessons)
        if (text(each.name) == name) {
            m_file = m_folders.lessons + '/' + name + ".md";
            adopt(each, page);
            return;
        }
    Q_EMIT m_hub.noticed(tr("There is no lesson “%1”. The list has those that there are.").arg(name), true);
}

void LessonView::openFile(const QString &path)
{
    m_faults.clear();
    profiler::Lesson lesson = profiler::readLessonFile(path.toStdString(), m_faults);
    m_file = path;
    if (m_faults.empty()) {
        adopt(std::move(lesson), 0);
        return;
    }
    m_lesson.reset();
    rebuild();
}

void LessonView::adopt(profiler::Lesson lesson, int page)
{
    m_cards.clear();
    m_faults.clear();
    m_lesson = std::make_unique<profiler::Lesson>(std::move(lesson));
    m_page = 0;
    setStays(this, true);
    loadAnswers();
    showPage(page);
}

void LessonView::showShelf()
{
    setBusy(this, false);
    m_standsSoon = false;
    m_faults.clear();
    m_lesson.reset();
    setStays(this, false);
    rebuild();
}

void LessonView::showPage(int page)
{
    if (!m_lesson) return;
    m_page = std::clamp(page, 0, static_cast<int>(m_lesson->pages.size()) - 1);
    stand();
    rebuild();
    m_scroll->verticalScrollBar()->setValue(0);
}

void LessonView::stand()
{
    m_standsSoon = false;
    const profiler::LessonStand &wanted = place();
    if (wanted.sample.empty() && !m_feed.session) return;
    if (isAtHome()) {
        standNow();
        return;
    }
    if (profiler::sampleSession(m_folders.samples.toStdString(), wanted.sample).empty()) {
        Q_EMIT m_hub.noticed(tr("There is no recorded session of the sample %1 beside this program.").arg(text(wanted.sample)), true);
        return;
    }
    m_standsSoon = true;
    setBusy(this, true);
    m_hub.request(OpenSample{text(wanted.sample)});
}

void LessonView::standNow()
{
    setBusy(this, false);
    m_standsSoon = false;
    if (!m_lesson) return;
    const profiler::LessonStand &wanted = place();
    select(wanted.at.empty() ? QString() : text(wanted.at), text(wanted.node));
    if (!wanted.view.empty()) m_hub.showIn(text(wanted.view));
}

void LessonView::select(const QString &step, const QString &node)
{
    profiler::SessionFacts *asked = facts();
    if (!asked) return;
    try {
        Selection next = m_hub.selection();
        next.function = profiler::raw(asked->function().id);
        next.graph = next.parentApply = -1;
        next.node = {};
        if (!step.isEmpty()) {
            const int number = asked->step(step.toStdString());
            next.step = number == asked->step("last") ? Selection::kLastStep : number;
        }
        const int shown = next.step == Selection::kLastStep ? asked->step("last") : next.step;
        if (!node.isEmpty()) next.node = {Side::Optimized, NodeKind::Apply, profiler::raw(asked->node(node.toStdString(), shown))};
        m_isTaking = true; // a node that the lesson shows is no answer
        m_hub.select(next);
        m_isTaking = false;
    } catch (const profiler::FactError &error) {
        m_isTaking = false;
        Q_EMIT m_hub.noticed(text(error.what()) + '.', true);
    }
}

bool LessonView::follow(const QString &link)
{
    const qsizetype colon = link.indexOf(u':');
    const QString kind = link.left(colon), target = QUrl::fromPercentEncoding(link.mid(colon + 1).toUtf8());
    const bool inSession = kind == "step" || kind == "node" || kind == "line" || kind == "function";
    if (inSession && !facts()) {
        Q_EMIT m_hub.noticed(tr("This leads into a session, and none is open. Open the sample of the page."), true);
        return false;
    }
    const QString workspace = m_hub.selection().workspace;
    const auto toGraph = [&] {
        if (workspace != QLatin1String("graph") && workspace != QLatin1String("steps")) m_hub.showIn(QStringLiteral("graph"));
    };
    if (kind == "step") {
        toGraph();
        select(target, {});
    } else if (kind == "node") {
        toGraph();
        select({}, target);
    } else if (kind == "view") {
        m_hub.showIn(target);
    } else if (kind == "line") {
        m_hub.showIn(QStringLiteral("source"));
        const std::vector<std::string> files = m_feed.session->sourceFiles();
        if (!files.empty()) m_hub.selectSource({text(files.front()), target.toInt()});
    } else if (kind == "function") {
        for (const profiler::FunctionInfo &each : m_feed.session->functions)
            if (text(each.name) == target) m_hub.selectFunction(profiler::raw(each.id));
    } else if (kind == "lesson") {
        openLesson(target);
    } else if (kind == "sample" || kind == "script") {
        m_hub.request(OpenSample{target, kind == "script"});
    } else if (kind == "help") {
        m_hub.request(ShowHelp{target});
    } else {
        Q_EMIT m_hub.noticed(tr("The link %1 leads nowhere in the studio.").arg(link), true);
        return false;
    }
    return true;
}

void LessonView::takeClick()
{
    const NodeRef node = m_hub.selection().node;
    if (m_isTaking || !node.isValid() || node.kind != NodeKind::Apply) return;
    for (QuestionCard *card : m_cards) {
        if (!card->wantsNodes() || m_hub.selection().graph >= 0) continue;
        card->toggleNode(node.id);
        // The next click on the same node takes the mark away.
        Selection bare = m_hub.selection();
        bare.node = {};
        m_isTaking = true;
        m_hub.select(bare, SelectionHub::History::Replace);
        m_isTaking = false;
        return;
    }
}

void LessonView::showMarks()
{
    NodeMarks marks;
    for (const QuestionCard *card : m_cards) marks.insert(card->marks());
    m_hub.setMarks(marks);
}

// Beside the session the lesson is about; one that came with the program lies where nobody but its package writes.
void LessonView::loadAnswers()
{
    const QString name = QFileInfo(m_file).completeBaseName() + ".answers.json";
    const QFileInfo session(m_feed.session && m_feed.session->isRecorded() ? text(m_feed.session->info.path) : QString());
    const bool isOwn =
        session.isFile() && !m_folders.samples.isEmpty() && !session.canonicalFilePath().startsWith(m_folders.samples + '/') && isAtHome();
    m_answers.load((isOwn ? session.absolutePath() : m_folders.sessions) + '/' + name);
}

void LessonView::keep(const QuestionCard *card, const QString &answer, bool isRight, bool isRevealed)
{
    const QString id = text(card->question().id);
    const KeptAnswer *before = m_answers.find(id);
    m_answers.set(id, {answer, isRight, isRevealed || (before && before->isRevealed), before ? before->tries + 1 : 1,
                       QDateTime::currentDateTime().toString(Qt::ISODate)});
    if (const QString problem = m_answers.keep(*m_lesson); !problem.isEmpty()) Q_EMIT m_hub.noticed(problem, true);
    refreshHead();
    m_keptInView = m_cards.empty() ? nullptr : *std::find(m_cards.begin(), m_cards.end(), card); // with what is said of the answer
}

void LessonView::setHidesAnswers(bool on)
{
    m_hide->setChecked(on);
    if (std::exchange(m_hidesAnswers, on) != on) rebuild();
}

// For teachers; a learner exports and begins anew with it, too.
void LessonView::buildMenu()
{
    auto *menu = new QMenu(m_menu);
    menu->addAction(tr("Open a lesson file…"), this, [this] {
        const QString path = QFileDialog::getOpenFileName(this, tr("Open a lesson"), m_folders.lessons, tr("Lessons (*.md)"));
        if (!path.isEmpty()) openFile(path);
    });
    menu->addSeparator();
    m_hide = menu->addAction(tr("Hide answers"));
    m_hide->setObjectName(QStringLiteral("hideAnswers"));
    m_hide->setCheckable(true);
    connect(m_hide, &QAction::toggled, this, &LessonView::setHidesAnswers);
    m_notes = menu->addAction(tr("Teacher's notes"));
    m_notes->setObjectName(QStringLiteral("teacherNotes"));
    m_notes->setCheckable(true);
    connect(m_notes, &QAction::toggled, this, &LessonView::rebuild);
    menu->addAction(tr("Present"), this, [this] { m_hub.request(Command::Presenter); });
    menu->addSeparator();
    const auto ofLesson = [this, menu](const QString &title, const char *name, auto &&work) {
        QAction *action = menu->addAction(title, this, work);
        action->setObjectName(QLatin1String(name));
        connect(menu, &QMenu::aboutToShow, action, [this, action] { action->setEnabled(m_lesson != nullptr); });
    };
    ofLesson(tr("Export the answers…"), "exportAnswers", [this] {
        const QString path =
            QFileDialog::getSaveFileName(this, tr("Export the answers"), text(m_lesson->name) + ".csv", tr("Tables (*.csv)"));
        if (path.isEmpty()) return;
        if (const QString problem = exportAnswers(path); !problem.isEmpty()) Q_EMIT m_hub.noticed(problem, true);
    });
    ofLesson(tr("Forget the answers of this lesson"), "forgetAnswers", [this] { forgetAnswers(); });
    ofLesson(tr("Handout (PDF)…"), "handout", [this] { m_hub.request(PrintHandout{m_file}); });
    ofLesson(tr("Handout with the answers (PDF)…"), "handoutAnswers", [this] { m_hub.request(PrintHandout{m_file, true}); });
    m_menu->setMenu(menu);
    m_menu->setPopupMode(QToolButton::InstantPopup);
}

void LessonView::forgetAnswers()
{
    if (!m_lesson) return;
    m_answers.clear();
    QFile::remove(m_answers.path());
    rebuild();
}

QString LessonView::exportAnswers(const QString &path) const
{
    QSaveFile file(path);
    const QByteArray table = m_answers.csv(*m_lesson);
    if (file.open(QIODevice::WriteOnly) && file.write(table) == table.size() && file.commit()) return {};
    return tr("%1 could not be written: %2. Choose another place.").arg(path, file.errorString());
}

} // namespace views
