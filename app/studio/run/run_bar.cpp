#include "app/studio/run/run_bar.h"

#include "profiler/session/model/device_kind.h"
#include "views/common/controls.h"
#include "views/common/icons.h"
#include "views/common/tips.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>
#include <QStandardItemModel>
#include <QThread>
#include <QToolTip>

namespace app {

using namespace views;

namespace {

constexpr int kShortestCommand = 120; // of the command line that is worth its place

constexpr int kByScriptRole = Qt::UserRole + 1; // of an item: the script sets it

void choose(LabeledCombo *combo, const QVariant &value, const QString &text)
{
    int index = combo->findData(value);
    if (index < 0) {
        combo->addItem(text, value);
        index = combo->count() - 1;
    }
    combo->setCurrentIndex(index);
}

} // namespace

RunBar::RunBar(QWidget *parent) : QWidget(parent)
{
    setSurface(this, "panel");
    const Theme &theme = Theme::current();
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(theme.px(10), 0, theme.px(10), 1);
    layout->setSpacing(theme.px(8));
    m_back = iconButton(QStringLiteral("back"), tr("Back (Alt+←)"));
    m_forward = iconButton(QStringLiteral("forward"), tr("Forward (Alt+→)"));
    m_workspaces = new SegmentedSwitch;
    m_workspaces->setAccessibleName(tr("Workspace"));
    m_run = new QPushButton(tr("Run"));
    makePrimary(m_run);
    m_device = new LabeledCombo(tr("Device"));
    m_mode = new LabeledCombo(tr("Mode"));
    m_floatX = new LabeledCombo(tr("floatX"));
    for (const char *mode : {"FAST_RUN", "FAST_COMPILE", "DebugMode", "NanGuardMode"}) m_mode->addItem(mode, mode);
    for (const char *type : {"float64", "float32"}) m_floatX->addItem(type, type);
    m_blocking = new QCheckBox(tr("Blocking"));
    m_allowGc = new QCheckBox(tr("allow_gc"));
    m_rewrites = new QPushButton(tr("Rewrites"));
    m_rewrites->setToolTip(tr("Switch rewrites off for the next run"));
    m_rewrites->setObjectName(QStringLiteral("rewrites"));
    m_threads = new LabeledCombo(tr("Threads"));
    m_threads->setProperty("tip", tr("Threads that work together on large arrays (config.threads)"));
    m_threads->addItem(tr("all"), 0);
    for (int count = 1; count <= std::max(8, QThread::idealThreadCount()); count *= 2) m_threads->addItem(QString::number(count), count);
    m_repeat = new LabeledCombo(tr("Repeat"));
    m_repeat->setToolTip(tr("How often the script is run in one session"));
    for (int count : {1, 2, 3, 5, 10}) m_repeat->addItem(QStringLiteral("%1 ×").arg(count), count);
    m_more = iconButton(QStringLiteral("more"), tr("More settings of the run"));
    m_more->setPopupMode(QToolButton::InstantPopup);
    m_more->setMenu(new QMenu(m_more));
    m_command = new ElidedLabel(QString(), FontRole::Mono, "secondary");
    m_command->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_command->setAccessibleName(tr("Command line of this run"));
    m_copy = iconButton(QStringLiteral("copy"), tr("Copy the command line"));

    layout->addWidget(m_back);
    layout->addWidget(m_forward);
    layout->addSpacing(theme.px(2));
    layout->addWidget(m_workspaces);
    layout->addSpacing(theme.px(2));
    auto *line = new Hairline(Qt::Vertical);
    line->setFixedHeight(theme.px(24));
    layout->addWidget(line);
    layout->addSpacing(theme.px(2));
    for (QWidget *widget : {static_cast<QWidget *>(m_run), static_cast<QWidget *>(m_device), static_cast<QWidget *>(m_mode),
                            static_cast<QWidget *>(m_floatX), static_cast<QWidget *>(m_blocking), static_cast<QWidget *>(m_allowGc),
                            static_cast<QWidget *>(m_rewrites), static_cast<QWidget *>(m_threads), static_cast<QWidget *>(m_repeat)})
        layout->addWidget(widget);
    layout->addWidget(m_more);
    m_run->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    m_rewrites->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    layout->addWidget(m_command, 100);
    layout->addStretch(1);
    layout->addWidget(m_copy);

    connect(m_back, &QToolButton::clicked, this, &RunBar::backRequested);
    connect(m_forward, &QToolButton::clicked, this, &RunBar::forwardRequested);
    connect(m_workspaces, &SegmentedSwitch::currentChanged, this, &RunBar::workspaceChanged);
    connect(m_run, &QPushButton::clicked, this, [this] {
        if (m_running) Q_EMIT stopRequested();
        else Q_EMIT runRequested();
    });
    const auto tellIfInVain = [](LabeledCombo *combo) { // the script's value is back in the box
        if (combo->currentData(kByScriptRole).toBool())
            QToolTip::showText(combo->mapToGlobal(QPoint(0, combo->height())), combo->toolTip(), combo);
    };
    auto comboEdits = [this, tellIfInVain](LabeledCombo *combo, QString RunSettings::*field) {
        connect(combo, &QComboBox::activated, this, [this, combo, field, tellIfInVain] {
            if (!combo->currentData(kByScriptRole).toBool()) m_settings.*field = combo->currentData().toString();
            refresh();
            tellIfInVain(combo);
            Q_EMIT settingsChanged(m_settings);
        });
    };
    comboEdits(m_device, &RunSettings::device);
    comboEdits(m_mode, &RunSettings::mode);
    comboEdits(m_floatX, &RunSettings::floatX);
    auto numberEdits = [this, tellIfInVain](LabeledCombo *combo, int RunSettings::*field) {
        connect(combo, &QComboBox::activated, this, [this, combo, field, tellIfInVain] {
            if (!combo->currentData(kByScriptRole).toBool()) m_settings.*field = combo->currentData().toInt();
            refresh();
            tellIfInVain(combo);
            Q_EMIT settingsChanged(m_settings);
        });
    };
    numberEdits(m_threads, &RunSettings::threads);
    numberEdits(m_repeat, &RunSettings::repeat);
    auto boxEdits = [this](QCheckBox *box, bool RunSettings::*field) {
        connect(box, &QCheckBox::toggled, this, [this, field](bool on) {
            if (m_refreshing) return;
            m_settings.*field = on;
            Q_EMIT settingsChanged(m_settings);
        });
    };
    boxEdits(m_blocking, &RunSettings::blocking);
    boxEdits(m_allowGc, &RunSettings::allowGc);
    connect(m_copy, &QToolButton::clicked, this, [this] {
        QApplication::clipboard()->setText(m_commandLine);
        QToolTip::showText(m_copy->mapToGlobal(QPoint(0, m_copy->height())), tr("Copied"), m_copy);
    });
    connect(m_more->menu(), &QMenu::aboutToShow, this, &RunBar::fillMore);
    connect(m_rewrites, &QPushButton::clicked, this, &RunBar::editRewrites);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &RunBar::refresh);
    setDevices({{QStringLiteral("cpu"), tr("CPU"), true, {}}});
    setRewrites({});
    setHistory(false, false);
    refresh();
}

