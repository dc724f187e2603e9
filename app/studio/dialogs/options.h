#pragma once

#include "app/studio/window/view_table.h"

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

namespace app {

/// What the command line asks for.
struct Options {
    QString file;               ///< script, session or graph; empty: the welcome page
    QString other;              ///< a session to compare it with
    QString screenshot;         ///< write a picture here and quit
    int thumbnail = 0;          ///< not 0: the picture is of the graph alone, within so many pixels
    QString view;               ///< id of a view of the table
    QString theme;              ///< "light", "dark"; empty: the setting
    QSize size;                 ///< invalid: the default
    QString step;               ///< "61", "first", "last"; empty: the optimized graph
    QString select;             ///< apply number, exact or friendly name, "original:NAME", "line:29"
    QString function;           ///< name of the function shown
    views::ShowPicture picture; ///< which picture of the view: "could" of the memory; empty: its first
    QString colours;            ///< what colours the nodes of graphs: "time", "digits" …; empty: as it is
    QString compared;           ///< what Compare shows: "applies", "graph", "timeline" …; empty: as it is
    bool run = false;           ///< the script, once it is open
    QString lesson;             ///< NAME, NAME/PAGE or FILE.md
    QString handout;            ///< write the lesson here as a PDF and quit
    bool withAnswers = false;
    QString building; ///< Croton is being built, and this file says how far that is
    int tour = 0;     ///< begin it at this stop, from 1 on
    QString link;     ///< a "croton:view?…" of "copy link to this view"
    QString language; ///< "en", "fr"; empty: the setting
    int textSize = 0; ///< percent; 0: the setting

    bool wantsScreenshot() const { return !screenshot.isEmpty(); }
    /// Names no place in the studio, at most a file.
    bool isPlain() const
    {
        return view.isEmpty() && lesson.isEmpty() && link.isEmpty() && select.isEmpty() && step.isEmpty() && function.isEmpty();
    }
};

/// Either options, or one sentence on what is wrong with them; `help` when only a text was asked for.
struct ParsedOptions {
    Options options;
    QString error;
    QString output; ///< of --help, --version, --list-views
};

ParsedOptions parseOptions(const QStringList &arguments, const ViewTable &views = studioViews());

} // namespace app
