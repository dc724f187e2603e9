// The programs that the studio starts: a script, an expression, the question for devices.
#include "app/studio/main_window.h"
#include "app/studio/run_bar.h"
#include "app/studio/welcome_page.h"
#include "views/common/child_process.h"
#include "views/common/controls.h"
#include "views/common/formats.h"
#include "views/common/panels.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace app {

using namespace views;

namespace {

constexpr int kExpressionLimitMs = 20000;

std::unique_ptr<QProcess> childProcess() {
    auto process = std::make_unique<QProcess>();
    process->setChildProcessModifier([studio = ::getpid()] { endWith(studio, SIGKILL); });
    return process;
}

} // namespace

void MainWindow::runScript() {
    if (m_script.isEmpty())
        return;
    m_lastError.clear();
    m_notice->clear();
    QString error;
    const QString session = Worker::newSessionPath(m_script);
    if (!m_worker.start(m_script, session, m_runBar->settings(), &error)) {
        showError(error);
        return;
    }
    m_runBar->setRunning(true);
    openSession(session, true);
    refreshStatus();
}

void MainWindow::openDocument(const QString &path) {
    const QString out = Worker::newSessionPath(path);
    const QString program = Worker::findProgram();
    if (program.isEmpty()) {
        showError(tr("A graph document is read by the program croton, which was not found beside the studio."));
        return;
    }
    m_expressionRun = childProcess();
    connect(m_expressionRun.get(), &QProcess::finished, this, [this, out](int code) {
        if (code == 0)
            openSession(out, false);
        else
            showError(QString::fromUtf8(m_expressionRun->readAllStandardError()).trimmed());
    });
    m_expressionRun->start(program, {"graph", path, "-o", out});
}

void MainWindow::workerEvent(const WorkerEvent &event) {
    if (event.kind == "error") {
        showError(event.text);
        return;
    }
    QString text = event.text;
    if (event.done >= 0 && event.total > 0)
        text += ' ' + tr("%1 of %2").arg(formats::count(static_cast<std::int64_t>(event.done)),
                                         formats::count(static_cast<std::int64_t>(event.total)));
    if (!text.isEmpty())
        m_statusText->setText(text);
}

void MainWindow::workerFinished(const QString &sentence, const QString &details) {
    m_runBar->setRunning(false);
    m_watcher.finishFollowing();
    if (!QFileInfo::exists(m_worker.session()))
        m_reading = false;
    if (!sentence.isEmpty())
        showError(sentence, details, sentence == Worker::exitSentence(QProcess::NormalExit, 0, 0, true));
    refreshStatus();
    refreshRunBar();
}

void MainWindow::runExpression(const QString &expression) {
    const QString program = Worker::findProgram();
    if (program.isEmpty()) {
        m_welcome->setExpressionResult(tr("The program croton was not found beside the studio."), false);
        return;
    }
    const QString out = Worker::newSessionPath(QStringLiteral("expression"));
    m_expressionRun = childProcess();
    connect(m_expressionRun.get(), &QProcess::finished, this, [this, out](int code, QProcess::ExitStatus status) {
        if (status == QProcess::NormalExit && code == 0 && QFileInfo::exists(out)) {
            m_file = out;
            m_script.clear();
            openSession(out, false);
            return;
        }
        const QString said = QString::fromUtf8(m_expressionRun->readAllStandardError()).trimmed();
        m_welcome->setExpressionResult(said.isEmpty() ? tr("The expression could not be compiled.") : said, false);
    });
    QTimer::singleShot(kExpressionLimitMs, m_expressionRun.get(), &QProcess::kill);
    m_expressionRun->start(program, {"expr", expression, "-o", out});
}

void MainWindow::probeDevices() {
    const QString program = Worker::findProgram();
    if (program.isEmpty())
        return;
    m_deviceProbe = childProcess();
    connect(m_deviceProbe.get(), &QProcess::finished, this, [this](int code) {
        if (code != 0)
            return;
        const QJsonDocument document = QJsonDocument::fromJson(m_deviceProbe->readAllStandardOutput());
        const QJsonArray list = document.isArray() ? document.array() : document.object()["devices"].toArray();
        std::vector<DeviceChoice> choices;
        std::vector<Capability> capabilities;
        for (const QJsonValue &value : list) {
            const QJsonObject device = value.toObject();
            const QString name = device["name"].toString();
            if (name.isEmpty())
                continue;
            const bool available = device["available"].toBool(true);
            const QString reason = device["reason"].toString();
            const QString what = device["description"].toString(name);
            choices.push_back({name, name == "cpu" ? tr("CPU") : name, available, reason});
            capabilities.push_back({available ? QStringLiteral("%1: %2").arg(name, what) : tr("%1: not here.").arg(name), available, reason});
        }
        if (!choices.empty()) {
            m_runBar->setDevices(choices);
            m_welcome->setCapabilities(capabilities);
        }
    });
    m_deviceProbe->start(program, {"devices", "--json"});
}

void MainWindow::showError(const QString &sentence, const QString &details, bool warning) {
    if (!warning)
        m_lastError = sentence;
    m_notice->show(warning ? NoticeStrip::Kind::Warning : NoticeStrip::Kind::Error, sentence, details);
    refreshStatus();
    if (!warning)
        Q_EMIT failed(sentence);
}

} // namespace app