void RunBar::paintEvent(QPaintEvent *event)
{
    QWidget::paintEvent(event);
    QPainter painter(this);
    painter.fillRect(rect(), Theme::current().color(Color::Panel));
    painter.fillRect(QRect(0, height() - 1, width(), 1), Theme::current().color(Color::Border));
    if (m_running && m_progress > 0)
        painter.fillRect(QRectF(0, height() - 2, width() * std::min(m_progress, 1.0), 2), Theme::current().color(Color::Accent));
}

void RunBar::setSettings(const RunSettings &settings)
{
    m_settings = settings;
    refresh();
}

void RunBar::setGiven(const GivenFlags &given)
{
    m_given = given;
    m_settings = withGiven(m_settings, given);
    refresh();
}

const GivenFlag *RunBar::byScript(const QString &flag) const
{
    const auto found = m_given.constFind(flag);
    return found == m_given.cend() || !found->isByScript() ? nullptr : &*found;
}

QString RunBar::tipOfScript(const QString &flag) const
{
    return tr("The script sets %1 itself: what is chosen here does not change it").arg(flag);
}

void RunBar::showValue(LabeledCombo *combo, const QString &flag, const QVariant &value, const QString &text)
{
    if (const int shown = combo->findData(true, kByScriptRole); shown >= 0) combo->removeItem(shown);
    const GivenFlag *given = byScript(flag);
    const auto source = m_given.constFind(flag);
    if (!given) {
        choose(combo, value, text);
        combo->setToolTip(source == m_given.cend() ? combo->property("tip").toString()
                                                   : tipText(tr("%1 is set in %2").arg(flag, source->where)));
        return;
    }
    combo->addItem(tr("%1 (script)").arg(given->value), given->value);
    combo->setItemData(combo->count() - 1, true, kByScriptRole);
    combo->setCurrentIndex(combo->count() - 1);
    combo->setToolTip(tipText(tipOfScript(flag)));
}

