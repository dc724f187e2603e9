#include "app/studio/window/file_opener.h"

#include "app/studio/pages/welcome_page.h"
#include "app/studio/run/run_controller.h"
#include "app/studio/window/notices.h"
#include "app/studio/window/workspaces.h"
#include "profiler/lessons/view_ids.h"
#include "views/common/long_work.h"
#include "views/compare/compare_view.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QLineEdit>
#include <QTimer>

#include <utility>

namespace app {

using namespace views;
namespace view = profiler::view;

namespace {

QString wholePath(const QString &path) { return path.isEmpty() ? path : QFileInfo(path).absoluteFilePath(); }

} // namespace

FileOpener::FileOpener(QWidget &window, StudioParts &parts, Notices &notices, Workspaces &workspaces, RunController &runs)
    : m_window(window), m_parts(parts), m_notices(notices), m_workspaces(workspaces), m_runs(runs), m_readsLong(new QTimer(&window))
{
    m_readsLong->setObjectName(QStringLiteral("readsLong"));
    m_readsLong->setSingleShot(true);
    m_readsLong->setInterval(LongWork::kLongMs);
    connect(m_readsLong, &QTimer::timeout, this, &FileOpener::offerToBreakOff);
    connect(&runs, &RunController::documentWanted, this, &FileOpener::open);
    connectKeeper();
    connectWelcome();
    connectCompare();
}

void FileOpener::connectKeeper()
{
    connect(&m_parts.keeper, &SessionKeeper::opened, this, [this] {
        if (m_workspaces.isIn(view::welcome)) m_parts.hub.selectWorkspace(QString::fromLatin1(view::graph), SelectionHub::History::Replace);
        if (!m_pendingLink.isEmpty()) openLink(std::exchange(m_pendingLink, {}));
        Q_EMIT sessionShown();
    });
    connect(&m_parts.keeper, &SessionKeeper::failed, this, [this](const QString &sentence) {
        if (m_parts.session()) m_file = m_parts.keeper.path(); // what was shown stays
        m_notices.error(sentence);
    });
}

void FileOpener::connectWelcome()
{
    auto *welcome = qobject_cast<WelcomePage *>(m_parts.host.widget(QString::fromLatin1(view::welcome)));
    if (!welcome) return;
    welcome->setSamples(readSamples(samplesFolder()));
    welcome->setCapabilities({ProcessKeeper::cpu()});
    connect(welcome, &WelcomePage::openRequested, this, &FileOpener::chooseFile);
    connect(welcome, &WelcomePage::profileRequested, this, &FileOpener::chooseScriptToRun);
    connect(welcome, &WelcomePage::compareRequested, this, [this] { m_workspaces.present(QString::fromLatin1(view::compare)); });
    connect(welcome, &WelcomePage::learnRequested, this, [this] { m_workspaces.present(QString::fromLatin1(view::lessons)); });
    connect(welcome, &WelcomePage::fileChosen, this, &FileOpener::open);
    connect(welcome, &WelcomePage::sampleChosen, this, qOverload<const QString &>(&FileOpener::openSample));
    connect(welcome, &WelcomePage::runRequested, this, [this](const QString &script) {
        open(script);
        m_runs.run();
    });
    ProcessKeeper &processes = m_runs.processes();
    connect(welcome, &WelcomePage::expressionRequested, this, [this, &processes](const QString &text) {
        m_file.clear();
        processes.compileExpression(text);
    });
    connect(welcome, &WelcomePage::valuesRequested, &processes, &ProcessKeeper::evaluateExpression);
    connect(&processes, &ProcessKeeper::expressionEvaluated, welcome,
            [welcome](const QString &text) { welcome->setExpressionResult(text, true); });
    connect(&processes, &ProcessKeeper::expressionFailed, welcome,
            [welcome](const QString &sentence) { welcome->setExpressionResult(sentence, false); });
    connect(&processes, &ProcessKeeper::devicesFound, welcome,
            [welcome](const auto &, const std::vector<Capability> &capabilities) { welcome->setCapabilities(capabilities); });
}

// The comparison is made when it is first shown, which may be long after the first runs: it hears of all of them.
void FileOpener::connectCompare()
{
    connect(&m_parts.host, &ViewHost::widgetMade, this, [this](const QString &id, QWidget *widget) {
        auto *compare = id == QLatin1String(view::compare) ? qobject_cast<CompareView *>(widget) : nullptr;
        if (!compare) return;
        compare->setNames(m_parts.preferences.sessionNames());
        for (const QString &path : std::as_const(m_seenSessions)) compare->keep(path);
        connect(compare, &CompareView::named, this,
                [this](const QString &path, const QString &name) { m_parts.preferences.nameSession(path, name); });
        connect(this, &FileOpener::sessionKept, compare, &CompareView::keep);
    });
    connect(&m_parts.keeper, &SessionKeeper::changed, this, [this](FeedParts changed) {
        const SessionData *session = m_parts.session();
        if (!(changed & FeedPart::Session) || !session->isRecorded() || session->info.state == profiler::SessionState::Running) return;
        const QString path = QString::fromStdString(session->info.path);
        if (!m_seenSessions.isEmpty() && m_seenSessions.last() == path) return;
        m_seenSessions << path;
        Q_EMIT sessionKept(path);
    });
}

bool FileOpener::canOpen(const QString &path)
{
    const QString suffix = QFileInfo(path).suffix().toLower();
    return suffix == "py" || suffix == "croton" || suffix == "json";
}

void FileOpener::open(const QString &path)
{
    const QFileInfo info(path);
    m_notices.forgetError();
    m_notices.clear();
    m_runs.forget();
    if (!info.exists() || !info.isFile()) {
        m_notices.error(tr("There is no file %1.").arg(path));
        return;
    }
    const QString suffix = info.suffix().toLower();
    m_file = info.absoluteFilePath();
    if (suffix == "json") {
        m_runs.importDocument(m_file);
        return;
    }
    m_parts.preferences.addRecentFile(m_file);
    m_runs.forgetEnd();
    m_readsLong->start();
    if (suffix == "py") m_parts.keeper.openScript(m_file, Worker::sessionFolder());
    else m_parts.keeper.open(m_file, false);
    m_runs.refresh();
}

void FileOpener::openSample(const QString &file)
{
    open(file);
    if (m_parts.preferences.freshRuns() && QFileInfo(file).suffix() == QLatin1String("croton"))
        m_runs.runSampleInBackground(QFileInfo(file).absoluteFilePath());
}

void FileOpener::openSample(const QString &name, bool asScript)
{
    const QString script = QStringLiteral("%1/%2/%2.py").arg(samplesFolder(), name);
    const QString session = QFileInfo(script).path() + '/' + name + ".croton";
    open(!asScript && QFileInfo(session).isFile() ? session : script);
    if (asScript) m_workspaces.present(QString::fromLatin1(view::source));
}

void FileOpener::openNamed(const QString &path)
{
    const QString samples = samplesFolder();
    if (!samples.isEmpty() && QFileInfo(path).canonicalFilePath().startsWith(samples + '/')) openSample(path);
    else open(path);
}

void FileOpener::openLink(const QString &link)
{
    const auto selection = SelectionHub::fromLink(link);
    if (!selection) {
        m_notices.error(tr("This is no link to a view: it must begin with croton:view?"));
        return;
    }
    const QString file = SelectionHub::sessionOfLink(link);
    if (!file.isEmpty() && file != m_parts.keeper.path()) {
        m_pendingLink = link;
        open(file);
        return;
    }
    QString error;
    if (!m_parts.session()) m_notices.error(tr("This link names no session, and none is open."));
    else if (!m_parts.keeper.select(*selection, &error)) m_notices.error(error);
}

void FileOpener::compare(const QString &first, const QString &second)
{
    const QString id = QString::fromLatin1(view::compare);
    if (auto *compare = qobject_cast<CompareView *>(m_parts.host.widget(id))) compare->setPaths(wholePath(first), wholePath(second));
    m_workspaces.present(id);
}

void FileOpener::offerToBreakOff()
{
    if (!m_parts.keeper.isReading() || m_runs.isRunning()) return;
    m_notices.offer(Notices::Offer::BreakOffReading, tr("Reading %1…").arg(QFileInfo(m_file).fileName()), tr("Cancel"),
                    [this] { breakOff(); });
}

// What was shown stays.
void FileOpener::breakOff()
{
    m_notices.clear();
    m_parts.keeper.breakOff();
    m_file = m_parts.session() ? m_parts.keeper.path() : QString();
    m_runs.refresh();
    Q_EMIT changed();
}

void FileOpener::chooseFile()
{
    const QString path = QFileDialog::getOpenFileName(&m_window, tr("Open a script, session or graph"), QFileInfo(m_file).absolutePath(),
                                                      tr("Scripts, sessions and graphs (*.py *.croton *.json);;All files (*)"));
    if (!path.isEmpty()) open(path);
}

void FileOpener::chooseScriptToRun()
{
    const QString path = QFileDialog::getOpenFileName(&m_window, tr("Profile a script"), QFileInfo(m_file).absolutePath(),
                                                      tr("Scripts (*.py);;All files (*)"));
    if (path.isEmpty()) return;
    open(path);
    m_runs.run();
}

void FileOpener::askForLink()
{
    bool ok = false;
    const QString text = QInputDialog::getText(&m_window, tr("Open a link"), tr("Link to a view of a session:"), QLineEdit::Normal,
                                               QApplication::clipboard()->text(), &ok);
    if (ok && !text.isEmpty()) openLink(text.trimmed());
}

void FileOpener::printHandout(const QString &lesson, bool withAnswers)
{
    const QString out = QFileDialog::getSaveFileName(&m_window, tr("Where to write the handout"),
                                                     QFileInfo(lesson).completeBaseName() + ".pdf", tr("PDF (*.pdf)"));
    if (!out.isEmpty()) m_runs.processes().printHandout(lesson, out, withAnswers);
}

} // namespace app
