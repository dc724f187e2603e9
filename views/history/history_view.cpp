#include "views/history/history_view.h"

#include "views/common/panels.h"
#include "views/common/picture_panel.h"
#include "views/common/view_words.h"
#include "views/history/history_canvas.h"
#include "views/history/history_job.h"
#include "views/session/sessions_near.h"

#include <QScrollArea>
#include <QVBoxLayout>

namespace views {

HistoryView::HistoryView(SelectionHub &hub, QWidget *parent) : QWidget(parent), m_hub(hub), m_job(new HistoryJob(this))
{
    m_canvas = new HistoryCanvas;
    auto *scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(m_canvas);
    scroll->setFocusProxy(m_canvas);
    m_panel = new PicturePanel(tr("History"), scroll);
    m_progress = new ProgressLine;
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    outer->addWidget(m_progress);
    outer->addWidget(m_panel, 1);
    connect(m_canvas, &HistoryCanvas::chosenByPerson, this, [this](int session) { m_panel->selectKey(session); });
    connect(m_canvas, &HistoryCanvas::compareWanted, this, &HistoryView::compare);
    connect(m_panel, &PicturePanel::keyChosen, this,
            [this](qint64 session) { m_canvas->setChosen(static_cast<int>(session), m_canvas->other()); });
    connect(m_panel, &PicturePanel::actionTriggered, this, [this] { m_hub.request(Command::Run); });
    connect(m_job, &HistoryJob::found, this, &HistoryView::setRows);
    connect(m_job, &HistoryJob::failed, this, [this](const QString &sentence) {
        m_progress->stop();
        setBusy(this, false);
        m_panel->setEmpty(QStringLiteral("compare"), sentence);
    });
    m_panel->setEmpty(QStringLiteral("compare"), tr("No session is open."));
}

void HistoryView::feed(const ViewFeed &feed)
{
    if (!feed.hasNew(FeedPart::Opened | FeedPart::Session)) return;
    if (!feed.session || !feed.session->isRecorded()) {
        m_job->cancel();
        m_open.clear();
        m_panel->setEmpty(QStringLiteral("compare"),
                          feed.session ? tr("The script was not recorded yet: its sessions stand here.") : tr("No session is open."),
                          feed.session && feed.canRun ? tr("Run") : QString());
        return;
    }
    if (feed.session->info.state == profiler::SessionState::Running) {
        if (m_open.isEmpty()) m_panel->setEmpty(QStringLiteral("compare"), tr("The session joins its history when its run has ended."));
        return;
    }
    const QString path = QString::fromStdString(feed.session->info.path);
    if (path == m_open) return;
    m_open = path;
    QStringList candidates;
    for (const QFileInfo &file : sessionsNear(path)) candidates << file.absoluteFilePath();
    if (!candidates.contains(path)) candidates << path;
    m_progress->start(tr("Reading the sessions of this script"));
    setBusy(this, true);
    m_job->start(path, candidates);
}

void HistoryView::setRows(std::shared_ptr<const HistoryRows> rows)
{
    m_progress->stop();
    setBusy(this, false);
    m_rows = std::move(rows);
    m_canvas->setRows(m_rows);
    m_panel->setTable(m_rows->table());
    const bool alone = m_rows->history.sessions.size() < 2;
    m_panel->setCaption(m_rows->caption() + QStringLiteral(" · ") +
                        (alone ? tr("record another one, and it stands beside this") : tr("click two points to compare their sessions")));
    m_panel->setEmpty({}, m_rows->history.functions.empty() ? tr("No function was compiled in any session of this script.") : QString());
    setSubtitle(this, QFileInfo(QString::fromStdString(m_rows->history.script)).fileName());
}

void HistoryView::compare()
{
    const int first = std::min(m_canvas->chosen(), m_canvas->other()), second = std::max(m_canvas->chosen(), m_canvas->other());
    if (first < 0 || first == second) return;
    m_hub.request(CompareSessions{m_rows->path(first), m_rows->path(second)});
}

} // namespace views
