#include "app/studio/dialogs/options.h"

#include "app/studio/pages/graph_page.h"
#include "views/common/text.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QRegularExpression>

#include <utility>

namespace app {

using views::tr;

namespace {

const QStringList kCompared{"applies", "functions", "classes", "devices", "blocking", "only", "graph", "timeline", "settings", "script"};

/// A word of a manual page.
QString roff(QString text) { return text.replace('\\', "\\e").replace('-', "\\-").replace(QRegularExpression("(?m)^([.'])"), "\\&\\1"); }

QString manualPage(const QCommandLineParser &parser, const QList<QCommandLineOption> &options, const QString &file)
{
    QString page =
        QStringLiteral(
            ".TH CROTON\\-STUDIO 1 \"\" \"croton %1\" \"User Commands\"\n.SH NAME\ncroton\\-studio \\- see what a compiler makes of "
            "tensor expressions\n.SH SYNOPSIS\n.B croton\\-studio\n[\\fIoptions\\fR] [\\fIFILE\\fR [\\fIFILE\\fR] | \\fILINK\\fR]\n"
            ".SH DESCRIPTION\n%2\n%3\n.SH OPTIONS\n")
            .arg(roff(QCoreApplication::applicationVersion()), roff(parser.applicationDescription()), roff(file));
    for (const QCommandLineOption &option : options) {
        QStringList names;
        for (const QString &name : option.names()) names << "\\fB" + roff((name.size() == 1 ? "-" : "--") + name) + "\\fR";
        page += ".TP\n" + names.join(", ") + (option.valueName().isEmpty() ? "" : " \\fI" + roff(option.valueName()) + "\\fR") + '\n' +
                roff(option.description()) + '\n';
    }
    return page + ".SH FILES\n.TP\n.I ~/.cache/croton/sessions\nsessions of scripts that were run here\n.SH SEE ALSO\n.BR croton (1)\n";
}

} // namespace

ParsedOptions parseOptions(const QStringList &arguments, const ViewTable &views)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(tr("Shows what a compiler makes of tensor expressions: graphs, rewrites, times."));
    const QCommandLineOption help({"h", "help"}, tr("Show this help."));
    const QCommandLineOption version({"v", "version"}, tr("Show the version."));
    const QCommandLineOption screenshot("screenshot", tr("Write a picture of the window to OUT.png without a display, and quit."),
                                        "OUT.png");
    const QCommandLineOption thumbnail("thumbnail", tr("With --screenshot: the graph alone, at most so many pixels wide and high."),
                                       "PIXELS");
    const QCommandLineOption view("view", tr("View to show: %1.").arg(views.ids().join(", ")), "NAME");
    const QCommandLineOption listViews("list-views", tr("Print the views, one on a line: name, a tab, title."));
    const QCommandLineOption theme("theme", tr("light or dark."), "NAME");
    const QCommandLineOption size("size", tr("Size of the window, e.g. 1440x900."), "WxH");
    const QCommandLineOption step("step", tr("Step of the rewriting to show: a number, first or last."), "N");
    const QCommandLineOption select("select", tr("Node to select: its number, its name, original:NAME, or line:N."), "NODE");
    const QCommandLineOption function("function", tr("Function to show."), "NAME");
    const QCommandLineOption colours("colours", tr("What colours the nodes of graphs: %1.").arg(GraphPage::overlayNames().join(", ")),
                                     "NAME");
    const QCommandLineOption compared("compared", tr("What of two sessions is compared: %1.").arg(kCompared.join(", ")), "NAME");
    const QCommandLineOption picture(
        "picture",
        tr("Which picture of the view: arena, time, could or could:BYTES of memory; a rewrite, pass or pass:NAME of worth; threads:N of the summary."),
        "NAME");
    const QCommandLineOption link("link", tr("A link of “Copy link to this view”."), "LINK");
    const QCommandLineOption lesson("lesson", tr("Lesson to open: its name, NAME/PAGE, or a file."), "NAME");
    const QCommandLineOption handout("handout", tr("With --lesson: write it as a PDF to be handed out, and quit."), "OUT.pdf");
    const QCommandLineOption answers("with-answers", tr("With --handout: with what is right, and the teacher's notes."));
    const QCommandLineOption tour("tour", tr("Begin the tour of the window, at its stop N."), "N");
    const QCommandLineOption run("run", tr("Run the script that is given, as the button does."));
    const QCommandLineOption building(
        "building", tr("Croton is still being built, and FILE says how far that is: what needs it waits for it. Used by app/run."), "FILE");
    const QCommandLineOption textSize("text-size", tr("Text size in percent, 80 to 200."), "PERCENT");
    const QCommandLineOption language("language", tr("en or fr."), "NAME");
    const QCommandLineOption manual("manual", tr("Print the manual page."));
    const QList<QCommandLineOption> all{help,      version,  language, lesson, handout,   answers,  tour,     screenshot,
                                        thumbnail, view,     theme,    size,   listViews, step,     select,   function,
                                        colours,   compared, picture,  link,   run,       building, textSize, manual};
    parser.addOptions(all);
    const QString file =
        tr("A script (.py), a session (.croton) or a graph (.json); two sessions are compared. Or a link of “Copy link to this view”.");
    parser.addPositionalArgument("FILE", file, "[FILE [FILE] | LINK]");

