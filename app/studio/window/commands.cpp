#include "app/studio/window/commands.h"

#include "views/common/text.h"

#include <QStringList>

namespace app {

using views::Command, views::tr;

namespace {

constexpr MenuRow kMenuRows[] = {
    {"File", Command::Open, "open", QT_TRANSLATE_NOOP("Commands", "Open…"), "Ctrl+O"},
    {"File", Command::NewWindow, "newWindow", QT_TRANSLATE_NOOP("Commands", "New window"), "Ctrl+Shift+N"},
    {"File", Command::OpenRecent, "openRecent", QT_TRANSLATE_NOOP("Commands", "Open recent"), ""},
    {"File", Command::LastView, "lastView", QT_TRANSLATE_NOOP("Commands", "Back to where I was last time"), "Ctrl+Shift+T"},
    {"File", Command::Save, "save", QT_TRANSLATE_NOOP("Commands", "Save the script"), "Ctrl+S"},
    {"File", Command::OpenEditor, "openEditor", QT_TRANSLATE_NOOP("Commands", "Open the line in another editor"), "Ctrl+Shift+E"},
    {"File"},
    {"File", Command::ExportPicture, "exportPicture", QT_TRANSLATE_NOOP("Commands", "Export the graph picture…"), "Ctrl+E"},
    {"File"},
    {"File", Command::Quit, "quit", QT_TRANSLATE_NOOP("Commands", "Quit"), "Ctrl+Q"},
    {"Edit", Command::Back, "back", QT_TRANSLATE_NOOP("Commands", "Back"), "Alt+Left"},
    {"Edit", Command::Forward, "forward", QT_TRANSLATE_NOOP("Commands", "Forward"), "Alt+Right"},
    {"Edit"},
    {"Edit", Command::Palette, "palette", QT_TRANSLATE_NOOP("Commands", "Go to anything…"), "Ctrl+K"},
    {"Edit", Command::Find, "find", QT_TRANSLATE_NOOP("Commands", "Find in the graph…"), "Ctrl+F"},
    {"Edit", Command::FindNext, "findNext", QT_TRANSLATE_NOOP("Commands", "Find next"), "F3"},
    {"Edit", Command::FindPrevious, "findPrevious", QT_TRANSLATE_NOOP("Commands", "Find previous"), "Shift+F3"},
    {"Edit"},
    {"Edit", Command::CopyLink, "copyLink", QT_TRANSLATE_NOOP("Commands", "Copy link to this view"), "Ctrl+Shift+C"},
    {"Edit", Command::OpenLink, "openLink", QT_TRANSLATE_NOOP("Commands", "Open a link…"), "Ctrl+Shift+O"},
    {"Edit"},
    {"Edit", Command::Settings, "settings", QT_TRANSLATE_NOOP("Commands", "Settings…"), "Ctrl+,"},
    {kViewMenu, Command::NextPane, "nextPane", QT_TRANSLATE_NOOP("Commands", "Next pane"), "F6"},
    {kViewMenu, Command::PreviousPane, "previousPane", QT_TRANSLATE_NOOP("Commands", "Previous pane"), "Shift+F6"},
    {kViewMenu, Command::Presenter, "presenter", QT_TRANSLATE_NOOP("Commands", "Present"), "F11"},
    {kViewMenu, Command::ResetLayout, "resetLayout", QT_TRANSLATE_NOOP("Commands", "Reset layout"), ""},
    {"Graph", Command::Fit, "fit", QT_TRANSLATE_NOOP("Commands", "Fit the graph"), "Ctrl+0"},
    {"Graph", Command::LayOut, "layOut", QT_TRANSLATE_NOOP("Commands", "Lay out again"), "Ctrl+L"},
    {"Graph", Command::CopyPicture, "copyPicture", QT_TRANSLATE_NOOP("Commands", "Copy as picture"), ""},
    {"Graph", Command::ExportPart, "exportPart", QT_TRANSLATE_NOOP("Commands", "Export what is found or selected…"), ""},
    {"Graph"},
    {"Graph", Command::FirstStep, "firstStep", QT_TRANSLATE_NOOP("Commands", "As written"), "Ctrl+Home"},
    {"Graph", Command::PreviousStep, "previousStep", QT_TRANSLATE_NOOP("Commands", "Previous change"), "Ctrl+Left"},
    {"Graph", Command::NextStep, "nextStep", QT_TRANSLATE_NOOP("Commands", "Next change"), "Ctrl+Right"},
    {"Graph", Command::PreviousPhase, "previousPhase", QT_TRANSLATE_NOOP("Commands", "Previous phase"), "Ctrl+Up"},
    {"Graph", Command::NextPhase, "nextPhase", QT_TRANSLATE_NOOP("Commands", "Next phase"), "Ctrl+Down"},
    {"Graph", Command::PlaySteps, "playSteps", QT_TRANSLATE_NOOP("Commands", "Play the changes"), "Ctrl+P"},
    {"Graph", Command::LastStep, "lastStep", QT_TRANSLATE_NOOP("Commands", "Optimized"), "Ctrl+End"},
    {"Graph", Command::StepsOfSelection, "stepsOfSelection", QT_TRANSLATE_NOOP("Commands", "Steps of the selected line or node"), ""},
    {"Run", Command::Run, "run", QT_TRANSLATE_NOOP("Commands", "Run"), "Ctrl+R F5"},
    {"Run", Command::Stop, "stop", QT_TRANSLATE_NOOP("Commands", "Stop"), "Shift+F5"},
    {"Run"},
    {"Run", Command::CopyCommand, "copyCommand", QT_TRANSLATE_NOOP("Commands", "Copy the command line"), ""},
    {"Help", Command::Tour, "tour", QT_TRANSLATE_NOOP("Commands", "Tour of the window"), ""},
    {"Help", Command::Shortcuts, "shortcuts", QT_TRANSLATE_NOOP("Commands", "Keys"), "?"},
    {"Help", Command::About, "about", QT_TRANSLATE_NOOP("Commands", "About"), ""},
};

[[maybe_unused]] constexpr const char *kTitles[] = {
    // marked for translation: the tables name them often
    QT_TRANSLATE_NOOP("Commands", "File"),
    QT_TRANSLATE_NOOP("Commands", "Edit"),
    QT_TRANSLATE_NOOP("Commands", "View"),
    QT_TRANSLATE_NOOP("Commands", "Graph"),
    QT_TRANSLATE_NOOP("Commands", "Run"),
    QT_TRANSLATE_NOOP("Commands", "Help"),
    QT_TRANSLATE_NOOP("Commands", "In the graph"),
    QT_TRANSLATE_NOOP("Commands", "In the steps"),
    QT_TRANSLATE_NOOP("Commands", "In the timeline"),
    QT_TRANSLATE_NOOP("Commands", "In the flame graph"),
    QT_TRANSLATE_NOOP("Commands", "In “Rewrite impact”"),
    QT_TRANSLATE_NOOP("Commands", "In what memory could be"),
};

constexpr PictureKey kPictureKeys[] = {
    {"In the graph", "Up Down Left Right", QT_TRANSLATE_NOOP("Commands", "Walk along the edges, and within a layer")},
    {"In the graph", "Return", QT_TRANSLATE_NOOP("Commands", "Select the node that has the ring")},
    {"In the graph", "O", QT_TRANSLATE_NOOP("Commands", "Open or close a group")},
    {"In the graph", "Space", QT_TRANSLATE_NOOP("Commands", "Fit the whole graph")},
    {"In the graph", "+ -", QT_TRANSLATE_NOOP("Commands", "Zoom in, zoom out")},
    {"In the graph", "L", QT_TRANSLATE_NOOP("Commands", "Lay out again")},
    {"In the graph", "Esc", QT_TRANSLATE_NOOP("Commands", "Leave a path, a search, a selection")},
    {"In the steps", "Left Right", QT_TRANSLATE_NOOP("Commands", "One change back or forth")},
    {"In the steps", "Up Down", QT_TRANSLATE_NOOP("Commands", "Previous or next phase; in the list, the row above or below")},
    {"In the steps", "Home End", QT_TRANSLATE_NOOP("Commands", "As written, optimized")},
    {"In the steps", "Return Esc", QT_TRANSLATE_NOOP("Commands", "Walk along the nodes with the arrows; step again")},
    {"In the steps", "J K", QT_TRANSLATE_NOOP("Commands", "Down and up in the list")},
    {"In the timeline", "Left Right", QT_TRANSLATE_NOOP("Commands", "Earlier, later")},
    {"In the timeline", "+ -", QT_TRANSLATE_NOOP("Commands", "Zoom in, zoom out")},
    {"In the timeline", "N P", QT_TRANSLATE_NOOP("Commands", "Next and previous event of the lane")},
    {"In the timeline", "Space", QT_TRANSLATE_NOOP("Commands", "The whole time")},
    {"In “Rewrite impact”", "Up Down", QT_TRANSLATE_NOOP("Commands", "The line above or below, and its graphs")},
    {"In what memory could be", "Left Right", QT_TRANSLATE_NOOP("Commands", "A smaller or larger budget; with Shift by more")},
    {"In what memory could be", "Home End", QT_TRANSLATE_NOOP("Commands", "The least budget, as it is")},
    {"In the flame graph", "Up Down Left Right", QT_TRANSLATE_NOOP("Commands", "To parent, child, neighbours")},
    {"In the flame graph", "Return", QT_TRANSLATE_NOOP("Commands", "Zoom to the frame")},
    {"In the flame graph", "Backspace", QT_TRANSLATE_NOOP("Commands", "Zoom out")},
};

} // namespace

QString MenuRow::menuText() const { return tr(menu); }
QString MenuRow::title() const { return tr(text); }

QList<QKeySequence> MenuRow::sequences() const
{
    QList<QKeySequence> result;
    for (const QString &key : QString::fromLatin1(keys).split(' ', Qt::SkipEmptyParts)) result << QKeySequence(key);
    return result;
}

QString PictureKey::whereText() const { return tr(where); }
QString PictureKey::title() const { return tr(text); }

QString PictureKey::keysText() const
{
    QStringList texts;
    for (const QKeySequence &key : sequences()) texts << key.toString(QKeySequence::NativeText);
    return texts.join(u' ');
}

QList<QKeySequence> PictureKey::sequences() const
{
    QList<QKeySequence> result;
    for (const QString &key : QString::fromLatin1(keys).split(' ', Qt::SkipEmptyParts)) result << QKeySequence(key);
    return result;
}

std::span<const PictureKey> pictureKeys() { return kPictureKeys; }
std::span<const MenuRow> menuRows() { return kMenuRows; }

std::vector<KeyRow> keyRows(const ViewTable &views)
{
    std::vector<KeyRow> rows;
    for (const MenuRow &row : kMenuRows)
        if (!row.isLine()) rows.push_back({QString::fromLatin1(row.id), row.title(), row.sequences(), row.command});
    for (const ViewEntry &view : views.entries()) rows.push_back({view.id, view.titleText(), view.sequences(), {}});
    return rows;
}

} // namespace app
