#include "app/studio/window/window_title.h"

#include "app/studio/run/program.h"
#include "app/studio/run/run_bar.h"
#include "app/studio/run/run_controller.h"
#include "app/studio/window/bottom_area.h"
#include "app/studio/window/file_opener.h"
#include "app/studio/window/status_line.h"
#include "app/studio/window/workspaces.h"
#include "profiler/lessons/view_ids.h"
#include "views/common/controls.h"
#include "views/common/view_words.h"

#include <QFileInfo>
#include <QMainWindow>
#include <QMenuBar>

#include <algorithm>

namespace app {

using namespace views;

WindowTitle::WindowTitle(QMainWindow &window, const StudioParts &parts, const Sources &sources)
    : m_window(window), m_parts(parts), m_of(sources),
      m_text(new ElidedLabel(QString(), FontRole::Body, "muted", Qt::ElideMiddle, window.menuBar()))
{
    m_text->setAlignment(Qt::AlignCenter);
    m_text->setAttribute(Qt::WA_TransparentForMouseEvents);
}

void WindowTitle::refresh()
{
    ViewFeed feed = m_parts.keeper.feed();
    const QWidget *page = m_of.workspaces.page();
    const QString workspace = m_of.workspaces.current();
    {
        const QSignalBlocker blocker(m_of.runBar.workspaces()); // also when another one was clicked that cannot be entered
        if (!workspace.isEmpty()) m_of.runBar.setWorkspace(m_parts.views.pageOf(workspace).id);
    }
    StatusFacts facts;
    facts.reading = m_parts.keeper.isReading();
    facts.readingName = QFileInfo(m_parts.keeper.path()).fileName();
    facts.welcome = m_of.workspaces.isIn(profiler::view::welcome);
    facts.building = Program::instance().building();
    facts.note = page ? page->property(kNoteProperty).toString() : QString();
    m_of.runs.describe(facts);
    m_of.status.setTexts(statusTexts(feed, facts));
    m_of.workspaces.area()->strip()->setShares(sharesText(feed));
    if (facts.welcome) feed.session.reset();
    const QStringList files{m_parts.keeper.script(), m_of.files.file(), m_parts.keeper.path()};
    const auto named = std::find_if(files.begin(), files.end(), [](const QString &file) { return !file.isEmpty(); });
    const QString title = titleText(feed, named == files.end() ? QString() : QFileInfo(*named).fileName());
    m_window.setWindowTitle(title);
    m_text->setText(title);
    place();
}

void WindowTitle::place()
{
    const int gap = Theme::current().px(12);
    const QMenuBar &bar = *m_window.menuBar();
    int menus = 0;
    for (QAction *action : bar.actions()) menus = std::max(menus, bar.actionGeometry(action).right());
    const int width = QFontMetrics(m_text->font()).horizontalAdvance(m_text->text());
    const bool central = (bar.width() - width) / 2 > menus + gap;
    m_text->setGeometry(central ? bar.rect() : bar.rect().adjusted(menus + gap, 0, -gap, 0));
}

} // namespace app