void RunBar::setWorkspaces(const std::vector<WorkspaceChoice> &workspaces)
{
    for (const WorkspaceChoice &each : workspaces) {
        m_workspaces->addChoice(each.id, each.title, each.icon);
        if (!each.missing.isEmpty()) m_workspaces->setChoiceEnabled(each.id, false, each.missing);
    }
}

void RunBar::setDevices(const std::vector<DeviceChoice> &devices)
{
    m_device->clear();
    auto *model = qobject_cast<QStandardItemModel *>(m_device->model());
    for (const DeviceChoice &device : devices) {
        m_device->addItem(device.title, device.name);
        QStandardItem *item = model->item(m_device->count() - 1);
        item->setEnabled(device.available);
        item->setToolTip(device.available ? QString() : device.reason);
    }
    refresh();
}

void RunBar::setRewrites(std::vector<RewriteChoice> rewrites) { m_choices = std::move(rewrites); }

void RunBar::editRewrites()
{
    RewritesDialog dialog(m_choices, m_settings.excluded, this);
    connect(&dialog, &RewritesDialog::excludedChanged, this, [this](const QStringList &excluded) {
        m_settings.excluded = excluded;
        refresh();
        Q_EMIT settingsChanged(m_settings);
    });
    dialog.exec();
}

void RunBar::setProgress(double share)
{
    m_progress = share;
    update();
}

void RunBar::setScript(const QString &script, const QString &reason)
{
    m_hasScript = !script.isEmpty();
    m_noScriptReason = reason;
    refresh();
}

void RunBar::setCommandLine(const QString &line)
{
    m_commandLine = line;
    m_command->setText(line);
    m_command->setToolTip(tipText(line));
    m_copy->setEnabled(!line.isEmpty());
}

QString RunBar::commandLine() const { return m_commandLine; }

void RunBar::setRunning(bool running)
{
    m_running = running;
    m_progress = -1;
    refresh();
}

void RunBar::setHistory(bool canGoBack, bool canGoForward)
{
    m_back->setEnabled(canGoBack);
    m_forward->setEnabled(canGoForward);
}

void RunBar::setWorkspace(const QString &workspace) { m_workspaces->setCurrent(workspace); }
QString RunBar::workspace() const { return m_workspaces->current(); }

void RunBar::refresh()
{
    m_refreshing = true;
    const Theme &theme = Theme::current();
    setFixedHeight(theme.size(Size::RunBar));
    // A thin space: the style sets icon and text closer than the grid.
    m_run->setText(QChar(0x2009) + (m_running ? tr("Stop") : tr("Run")));
    m_run->setIcon(coloredIcon(m_running ? QStringLiteral("stop") : QStringLiteral("run"), theme.color(Color::TextOnAccent)));
    m_run->setEnabled(m_running || m_hasScript);
    m_run->setToolTip(m_running     ? tr("Stop the worker; what was recorded stays")
                      : m_hasScript ? tr("Run the script in a worker (Ctrl+R)")
                                    : m_noScriptReason);
    m_rewrites->setIcon(themedIcon(QStringLiteral("rewrites")));
    m_rewrites->setText(QChar(0x2009) +
                        (m_settings.excluded.isEmpty() ? tr("Rewrites") : tr("Rewrites −%1").arg(m_settings.excluded.size())));
    choose(m_device, m_settings.device, m_settings.device);
    showValue(m_mode, QStringLiteral("mode"), m_settings.mode, m_settings.mode);
    showValue(m_floatX, QStringLiteral("floatX"), m_settings.floatX, m_settings.floatX);
    showValue(m_threads, QStringLiteral("threads"), m_settings.threads, QString::number(m_settings.threads));
    choose(m_repeat, m_settings.repeat, QStringLiteral("%1 ×").arg(m_settings.repeat));
    std::vector<std::string> there;
    for (int i = 0; i < m_device->count(); ++i)
        if (m_device->model()->flags(m_device->model()->index(i, 0)) & Qt::ItemIsEnabled)
            there.push_back(m_device->itemData(i).toString().toStdString());
    const bool blocks = profiler::kindOfDevice(m_settings.device.toStdString(), there) == profiler::DeviceKind::Cuda;
    m_blocking->setEnabled(blocks);
    m_blocking->setToolTip(blocks ? tr("CUDA_LAUNCH_BLOCKING=1: the host waits for every kernel") : tr("Only a CUDA device can block"));
    m_blocking->setChecked(m_settings.blocking);
    const GivenFlag *collects = byScript(QStringLiteral("allow_gc"));
    m_allowGc->setText(collects ? tr("allow_gc (script)") : tr("allow_gc"));
    m_allowGc->setChecked(collects ? collects->value == QLatin1String("True") : m_settings.allowGc);
    m_allowGc->setEnabled(!collects);
    m_allowGc->setToolTip(collects ? tipOfScript(QStringLiteral("allow_gc"))
                                   : tr("Free values between the calls of a function (config.allow_gc)"));
    m_refreshing = false;
    arrange();
}

