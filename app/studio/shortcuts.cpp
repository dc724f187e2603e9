#include "app/studio/shortcuts.h"

#include <QCoreApplication>
#include <QStringList>

#include <cstring>

namespace app {
namespace {

constexpr Shortcut kShortcuts[] = {
    {"open", QT_TRANSLATE_NOOP("Shortcuts", "Open…"), "Ctrl+O"},
    {"welcome", QT_TRANSLATE_NOOP("Shortcuts", "Welcome page"), "Ctrl+Shift+W"},
    {"exportPicture", QT_TRANSLATE_NOOP("Shortcuts", "Export the graph picture…"), "Ctrl+E"},
    {"quit", QT_TRANSLATE_NOOP("Shortcuts", "Quit"), "Ctrl+Q"},
    {"back", QT_TRANSLATE_NOOP("Shortcuts", "Back"), "Alt+Left"},
    {"forward", QT_TRANSLATE_NOOP("Shortcuts", "Forward"), "Alt+Right"},
    {"find", QT_TRANSLATE_NOOP("Shortcuts", "Find in the graph…"), "Ctrl+F"},
    {"copyLink", QT_TRANSLATE_NOOP("Shortcuts", "Copy link to this view"), "Ctrl+Shift+C"},
    {"openLink", QT_TRANSLATE_NOOP("Shortcuts", "Open a link…"), "Ctrl+Shift+O"},
    {"settings", QT_TRANSLATE_NOOP("Shortcuts", "Settings…"), "Ctrl+,"},
    {"viewGraph", QT_TRANSLATE_NOOP("Shortcuts", "Graph"), "Ctrl+1"},
    {"viewSteps", QT_TRANSLATE_NOOP("Shortcuts", "Steps of the rewriting"), "Ctrl+2"},
    {"viewProfile", QT_TRANSLATE_NOOP("Shortcuts", "Profile"), "Ctrl+3"},
    {"operations", QT_TRANSLATE_NOOP("Shortcuts", "Operations"), "Ctrl+T"},
    {"code", QT_TRANSLATE_NOOP("Shortcuts", "Code"), "Ctrl+G"},
    {"resetLayout", QT_TRANSLATE_NOOP("Shortcuts", "Reset layout"), ""},
    {"fit", QT_TRANSLATE_NOOP("Shortcuts", "Fit the graph"), "Ctrl+0"},
    {"layOut", QT_TRANSLATE_NOOP("Shortcuts", "Lay out again"), "Ctrl+L"},
    {"firstStep", QT_TRANSLATE_NOOP("Shortcuts", "As written"), "Ctrl+Home"},
    {"previousStep", QT_TRANSLATE_NOOP("Shortcuts", "Previous change"), "Ctrl+Left"},
    {"nextStep", QT_TRANSLATE_NOOP("Shortcuts", "Next change"), "Ctrl+Right"},
    {"previousPhase", QT_TRANSLATE_NOOP("Shortcuts", "Previous phase"), "Ctrl+Up"},
    {"nextPhase", QT_TRANSLATE_NOOP("Shortcuts", "Next phase"), "Ctrl+Down"},
    {"lastStep", QT_TRANSLATE_NOOP("Shortcuts", "Optimized"), "Ctrl+End"},
    {"run", QT_TRANSLATE_NOOP("Shortcuts", "Run"), "Ctrl+R F5"},
    {"stop", QT_TRANSLATE_NOOP("Shortcuts", "Stop"), "Shift+F5"},
    {"copyCommand", QT_TRANSLATE_NOOP("Shortcuts", "Copy the command line"), ""},
    {"shortcuts", QT_TRANSLATE_NOOP("Shortcuts", "Keys"), "F1"},
    {"about", QT_TRANSLATE_NOOP("Shortcuts", "About"), ""},
};

} // namespace

QString Shortcut::title() const { return QCoreApplication::translate("Shortcuts", text); }

QList<QKeySequence> Shortcut::sequences() const {
    QList<QKeySequence> result;
    for (const QString &key : QString::fromLatin1(keys).split(' ', Qt::SkipEmptyParts))
        result << QKeySequence(key);
    return result;
}

std::span<const Shortcut> allShortcuts() { return kShortcuts; }

const Shortcut &shortcutOf(const char *id) {
    for (const Shortcut &shortcut : kShortcuts)
        if (std::strcmp(shortcut.id, id) == 0)
            return shortcut;
    qFatal("there is no shortcut named %s", id);
}

} // namespace app
