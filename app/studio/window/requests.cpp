#include "app/studio/window/requests.h"

#include "app/studio/dialogs/command_palette.h"
#include "app/studio/dialogs/key_sheet.h"
#include "app/studio/dialogs/palette_entries.h"
#include "app/studio/dialogs/settings_dialog.h"
#include "app/studio/run/run_bar.h"
#include "app/studio/run/run_controller.h"
#include "app/studio/window/file_opener.h"
#include "app/studio/window/notices.h"
#include "app/studio/window/pane_cycle.h"
#include "app/studio/window/script_editor.h"
#include "app/studio/window/tour_guide.h"
#include "app/studio/window/workspaces.h"
#include "profiler/lessons/view_ids.h"
#include "views/session/links.h"

#include <QApplication>
#include <QClipboard>
#include <QMainWindow>
#include <QMessageBox>

namespace app {

using namespace views;
namespace view = profiler::view;

Requests::Requests(QMainWindow &window, StudioParts &parts, const Controllers &controllers)
    : m_window(window), m_parts(parts), m_do(controllers)
{
    bind();
    connect(&parts.hub, &SelectionHub::requested, this, &Requests::handle);
}

void Requests::bind()
{
    m_commands = {
        {Command::Open, [this] { m_do.files.chooseFile(); }},
        {Command::Quit, [this] { m_window.close(); }},
        {Command::Back, [this] { m_parts.hub.goBack(); }},
        {Command::Forward, [this] { m_parts.hub.goForward(); }},
        {Command::CopyLink, [this] { copyLink(); }},
        {Command::OpenLink, [this] { m_do.files.askForLink(); }},
        {Command::OpenEditor, [this] { m_do.editor.openElsewhere(); }},
        {Command::NewWindow, [this] { Q_EMIT newWindowWanted(); }},
        {Command::Presenter, [this] { m_do.workspaces.setPresenting(!m_do.workspaces.isPresenting()); }},
        {Command::LastView, [this] { openLastView(); }},
        {Command::Settings, [this] { showSettings(); }},
        {Command::ResetLayout, [this] { m_do.workspaces.resetLayout(); }},
        {Command::Run, [this] { m_do.runs.run(); }},
        {Command::Stop, [this] { m_do.runs.stop(); }},
        {Command::StopMeasuring, [this] { m_do.runs.stopMeasuring(); }},
        {Command::CopyCommand, [this] { QApplication::clipboard()->setText(m_window.findChild<RunBar *>()->commandLine()); }},
        {Command::Palette, [this] { showPalette(); }},
        {Command::NextPane, [this] { focusNextPane(m_do.workspaces.panes(), m_window.focusWidget(), true); }},
        {Command::PreviousPane, [this] { focusNextPane(m_do.workspaces.panes(), m_window.focusWidget(), false); }},
        {Command::StepsOfSelection,
         [this] {
             m_do.workspaces.present(QString::fromLatin1(view::steps));
             m_parts.host.obey(Command::StepsOfSelection);
         }},
        {Command::Tour, [this] { m_do.guide.show(0); }},
        {Command::Shortcuts, [this] { KeySheet(m_parts.views, &m_window).exec(); }},
        {Command::About, [this] { showAbout(); }},
    };
}

void Requests::handle(const Request &request)
{
    std::visit(Overloaded{[&](Command command) {
                              const auto found = m_commands.find(command);
                              if (found != m_commands.end()) found->second();
                              else m_parts.host.obey(request);
                          },
                          [this](const TryFlag &wanted) { m_do.runs.tryFlag(wanted.flag); },
                          [this](const MeasureSession &wanted) { m_do.runs.measure(wanted.words); },
                          [this](const OpenFile &wanted) { m_do.files.open(wanted.path); },
                          [this](const OpenSource &wanted) { m_do.editor.openSource(wanted.link); },
                          [this](const CompareSessions &wanted) { m_do.files.compare(wanted.first, wanted.second); },
                          [this](const OpenSample &wanted) { m_do.files.openSample(wanted.name, wanted.asScript); },
                          [this](const PrintHandout &wanted) { m_do.files.printHandout(wanted.lesson, wanted.withAnswers); },
                          [this](const HideView &wanted) {
                              if (m_do.workspaces.isShown(wanted.view)) m_do.workspaces.toggle(wanted.view);
                          },
                          [&](const ShowHelp &) {
                              m_do.workspaces.present(QString::fromLatin1(view::help));
                              m_parts.host.obey(request);
                          },
                          [&](const ShowLesson &) {
                              m_do.workspaces.present(QString::fromLatin1(view::lessons));
                              m_parts.host.obey(request);
                          },
                          [&](const auto &) { m_parts.host.obey(request); }},
               request);
}

void Requests::copyLink()
{
    QApplication::clipboard()->setText(m_parts.session() ? SelectionHub::toLink(m_parts.hub.selection(), m_parts.keeper.path())
                                                         : QString());
}

void Requests::openLastView()
{
    if (const QString link = m_parts.preferences.lastView(); !link.isEmpty()) m_do.files.openLink(link);
    else m_do.notices.error(tr("Nothing was looked at before."));
}

void Requests::showSettings()
{
    SettingsDialog dialog(m_parts.preferences, &m_window);
    connect(&dialog, &SettingsDialog::changed, this, &Requests::preferencesChanged);
    dialog.exec();
}

void Requests::showPalette()
{
    if (!m_palette) {
        m_palette = new CommandPalette(&m_window);
        connect(m_palette, &CommandPalette::chosen, this, &Requests::choose);
    }
    const Links *links = m_parts.keeper.links();
    m_palette->open(paletteEntries(m_parts.views, m_parts.session(), links ? &links->graph() : nullptr));
}

void Requests::choose(const PaletteEntry &entry)
{
    using Kind = PaletteEntry::Kind;
    Workspaces &workspaces = m_do.workspaces;
    switch (entry.kind) {
    case Kind::Command: handle(entry.command); break;
    case Kind::View: workspaces.present(entry.id); break;
    case Kind::Sample: m_do.files.openSample(entry.id); break;
    case Kind::Function: m_parts.hub.selectFunction(entry.number); break;
    case Kind::Node:
        if (!workspaces.isIn(view::graph) && !workspaces.isIn(view::steps)) workspaces.present(QString::fromLatin1(view::graph));
        m_parts.hub.selectNode({entry.side, entry.nodeKind, entry.number});
        break;
    case Kind::Line:
        workspaces.present(QString::fromLatin1(view::source));
        m_parts.hub.selectSource({entry.id, static_cast<int>(entry.number)});
        break;
    case Kind::Rewrite:
        workspaces.present(QString::fromLatin1(view::steps));
        if (entry.number >= 0) m_parts.hub.selectStep(static_cast<int>(entry.number));
        break;
    }
}

void Requests::showAbout()
{
    QMessageBox::about(&m_window, tr("About Croton Studio"),
                       tr("<b>Croton Studio %1</b><br>See what a compiler makes of your expressions.<br><br>"
                          "BSD 3-clause licence. Uses Qt under the LGPL.")
                           .arg(QApplication::applicationVersion()));
}

} // namespace app
