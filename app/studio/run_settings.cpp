#include "app/studio/run_settings.h"

#include <QRegularExpression>

namespace app {

bool applyFlag(RunSettings &settings, const QString &flag)
{
    const QString name = flag.section(u'=', 0, 0), value = flag.section(u'=', 1);
    if (value.isEmpty()) return false;
    if (name == "floatX") settings.floatX = value;
    else if (name == "mode") settings.mode = value;
    else if (name == "device") settings.device = value;
    else if (name == "allow_gc") settings.allowGc = value == "True";
    else if (name == "optimizer_excluding") {
        if (!settings.excluded.contains(value)) settings.excluded << value;
    } else return false;
    return true;
}

QStringList optionsOf(const RunSettings &settings)
{
    const RunSettings standard;
    QStringList options;
    if (settings.device != standard.device) options << "--device" << settings.device;
    if (settings.floatX != standard.floatX) options << "--floatX" << settings.floatX;
    if (settings.mode != standard.mode) options << "--mode" << settings.mode;
    QStringList flags;
    if (settings.allowGc != standard.allowGc) flags << QStringLiteral("allow_gc=") + (settings.allowGc ? "True" : "False");
    if (settings.threads != standard.threads) flags << QStringLiteral("threads=%1").arg(settings.threads);
    if (!settings.excluded.isEmpty()) flags << "optimizer_excluding=" + settings.excluded.join(':');
    if (!flags.isEmpty()) options << "--flags" << flags.join(',');
    if (settings.repeat != standard.repeat) options << "--repeat" << QString::number(settings.repeat);
    if (settings.capture) options << "--capture";
    if (settings.blocking) options << "--launch-blocking";
    return options;
}

QStringList profileArguments(const RunSettings &settings, const QString &script, const QString &session)
{
    return QStringList{"profile", script, "-o", session} + optionsOf(settings);
}

QString shellWord(const QString &word)
{
    static const QRegularExpression plain("^[A-Za-z0-9_@%+=:,./-]+$");
    if (plain.match(word).hasMatch()) return word;
    return '\'' + QString(word).replace("'", "'\\''") + '\'';
}

QString commandLine(const RunSettings &settings, const QString &script, const QString &session)
{
    QStringList words{"croton"};
    for (const QString &argument : profileArguments(settings, script, session)) words << shellWord(argument);
    return words.join(' ');
}

} // namespace app