    ParsedOptions result;
    auto fail = [&](const QString &sentence) {
        result.error = sentence;
        return result;
    };
    if (!parser.parse(arguments)) return fail(parser.errorText());
    if (parser.isSet(help)) {
        result.output = parser.helpText();
        return result;
    }
    if (parser.isSet(version)) {
        result.output = QStringLiteral("croton-studio %1\n").arg(QCoreApplication::applicationVersion());
        return result;
    }
    if (parser.isSet(manual)) {
        result.output = manualPage(parser, all, file);
        return result;
    }
    if (parser.isSet(listViews)) {
        for (const ViewEntry &entry : views.entries())
            if (!entry.missing) result.output += QStringLiteral("%1\t%2\n").arg(entry.id, entry.titleText());
        return result;
    }
    Options &options = result.options;
    const QStringList files = parser.positionalArguments();
    if (files.size() > 2 || (files.size() == 2 && !(files[0].endsWith(".croton") && files[1].endsWith(".croton"))))
        return fail(tr("One file can be opened, or two sessions (.croton) compared, but %1 files were given.").arg(files.size()));
    options.file = files.value(0);
    options.other = files.value(1);
    options.link = parser.value(link);
    if (options.file.startsWith(QLatin1String("croton:"))) options.link = std::exchange(options.file, {});
    if (options.file.isEmpty() && !options.link.isEmpty()) {
        options.file = views::SelectionHub::sessionOfLink(options.link);
        if (options.file.isEmpty()) return fail(tr("This link names no session: give the file before it."));
    }
    options.screenshot = parser.value(screenshot);
    if (parser.isSet(thumbnail)) {
        if (!options.wantsScreenshot()) return fail(tr("--thumbnail is the size of a picture: name its file with --screenshot OUT.png."));
        options.thumbnail = parser.value(thumbnail).toInt();
        if (options.thumbnail < 16 || options.thumbnail > 2048)
            return fail(tr("The size of a thumbnail is a number of pixels from 16 to 2048, not “%1”.").arg(parser.value(thumbnail)));
    }
    options.lesson = parser.value(lesson);
    options.handout = parser.value(handout);
    options.withAnswers = parser.isSet(answers);
    if (!options.handout.isEmpty() && options.lesson.isEmpty())
        return fail(tr("--handout is made of a lesson: name it with --lesson (croton lesson list)."));
    if (options.withAnswers && options.handout.isEmpty()) return fail(tr("--with-answers belongs to --handout OUT.pdf."));
    if (parser.isSet(tour)) {
        options.tour = parser.value(tour).toInt();
        if (options.tour < 1) return fail(tr("The stop of the tour is a number from 1 on, not “%1”.").arg(parser.value(tour)));
    }
    options.run = parser.isSet(run);
    if (options.run && !options.file.endsWith(".py")) return fail(tr("--run runs a script: give a .py file with it."));
    if (options.run && options.wantsScreenshot())
        return fail(tr("A picture is of what was recorded: run the script with croton profile, and give its session."));
    options.building = parser.value(building);
    options.view = parser.value(view);
    if (!options.other.isEmpty() && options.view.isEmpty()) options.view = QStringLiteral("compare");
    try {
        if (!options.view.isEmpty()) views.at(options.view);
    } catch (const ViewError &error) {
        return fail(QString::fromUtf8(error.what()));
    }
    options.language = parser.value(language);
    if (!options.language.isEmpty() && options.language != "en" && options.language != "fr")
        return fail(tr("The language is en or fr, not “%1”.").arg(options.language));
    options.theme = parser.value(theme);
    if (!options.theme.isEmpty() && options.theme != "light" && options.theme != "dark")
        return fail(tr("The theme is light or dark, not “%1”.").arg(options.theme));
    if (parser.isSet(size)) {
        static const QRegularExpression pattern("^([0-9]{2,5})x([0-9]{2,5})$");
        const auto match = pattern.match(parser.value(size));
        if (!match.hasMatch()) return fail(tr("The size “%1” is not of the form 1440x900.").arg(parser.value(size)));
        options.size = QSize(match.captured(1).toInt(), match.captured(2).toInt());
        if (options.size.width() < 640 || options.size.height() < 400 || options.size.width() > 8192 || options.size.height() > 8192)
            return fail(tr("The size must lie between 640x400 and 8192x8192, not %1.").arg(parser.value(size)));
    }
    options.step = parser.value(step);
    if (!options.step.isEmpty() && options.step != "first" && options.step != "last") {
        bool ok = false;
        if (options.step.toInt(&ok) < 0 || !ok) return fail(tr("The step is a number, first or last, not “%1”.").arg(options.step));
    }
    options.select = parser.value(select);
    options.function = parser.value(function);
    options.picture = {parser.value(picture).section(u':', 0, 0), parser.value(picture).section(u':', 1)};
    options.colours = parser.value(colours);
    options.compared = parser.value(compared);
    if (!options.colours.isEmpty() && !GraphPage::overlayNames().contains(options.colours))
        return fail(tr("Nothing colours nodes by “%1”: %2.").arg(options.colours, GraphPage::overlayNames().join(", ")));
    if (!options.compared.isEmpty() && !kCompared.contains(options.compared))
        return fail(tr("Nothing is compared by “%1”: %2.").arg(options.compared, kCompared.join(", ")));
    if (parser.isSet(textSize)) {
        bool ok = false;
        options.textSize = parser.value(textSize).remove('%').toInt(&ok);
        if (!ok || options.textSize < 80 || options.textSize > 200)
            return fail(tr("The text size is a percentage from 80 to 200, not “%1”.").arg(parser.value(textSize)));
    }
    return result;
}

} // namespace app