// What finds no room goes into the menu, the least asked for first.
void RunBar::arrange()
{
    const std::vector<QWidget *> inOrder{m_repeat, m_threads, m_allowGc, m_floatX, m_blocking, m_rewrites, m_mode, m_device};
    const auto widthOf = [this](const QWidget *widget) { return widget->sizeHint().width() + layout()->spacing(); };
    const Theme &theme = Theme::current();
    int needed = theme.px(48); // margins, the line between, and some air
    for (const QWidget *widget : {static_cast<QWidget *>(m_back), static_cast<QWidget *>(m_forward), static_cast<QWidget *>(m_workspaces),
                                  static_cast<QWidget *>(m_run), static_cast<QWidget *>(m_more)})
        needed += widthOf(widget);
    for (const QWidget *widget : inOrder) needed += widthOf(widget);
    const int line = theme.px(kShortestCommand) + widthOf(m_copy);
    const bool whole = needed + line - widthOf(m_more) <= width();
    m_command->setVisible(whole);
    m_copy->setVisible(whole);
    m_more->setVisible(!whole);
    for (QWidget *widget : inOrder) {
        const bool fits = needed <= width();
        widget->setVisible(fits);
        if (!fits) needed -= widthOf(widget);
    }
}

void RunBar::fillMore()
{
    QMenu *menu = m_more->menu();
    menu->clear();
    const auto choices = [this, menu](LabeledCombo *combo, auto RunSettings::*field) {
        if (!combo->isHidden()) return;
        QMenu *sub = menu->addMenu(combo->label());
        const auto *model = qobject_cast<QStandardItemModel *>(combo->model());
        for (int i = 0; i < combo->count(); ++i) {
            const auto value = combo->itemData(i).value<std::decay_t<decltype(m_settings.*field)>>();
            QAction *action = sub->addAction(combo->itemText(i));
            action->setCheckable(true);
            const bool isByScript = combo->itemData(i, kByScriptRole).toBool();
            action->setChecked(isByScript || (value == m_settings.*field && !combo->currentData(kByScriptRole).toBool()));
            action->setEnabled(!isByScript && (!model || model->item(i)->isEnabled()));
            connect(action, &QAction::triggered, this, [this, value, field] {
                m_settings.*field = value;
                refresh();
                Q_EMIT settingsChanged(m_settings);
            });
        }
    };
    choices(m_device, &RunSettings::device);
    choices(m_mode, &RunSettings::mode);
    choices(m_floatX, &RunSettings::floatX);
    choices(m_threads, &RunSettings::threads);
    choices(m_repeat, &RunSettings::repeat);
    menu->addSeparator();
    for (QCheckBox *box : {m_blocking, m_allowGc}) {
        if (!box->isHidden()) continue;
        QAction *action = menu->addAction(box->text());
        action->setCheckable(true);
        action->setChecked(box->isChecked());
        action->setEnabled(box->isEnabled());
        action->setToolTip(box->toolTip());
        connect(action, &QAction::toggled, box, &QCheckBox::setChecked);
    }
    if (m_rewrites->isHidden()) menu->addAction(tr("Rewrites…"), this, &RunBar::editRewrites);
    menu->addSeparator();
    menu->addAction(themedIcon(QStringLiteral("copy")), tr("Copy the command line"), m_copy, &QToolButton::click);
}

void RunBar::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    arrange();
}

} // namespace app
