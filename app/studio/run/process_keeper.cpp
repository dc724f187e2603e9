#include "app/studio/run/process_keeper.h"

#include "app/studio/run/program.h"
#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/numbers.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QThread>
#include <QUrl>

#include <cstring>

namespace app {

namespace formats = views::formats;
using views::ChildEnd, views::ChildEvent, views::ChildProcess;

namespace {

constexpr int kExpressionLimitMs = 20000;
constexpr int kDevicesLimitMs = 60000; // drivers that start take seconds
constexpr int kDocumentLimitMs = 600000, kHandoutLimitMs = 600000;
constexpr int kMostElements = 8; // of an axis of a value that is shown

QString progressText(const ChildEvent &event)
{
    if (event.done < 0 || event.total <= 0) return event.text;
    return event.text + ' ' +
           ProcessKeeper::tr("%1 of %2")
               .arg(formats::count(static_cast<std::int64_t>(event.done)), formats::count(static_cast<std::int64_t>(event.total)));
}

/// Elements in the order of memory as nested brackets; what is long ends in dots.
QString bracketed(const QJsonArray &data, const QJsonArray &shape, int axis = 0, qsizetype first = 0)
{
    if (axis == shape.size()) {
        const QJsonValue value = data.at(first);
        return value.isDouble() ? QString::number(value.toDouble(), 'g', 6) : value.toVariant().toString();
    }
    qsizetype step = 1;
    for (int inner = axis + 1; inner < shape.size(); ++inner) step *= shape[inner].toInt();
    QStringList parts;
    const int length = shape[axis].toInt();
    for (int i = 0; i < std::min(length, kMostElements); ++i) parts << bracketed(data, shape, axis + 1, first + i * step);
    if (length > kMostElements) parts << QStringLiteral("…");
    return u'[' + parts.join(QStringLiteral(", ")) + u']';
}

QString valueText(const QJsonObject &value)
{
    const QJsonArray shape = value["shape"].toArray();
    QStringList words{value["dtype"].toString()};
    for (const QJsonValue &size : shape) words << (words.size() > 1 ? QStringLiteral("× %1") : QStringLiteral("%1")).arg(size.toInt());
    return QStringLiteral("%1  (%2)").arg(bracketed(value["data"].toArray(), shape), words.join(u' '));
}

/// "x = [1, 2] (float64 2), random", then what came out.
QString valuesText(const QJsonObject &answer)
{
    QStringList lines;
    for (const QJsonValue &each : answer["inputs"].toArray()) {
        const QJsonObject input = each.toObject();
        const QString line = QStringLiteral("%1 = %2").arg(input["name"].toString(), valueText(input["value"].toObject()));
        lines << (input["random"].toBool() ? ProcessKeeper::tr("%1, random").arg(line) : line);
    }
    for (const QJsonValue &each : answer["values"].toArray()) lines << QStringLiteral("→ ") + valueText(each.toObject());
    return lines.join(u'\n');
}

QString commandOf(const ChildProcess &process)
{
    QStringList words{shellWord(process.program())};
    for (const QString &word : process.arguments()) words << shellWord(word);
    return words.join(u' ');
}

/// What went wrong with a program, in a sentence; empty: nothing did.
QString failureOf(const ChildProcess &process, const ChildEnd &end, int limitMs)
{
    if (end.isGood()) return {};
    const QString name = QFileInfo(process.program()).fileName();
    switch (end.kind) {
    case ChildEnd::Kind::NotStarted: return Program::whyNotStarted(process.program(), end.reason);
    case ChildEnd::Kind::TookTooLong:
        return ProcessKeeper::tr("%1 gave no answer within %2 and was ended. Run this in a terminal to see more: %3")
            .arg(name, formats::elapsed(limitMs / 1000.0), commandOf(process));
    case ChildEnd::Kind::Crashed:
        return ProcessKeeper::tr("%1 crashed (%2). Run this in a terminal to see more: %3")
            .arg(name, QString::fromLatin1(strsignal(end.code)), commandOf(process));
    case ChildEnd::Kind::Exited: break;
    }
    const QString said = QString::fromUtf8(process.errors()).trimmed();
    if (!said.isEmpty()) return said;
    return ProcessKeeper::tr("%1 ended with status %2 and gave no reason. Run this in a terminal to see more: %3")
        .arg(name, QString::number(end.code), commandOf(process));
}

void removeSession(const QString &path)
{
    for (const char *part : {"", "-wal", "-shm"}) QFile::remove(path + QLatin1String(part));
}

} // namespace

ProcessKeeper::ProcessKeeper(QObject *parent) : QObject(parent)
{
    connect(&m_worker, &Worker::event, this, [this](const ChildEvent &event) {
        if (event.kind == "warning") Q_EMIT failed(event.text, {}, true);
        if (event.kind != "progress" && event.kind != "state") return; // the end tells of errors
        if (const QString text = progressText(event); !text.isEmpty())
            Q_EMIT progressed(text, event.total > 0 ? event.done / event.total : -1);
    });
    connect(&m_worker, &Worker::finished, this, [this](const RunEnd &end) { Q_EMIT runEnded(end, QFileInfo::exists(m_worker.session())); });
}

bool ProcessKeeper::run(const QString &script, const RunSettings &settings)
{
    QString error;
    const QString session = Worker::newSessionPath(script);
    if (!m_worker.start(script, session, settings, &error)) {
        Q_EMIT failed(error, {}, false);
        return false;
    }
    Q_EMIT sessionMade(session, true);
    return true;
}

void ProcessKeeper::runInBackground(const QString &script, const RunSettings &settings)
{
    discardBackgroundRun();
    m_background = std::make_unique<Worker>();
    connect(m_background.get(), &Worker::finished, this, [this](const RunEnd &end) {
        const QString session = m_background->session();
        const bool good = (end.kind == RunEnd::Kind::Good || end.kind == RunEnd::Kind::Warned) && QFileInfo::exists(session);
        if (!good) removeSession(session);
        m_background.release()->deleteLater(); // it is the one who tells
        if (good) Q_EMIT backgroundRunFinished(session);
        else Q_EMIT backgroundRunFailed(end.sentence);
    });
    QString error;
    if (m_background->start(script, Worker::newSessionPath(script), settings, &error)) return;
    m_background.reset();
    Q_EMIT backgroundRunFailed(error);
}

void ProcessKeeper::discardBackgroundRun()
{
    if (!m_background) return;
    Worker *ending = m_background.release();
    ending->disconnect(this);
    ending->setParent(this); // for the case that the window closes first
    connect(ending, &Worker::finished, this, [ending] {
        removeSession(ending->session());
        ending->deleteLater();
    });
    ending->kill();
    removeSession(ending->session());
}

void ProcessKeeper::printHandout(const QString &lesson, const QString &out, bool withAnswers)
{
    QStringList arguments{"--handout", out, "--lesson", lesson};
    if (withAnswers) arguments << "--with-answers";
    start(m_printer, QCoreApplication::applicationFilePath(), arguments, kHandoutLimitMs, [this, out](const QString &failure) {
        if (failure.isEmpty()) Q_EMIT handoutWritten(out);
        else Q_EMIT failed(failure, {}, false);
    });
}

void ProcessKeeper::start(ChildProcess &process, const QStringList &arguments, int limitMs, Then then)
{
    const QString program = Program::instance().path();
    if (program.isEmpty()) return then(Program::instance().whyNot());
    start(process, program, arguments, limitMs, std::move(then));
}

void ProcessKeeper::start(ChildProcess &process, const QString &program, const QStringList &arguments, int limitMs, Then then)
{
    if (m_limitMs > 0) limitMs = m_limitMs;
    process.disconnect(this); // the end of a replaced process is ignored
    connect(&process, &ChildProcess::ended, this,
            [&process, limitMs, then = std::move(then)](const ChildEnd &end) { then(failureOf(process, end, limitMs)); });
    process.start({.program = program, .arguments = arguments, .limitMs = limitMs});
}

void ProcessKeeper::importDocument(const QString &path)
{
    const QString out = Worker::newSessionPath(path);
    start(m_maker, {"graph", path, "-o", out}, kDocumentLimitMs, [this, out](const QString &failure) {
        if (failure.isEmpty()) Q_EMIT sessionMade(out, false);
        else Q_EMIT failed(failure, {}, false);
    });
}

void ProcessKeeper::compileExpression(const QString &text)
{
    const QString out = Worker::newSessionPath(QStringLiteral("expression"));
    start(m_maker, {"expr", text, "-o", out}, kExpressionLimitMs, [this, out](const QString &failure) {
        if (!failure.isEmpty()) Q_EMIT expressionFailed(failure);
        else if (QFileInfo::exists(out)) Q_EMIT sessionMade(out, false);
        else Q_EMIT expressionFailed(tr("The expression could not be compiled."));
    });
}

void ProcessKeeper::evaluateExpression(const QString &text, const QString &values)
{
    QStringList arguments{"expr", text, "--json"};
    if (!values.isEmpty()) arguments << "--values" << values;
    start(m_maker, arguments, kExpressionLimitMs, [this](const QString &failure) {
        if (failure.isEmpty()) Q_EMIT expressionEvaluated(valuesText(QJsonDocument::fromJson(m_maker.output()).object()));
        else Q_EMIT expressionFailed(failure);
    });
}

bool ProcessKeeper::openEditor(const QString &command, const QString &file, int line, QString *error)
{
    if (command.isEmpty()) {
        if (QDesktopServices::openUrl(QUrl::fromLocalFile(file))) return true;
        *error = tr("The desktop has no program for %1: choose an editor in Edit ▸ Settings.").arg(file);
        return false;
    }
    QStringList words = QProcess::splitCommand(command);
    if (!command.contains(QLatin1String("%f"))) words << QStringLiteral("%f");
    for (QString &word : words) word.replace(QLatin1String("%l"), QString::number(line)).replace(QLatin1String("%f"), file);
    const QString program = words.takeFirst();
    if (QProcess::startDetached(program, words)) return true;
    *error = tr("The editor %1 could not be started: choose another in Edit ▸ Settings.").arg(program);
    return false;
}

void ProcessKeeper::probeDevices()
{
    start(m_probe, {"devices", "--json"}, kDevicesLimitMs, [this](const QString &failure) {
        if (failure.isEmpty()) readDevices();
        else setDevicesUnknown(failure);
    });
}

Capability ProcessKeeper::cpu()
{
    return {tr("CPU, %1").arg(formats::counted(QThread::idealThreadCount(), formats::Thing::Thread)), true, {}};
}

void ProcessKeeper::setDevicesUnknown(const QString &reason)
{
    Q_EMIT devicesFound({{QStringLiteral("cpu"), tr("CPU"), true, {}}}, {cpu(), {tr("Other devices: not known."), false, reason}});
}

void ProcessKeeper::readDevices()
{
    const QJsonDocument document = QJsonDocument::fromJson(m_probe.output());
    const QJsonArray list = document.isArray() ? document.array() : document.object()["devices"].toArray();
    std::vector<DeviceChoice> choices;
    std::vector<Capability> capabilities;
    for (const QJsonValue &value : list) {
        const QJsonObject device = value.toObject();
        const QString name = device["name"].toString();
        if (name.isEmpty()) continue;
        const bool available = device["available"].toBool(true);
        const QString reason = device["reason"].toString();
        const QString what = formats::withOurSizes(device["description"].toString(name));
        choices.push_back({name, name == "cpu" ? tr("CPU") : name, available, reason});
        capabilities.push_back({available ? QStringLiteral("%1: %2").arg(name, what) : tr("%1: not here.").arg(name), available, reason});
    }
    for (const QJsonValue &value : document.object()["parts"].toArray())
        if (const QJsonObject part = value.toObject(); !part["available"].toBool(true))
            m_lacking.insert(part["name"].toString(), part["reason"].toString());
    if (choices.empty()) setDevicesUnknown(tr("The answer of “croton devices” has no device. Install or build Croton again."));
    else Q_EMIT devicesFound(choices, capabilities);
}

} // namespace app
