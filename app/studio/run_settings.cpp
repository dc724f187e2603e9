#include "app/studio/run_settings.h"

#include <QRegularExpression>

namespace app {

QString flagsOf(const RunSettings &settings) {
    const RunSettings standard;
    QStringList flags;
    if (settings.device != standard.device)
        flags << "device=" + settings.device;
    if (settings.mode != standard.mode)
        flags << "mode=" + settings.mode;
    if (settings.floatX != standard.floatX)
        flags << "floatX=" + settings.floatX;
    if (settings.allowGc != standard.allowGc)
        flags << QStringLiteral("allow_gc=") + (settings.allowGc ? "True" : "False");
    if (!settings.excluded.isEmpty())
        flags << "optimizer_excluding=" + settings.excluded.join(':');
    return flags.join(',');
}

QStringList profileArguments(const QString &script, const QString &session, const QStringList &scriptArguments) {
    return QStringList{"profile", script, "-o", session} + scriptArguments;
}

QProcessEnvironment environmentOf(const RunSettings &settings, QProcessEnvironment base) {
    const QString own = flagsOf(settings);
    QStringList flags;
    if (base.contains("CROTON_FLAGS"))
        flags << base.value("CROTON_FLAGS");
    if (!own.isEmpty())
        flags << own;
    if (!flags.isEmpty())
        base.insert("CROTON_FLAGS", flags.join(','));
    if (settings.blocking)
        base.insert("CUDA_LAUNCH_BLOCKING", "1");
    else
        base.remove("CUDA_LAUNCH_BLOCKING");
    return base;
}

QString shellWord(const QString &word) {
    static const QRegularExpression plain("^[A-Za-z0-9_@%+=:,./-]+$");
    if (plain.match(word).hasMatch())
        return word;
    return '\'' + QString(word).replace("'", "'\\''") + '\'';
}

QString commandLine(const RunSettings &settings, const QString &script, const QString &session) {
    QStringList words;
    if (settings.blocking)
        words << "CUDA_LAUNCH_BLOCKING=1";
    const QString flags = flagsOf(settings);
    if (!flags.isEmpty())
        words << "CROTON_FLAGS=" + shellWord(flags);
    words << "croton";
    for (const QString &argument : profileArguments(script, session))
        words << shellWord(argument);
    return words.join(' ');
}

} // namespace app
