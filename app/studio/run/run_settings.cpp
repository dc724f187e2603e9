#include "app/studio/run/run_settings.h"

#include <QRegularExpression>

#include <algorithm>

namespace app {

GivenFlags flagsSetIn(const QString &script)
{
    GivenFlags given;
    static const QRegularExpression assignment(QStringLiteral(R"RX(^(?:theano\.)?config\.(\w+)\s*=\s*(["']?)([\w.]+)\2\s*(?:#.*)?$)RX"),
                                               QRegularExpression::MultilineOption);
    static const QRegularExpression environment(
        QStringLiteral(R"RX(^os\.environ\[["']THEANO_FLAGS["']\]\s*=\s*(["'])([^"'\n]*)\1\s*(?:#.*)?$)RX"),
        QRegularExpression::MultilineOption);
    for (auto each = environment.globalMatch(script); each.hasNext();)
        for (const QString &flag : each.next().captured(2).split(u',', Qt::SkipEmptyParts))
            given.insert(flag.section(u'=', 0, 0).trimmed(), {flag.section(u'=', 1).trimmed(), QStringLiteral("script")});
    for (auto each = assignment.globalMatch(script); each.hasNext();) {
        const QRegularExpressionMatch match = each.next();
        given.insert(match.captured(1), {match.captured(3), QStringLiteral("script")});
    }
    return given;
}

RunSettings withGiven(RunSettings settings, const GivenFlags &given)
{
    settings.always.clear();
    for (auto each = given.cbegin(); each != given.cend(); ++each)
        if (!each->isByScript() && applyFlag(settings, each.key() + '=' + each->value)) settings.always << each.key();
    settings.always.sort();
    return settings;
}

bool applyFlag(RunSettings &settings, const QString &flag)
{
    const QString name = flag.section(u'=', 0, 0), value = flag.section(u'=', 1);
    if (value.isEmpty()) return false;
    if (name == "floatX") settings.floatX = value;
    else if (name == "mode") settings.mode = value;
    else if (name == "device") settings.device = value;
    else if (name == "allow_gc") settings.allowGc = value == "True";
    else if (name == "threads") settings.threads = std::max(0, value.toInt());
    else if (name == "optimizer_excluding") {
        if (!settings.excluded.contains(value)) settings.excluded << value;
    } else return false;
    return true;
}

QStringList optionsOf(const RunSettings &settings)
{
    const RunSettings standard;
    const auto says = [&](const char *flag, bool differs) { return differs || settings.always.contains(QLatin1String(flag)); };
    QStringList options;
    if (says("device", settings.device != standard.device)) options << "--device" << settings.device;
    if (says("floatX", settings.floatX != standard.floatX)) options << "--floatX" << settings.floatX;
    if (says("mode", settings.mode != standard.mode)) options << "--mode" << settings.mode;
    QStringList flags;
    if (says("allow_gc", settings.allowGc != standard.allowGc))
        flags << QStringLiteral("allow_gc=") + (settings.allowGc ? "True" : "False");
    if (says("threads", settings.threads != standard.threads)) flags << QStringLiteral("threads=%1").arg(settings.threads);
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
