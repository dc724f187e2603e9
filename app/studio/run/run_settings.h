#pragma once

#include <QHash>
#include <QString>
#include <QStringList>

namespace app {

/// Everything that the run bar sets for one run. Settings of a worker's environment: a change is a new worker.
struct RunSettings {
    QString device = "cpu";
    QString mode = "FAST_RUN";
    QString floatX = "float64";
    bool blocking = false; ///< --launch-blocking: CUDA_LAUNCH_BLOCKING=1
    bool allowGc = true;
    int threads = 0;      ///< that work together on large arrays; 0: as many as the machine has
    bool capture = false; ///< --capture: keep the values of some calls, for what runs them again
    int repeat = 1;       ///< times the script is run in the same session
    QStringList excluded; ///< rewrites or tags switched off
    QStringList always;   ///< flags that a file or a variable of the environment sets: they are always among the options, to win over that

    friend bool operator==(const RunSettings &, const RunSettings &) = default;
};

/// A flag that neither the bar nor Croton itself set.
struct GivenFlag {
    QString value;
    QString where; ///< "script", "THEANO_FLAGS", the path of a .theanorc
    bool isByScript() const { return where == QLatin1String("script"); }
};
using GivenFlags = QHash<QString, GivenFlag>; ///< by name

/// What a script sets itself, as far as its text says so without a condition: config.floatX = "float32", and THEANO_FLAGS in os.environ.
GivenFlags flagsSetIn(const QString &script);
/// Takes what files and variables set into the settings. What a script sets stays out of them: it wins over any setting.
RunSettings withGiven(RunSettings settings, const GivenFlags &given);
/// Sets what a Theano flag says ("floatX=float32", "optimizer_excluding=local_fill_sink"); false for one that the bar does not set.
bool applyFlag(RunSettings &settings, const QString &flag);
/// Options of `croton profile`: only what is not the default, in a fixed order.
QStringList optionsOf(const RunSettings &settings);
/// Arguments of the `croton` program for a script and the session to write.
QStringList profileArguments(const RunSettings &settings, const QString &script, const QString &session);
/// The exact line a person can paste into a shell to get the same run.
QString commandLine(const RunSettings &settings, const QString &script, const QString &session);
/// One word of a POSIX shell.
QString shellWord(const QString &word);

} // namespace app
