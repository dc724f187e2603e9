#pragma once

#include <QMetaType>
#include <QString>
#include <QStringList>
#include <QUrl>

#include <cstdint>
#include <variant>

namespace views {

/// What needs no more words: the commands of menus, keys and buttons.
enum class Command : std::uint8_t {
    Open,
    NewWindow,
    OpenRecent,
    LastView,
    Save,
    OpenEditor,
    ExportPicture,
    Quit,
    Back,
    Forward,
    Palette,
    Find,
    FindNext,
    FindPrevious,
    CopyLink,
    OpenLink,
    Settings,
    NextPane,
    PreviousPane,
    Presenter,
    ResetLayout,
    Fit,
    LayOut,
    CopyPicture,
    ExportPart,
    FirstStep,
    PreviousStep,
    NextStep,
    PreviousPhase,
    NextPhase,
    PlaySteps,
    LastStep,
    StepsOfSelection,
    Run,
    Stop,
    StopMeasuring,
    CopyCommand,
    Tour,
    Shortcuts,
    About,
};

/// Runs the script with one Theano flag set ("floatX=float32"), and compares.
struct TryFlag {
    QString flag;
    bool operator==(const TryFlag &) const = default;
};
/// Measures something of the session: the words of a command of `croton`, without the session. "%out" stands for a new file.
struct MeasureSession {
    QStringList words;
    bool operator==(const MeasureSession &) const = default;
};
struct OpenFile {
    QString path;
    bool operator==(const OpenFile &) const = default;
};
/// Opens a line of Croton's sources in the person's editor.
struct OpenSource {
    QUrl link;
    bool operator==(const OpenSource &) const = default;
};
struct CompareSessions {
    QString first, second;
    bool operator==(const CompareSessions &) const = default;
};
/// Opens a sample by its name: as it was recorded, or its script.
struct OpenSample {
    QString name;
    bool asScript = false;
    bool operator==(const OpenSample &) const = default;
};
/// Writes a lesson as a PDF.
struct PrintHandout {
    QString lesson;
    bool withAnswers = false;
    bool operator==(const PrintHandout &) const = default;
};
struct HideView {
    QString view;
    bool operator==(const HideView &) const = default;
};
/// A page of the help: "profiles", "profiles#the-summary".
struct ShowHelp {
    QString page;
    bool operator==(const ShowHelp &) const = default;
};
/// A lesson: "NAME", "NAME/PAGE" or "FILE.md".
struct ShowLesson {
    QString lesson;
    bool operator==(const ShowLesson &) const = default;
};
/// What colours the nodes of graphs: "time", "phase".
struct ShowColours {
    QString name;
    bool operator==(const ShowColours &) const = default;
};
/// What Compare shows: "applies", "graph".
struct ShowCompared {
    QString kind;
    bool operator==(const ShowCompared &) const = default;
};
/// Which picture a view shows: "arena", or "threads" with the value "8".
struct ShowPicture {
    QString name, value;
    bool operator==(const ShowPicture &) const = default;
};

/// What views, menus and lessons ask the window for. What the window does not do itself goes to the views that obey it.
using Request = std::variant<Command, TryFlag, MeasureSession, OpenFile, OpenSource, CompareSessions, OpenSample, PrintHandout, HideView,
                             ShowHelp, ShowLesson, ShowColours, ShowCompared, ShowPicture>;

/// Several functions as one, for std::visit.
template <class... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};

} // namespace views

Q_DECLARE_METATYPE(views::Request)
