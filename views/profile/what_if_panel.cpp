#include "views/profile/what_if_panel.h"

#include "profiler/stats/times/profile_parts.h"
#include "views/common/controls.h"
#include "views/common/formats.h"
#include "views/common/measure_strip.h"
#include "views/common/measuring.h"
#include "views/common/node_title.h"
#include "views/common/numbers.h"
#include "views/common/selection_hub.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/profile/roof_picture.h"
#include "views/profile/what_if_slider.h"
#include "views/session/tried.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QHBoxLayout>
#include <QPushButton>
#include <QStandardItemModel>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace views {
namespace {

constexpr std::size_t kOffered = 4;
constexpr double kWorthOffering = 0.01; // of a call
constexpr int kSteps = 20;              // from as now to the roof

} // namespace

Headrooms::Headrooms(const SessionData &session)
{
    const profiler::ProfileParts parts(session.profile);
    for (const profiler::FunctionInfo &function : session.functions)
        if (function.run.calls > 0) functions.emplace(function.id, profiler::makeHeadroom(parts.of(function.id), function.id));
}

WhatIfPanel::WhatIfPanel(SelectionHub &hub, std::shared_ptr<const SessionData> session, const profiler::Headroom &room, bool canRun,
                         QWidget *parent)
    : QWidget(parent), m_hub(hub), m_session(std::move(session)), m_room(room), m_canRun(canRun)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(Theme::current().px(6));
    addPicture(layout);
    addChoices(layout);
    addAnswer(layout);
    connect(&Measuring::of(hub), &Measuring::changed, this, [this] {
        offerDevices();
        refresh();
    });
    refresh();
}

void WhatIfPanel::addPicture(QVBoxLayout *layout)
{
    const Theme &theme = Theme::current();
    auto *head = new QHBoxLayout;
    head->setSpacing(theme.px(4));
    auto *title = new TextLabel(tr("How fast could it be?"), FontRole::BodyStrong);
    title->setWordWrap(true);
    head->addWidget(title, 1, Qt::AlignTop);
    QToolButton *copy = iconButton(QStringLiteral("copy"), tr("Copy the picture's numbers as text"));
    copy->setFixedSize(theme.size(Size::ControlCompact), theme.size(Size::ControlCompact));
    head->addWidget(copy);
    layout->addLayout(head);
    const QString headline =
        m_room.isBounded() && m_room.isMostlyUnknown()
            ? tr("A call takes %1. %2 of the time has no known bound (%3).")
                  .arg(formats::timeNs(m_room.nowNs), formats::percent(m_room.unknownNs / m_room.nowNs),
                       QString::fromStdString(m_room.unknownOps))
        : m_room.isBounded()
            ? tr("A call takes %1. At the roofs of this machine it would take %2: at most %3 times as fast.")
                  .arg(formats::timeNs(m_room.nowNs), formats::timeNs(m_room.leastNs), formats::number(m_room.atMost(), 'f', 1))
            : tr("A call takes %1. How fast it could be is not known: there is no roof for any of it.").arg(formats::timeNs(m_room.nowNs));
    m_headline = new TextLabel(headline, FontRole::Body, "secondary");
    m_headline->setWordWrap(true);
    layout->addWidget(m_headline);
    m_picture = new RoofPicture(m_room);
    layout->addWidget(m_picture);
    m_picture->setVisible(m_room.isBounded());
    copy->setVisible(m_room.isBounded());
    connect(copy, &QToolButton::clicked, this, [this] { QApplication::clipboard()->setText(m_picture->asText()); });
    connect(m_picture, &RoofPicture::applyClicked, this, [this](qint64 apply) { m_hub.selectApply(apply); });
    for (const std::string &device : m_room.unmeasured) {
        auto *label = new TextLabel(tr("No roofs were measured of %1: its applies count as they are.").arg(QString::fromStdString(device)),
                                    FontRole::Caption, "muted");
        label->setWordWrap(true);
        layout->addWidget(label);
    }
}

void WhatIfPanel::addChoices(QVBoxLayout *layout)
{
    layout->addWidget(new TextLabel(tr("What if"), FontRole::BodyStrong));
    for (const profiler::ApplyRoof &row : m_room.applies) {
        if (m_offered.size() == kOffered || row.gainNs() < kWorthOffering * m_room.nowNs) break;
        m_offered.push_back(row.what.apply);
        const QString name = friendlyName(text(row.what.name)); // as in the picture
        auto *slider = new WhatIfSlider(name, std::ranges::count(m_ops, name, &WhatIfSlider::title), kSteps);
        slider->setToolTip(tr("%1: %2 a call now, %3 at its roof")
                               .arg(text(row.what.label).left(120), formats::timeNs(row.nowNs), formats::timeNs(row.leastNs)));
        connect(slider, &WhatIfSlider::moved, this, &WhatIfPanel::refresh);
        layout->addWidget(slider);
        m_ops.push_back(slider);
    }
    addTransfers(layout);
    addThreads(layout);
    addDevices(layout);
}

void WhatIfPanel::addTransfers(QVBoxLayout *layout)
{
    std::vector<const profiler::ApplyRoof *> copies;
    for (const profiler::ApplyRoof &row : m_room.applies)
        if (row.isTransfer) copies.push_back(&row);
    std::ranges::stable_sort(copies, std::greater<>(), &profiler::ApplyRoof::nowNs);
    const auto offer = [&](const QString &text, const QString &tip, std::vector<profiler::ApplyKey> keys) {
        auto *box = new QCheckBox(text);
        box->setToolTip(tip);
        layout->addWidget(box);
        connect(box, &QCheckBox::toggled, this, &WhatIfPanel::refresh);
        m_transfers.push_back(box);
        m_copies.push_back(std::move(keys));
    };
    std::vector<profiler::ApplyKey> others;
    for (const profiler::ApplyRoof *row : copies) {
        if (m_transfers.size() == kOffered) {
            others.push_back(row->what.apply);
            continue;
        }
        const QString size = formats::bytes(row->copiedBytes);
        offer(row->isToDevice ? tr("Without copying %1 to the device").arg(size) : tr("Without copying %1 back").arg(size),
              tr("%1: %2 a call now").arg(text(row->what.label).left(120), formats::timeNs(row->nowNs)), {row->what.apply});
    }
    if (!others.empty())
        offer(others.size() == 1 ? tr("Without the other copy") : tr("Without the other %1 copies").arg(others.size()),
              tr("As if nothing else had to be copied to a device or back"), others);
}

void WhatIfPanel::addThreads(QVBoxLayout *layout)
{
    for (int count = 1; count <= std::max(16, 2 * m_room.threads); count *= 2) m_counts.push_back(count);
    m_counts.push_back(m_room.threads);
    std::ranges::sort(m_counts);
    m_counts.erase(std::unique(m_counts.begin(), m_counts.end()), m_counts.end());
    m_threads = new WhatIfSlider(tr("Threads"), 0, static_cast<int>(m_counts.size()) - 1);
    m_threads->setStep(static_cast<int>(std::ranges::find(m_counts, m_room.threads) - m_counts.begin()));
    m_threads->slider()->setPageStep(1);
    layout->addWidget(m_threads);
    connect(m_threads, &WhatIfSlider::moved, this, &WhatIfPanel::refresh);
}

void WhatIfPanel::addDevices(QVBoxLayout *layout)
{
    m_device = new LabeledCombo(tr("Device"));
    m_device->setAccessibleName(tr("Device"));
    const profiler::FunctionInfo *function = m_session->function(raw(m_room.function));
    m_deviceNow = function && !function->device.empty() ? text(function->device) : QStringLiteral("cpu");
    m_device->addItem(tr("%1, as now").arg(m_deviceNow), QString());
    layout->addWidget(m_device, 0, Qt::AlignLeft);
    offerDevices();
    connect(m_device, &QComboBox::currentIndexChanged, this, &WhatIfPanel::refresh);
}

// Those of the session, and those of this machine as soon as somebody has looked: what runs on the processor alone loads no others.
void WhatIfPanel::offerDevices()
{
    auto *model = qobject_cast<QStandardItemModel *>(m_device->model());
    const auto offer = [&](const QString &name, bool isThere, const QString &reason) {
        int at = m_device->findData(name);
        if (name == m_deviceNow || (at >= 0 && model->item(at)->isEnabled())) return;
        if (at < 0) {
            at = m_device->count();
            m_device->addItem(name, name);
        }
        model->item(at)->setEnabled(isThere);
        model->item(at)->setToolTip(isThere ? QString() : reason);
    };
    for (const profiler::DeviceInfo &device : m_session->devices) offer(text(device.name), device.available, text(device.reason));
    for (const Measuring::Device &device : Measuring::of(m_hub).devices()) offer(device.name, device.isThere, device.reason);
    m_device->setVisible(m_device->count() > 1);
}

void WhatIfPanel::addAnswer(QVBoxLayout *layout)
{
    const Theme &theme = Theme::current();
    const auto line = [&](Chip *&chip, const QString &word, Color ink, Color fill) {
        auto *row = new QHBoxLayout;
        row->setSpacing(theme.px(8));
        chip = new Chip(word, ink, fill);
        auto *label = new TextLabel({}, FontRole::Body);
        label->setWordWrap(true);
        row->addWidget(chip, 0, Qt::AlignTop);
        row->addWidget(label, 1);
        layout->addLayout(row);
        return label;
    };
    m_answer = line(m_predictedChip, tr("predicted"), Color::Info, Color::InfoSoft);
    m_verified = line(m_verifiedChip, tr("verified"), Color::Ok, Color::OkSoft);
    m_strip = new MeasureStrip(m_hub, {QStringLiteral("whatif")});
    layout->addWidget(m_strip);
    const auto button = [&](const QString &text, bool verifies) {
        auto *made = new QPushButton(text);
        made->setProperty("compact", true);
        layout->addWidget(made, 0, Qt::AlignLeft);
        connect(made, &QPushButton::clicked, this, [this, verifies] {
            QStringList words{"whatif", "--function", QString::number(raw(m_room.function))};
            const profiler::WhatIf wanted = change();
            if (verifies) words << "--verify";
            if (verifies && wanted.threads > 0) words << "--threads" << QString::number(wanted.threads);
            if (!wanted.device.empty()) words << "--device" << QString::fromStdString(wanted.device);
            Measuring::of(m_hub).ask(words);
        });
        return made;
    };
    m_measureRoofs = button(tr("Measure its roofs"), false);
    m_verify = button(tr("Verify by a run"), true);
    m_runs = new TextLabel({}, FontRole::Caption, "muted");
    m_runs->setWordWrap(true);
    layout->addWidget(m_runs);
}

profiler::WhatIf WhatIfPanel::change() const
{
    profiler::WhatIf change;
    for (std::size_t i = 0; i < m_ops.size(); ++i)
        if (m_ops[i]->step() > 0) change.atRoof.emplace_back(m_offered[i], static_cast<double>(m_ops[i]->step()) / kSteps);
    for (std::size_t i = 0; i < m_transfers.size(); ++i)
        if (m_transfers[i]->isChecked()) change.gone.insert(change.gone.end(), m_copies[i].begin(), m_copies[i].end());
    const int threads = m_counts[static_cast<std::size_t>(m_threads->step())];
    if (threads != m_room.threads) change.threads = threads;
    change.device = m_device->currentData().toString().toStdString();
    return change;
}

void WhatIfPanel::choose(const profiler::WhatIf &change)
{
    for (std::size_t i = 0; i < m_ops.size(); ++i) {
        const auto reached = std::ranges::find(change.atRoof, m_offered[i], &profiler::Reached::apply);
        m_ops[i]->setStep(reached == change.atRoof.end() ? 0 : static_cast<int>(std::lround(reached->share * kSteps)));
    }
    for (std::size_t i = 0; i < m_transfers.size(); ++i)
        m_transfers[i]->setChecked(std::ranges::all_of(
            m_copies[i], [&](const profiler::ApplyKey &key) { return std::ranges::find(change.gone, key) != change.gone.end(); }));
    const auto count = std::ranges::find(m_counts, change.threads > 0 ? change.threads : m_room.threads);
    if (count != m_counts.end()) m_threads->setStep(static_cast<int>(count - m_counts.begin()));
    m_device->setCurrentIndex(std::max(0, m_device->findData(QString::fromStdString(change.device))));
}

QString WhatIfPanel::headline() const { return m_headline->text(); }
QString WhatIfPanel::answer() const { return m_answer->text(); }
QString WhatIfPanel::verified() const { return m_verified->isVisibleTo(this) ? m_verified->text() : QString(); }
QString WhatIfPanel::runs() const { return m_runs->isVisibleTo(this) ? m_runs->text() : QString(); }

// As croton whatif names what it verified.
QString WhatIfPanel::flags() const
{
    const profiler::WhatIf wanted = change();
    QStringList flags;
    if (wanted.threads > 0) flags << QStringLiteral("threads=%1").arg(wanted.threads);
    if (!wanted.device.empty()) flags << QStringLiteral("device=") + QString::fromStdString(wanted.device);
    return flags.join(u',');
}

void WhatIfPanel::sayWhatChoicesMean(const profiler::WhatIf &change)
{
    for (std::size_t i = 0; i < m_ops.size(); ++i) {
        const auto row = std::ranges::find(m_room.applies, m_offered[i], [](const profiler::ApplyRoof &one) { return one.what.apply; });
        m_ops[i]->setValueText(formats::timeNs(row->nowNs - row->gainNs() * m_ops[i]->step() / kSteps));
    }
    const int threads = m_counts[static_cast<std::size_t>(m_threads->step())];
    m_threads->setValueText(threads == m_room.threads ? tr("%1, as now").arg(threads) : QString::number(threads));
    const QString device = QString::fromStdString(change.device);
    const bool isKnown = device.isEmpty() || m_room.devices.contains(change.device);
    const bool asks = !change.atRoof.empty() || !change.gone.empty() || !flags().isEmpty();
    const QString time = formats::timeNs(profiler::callNsIf(m_room, change));
    switch (profiler::surenessOf(m_room, change)) {
    case profiler::Sureness::AtBest: m_answer->setText(tr("A call would take %1 at best.").arg(time)); break;
    case profiler::Sureness::AtWorst: m_answer->setText(tr("A call would take %1 at worst.").arg(time)); break;
    case profiler::Sureness::About: m_answer->setText(tr("A call would take about %1.").arg(time)); break;
    }
    if (!asks) m_answer->setText(tr("Choose what would be otherwise."));
    else if (!isKnown) m_answer->setText(tr("How fast %1 is was not measured yet: that takes some seconds, once.").arg(device));
    m_predictedChip->setVisible(asks && isKnown);
}

void WhatIfPanel::sayWhatRunsFound(const profiler::WhatIf &change)
{
    const Tried &tried = m_session->derived<Tried>();
    const QString flags = this->flags();
    const profiler::VerifiedRow *run = flags.isEmpty() ? nullptr : tried.verifiedOf(m_room.function, flags.toStdString());
    const bool hasRun = run && run->ns >= 0, isAlone = change.atRoof.empty() && change.gone.empty();
    QString said = tr("Not yet.");
    if (hasRun)
        said = (isAlone ? tr("A run with %1 took %2 a call.") : tr("A run with %1 alone took %2 a call."))
                   .arg(flags, formats::timeNs(run->ns));
    else if (run && run->error.empty()) said = tr("A run with %1 did not call this function.").arg(flags);
    else if (run) said = tr("A run with %1 failed: %2").arg(flags, QString::fromStdString(run->error));
    else if (flags.isEmpty()) said = tr("No run can: no machine has an op at its roof, or without its time.");
    m_verified->setText(said);
    m_verified->setVisible(!flags.isEmpty() || !isAlone);
    m_verified->setInk(hasRun ? "" : "muted");
    m_verifiedChip->setVisible(hasRun);
    const bool isPredicted = m_predictedChip->isVisibleTo(this);
    m_picture->setThen(isPredicted ? std::optional(profiler::callNsIf(m_room, change)) : std::nullopt,
                       hasRun && isAlone ? std::optional(run->ns) : std::nullopt);
    QStringList runs;
    for (const profiler::VerifiedRow &row : tried.verified) {
        const QString of = QString::fromStdString(row.flags);
        if (row.function == m_room.function && row.ns >= 0 &&
            (of.startsWith(QLatin1String("threads=")) || of.startsWith(QLatin1String("device="))))
            runs << tr("%1: %2").arg(of, formats::timeNs(row.ns));
    }
    m_runs->setText(tr("Verified by runs: %1").arg(runs.join(QStringLiteral(" · "))));
    m_runs->setVisible(!runs.isEmpty());
}

void WhatIfPanel::refreshButtons(bool isKnown)
{
    const bool measures = Measuring::of(m_hub).now().isRunning;
    m_verify->setVisible(!flags().isEmpty());
    m_verify->setEnabled(m_canRun && !measures);
    m_verify->setToolTip(measures   ? tr("Something is being measured")
                         : m_canRun ? tr("Runs the script with %1").arg(flags())
                                    : tr("There is no script to run, or it runs already"));
    m_measureRoofs->setVisible(!isKnown);
    m_measureRoofs->setEnabled(!measures);
    m_measureRoofs->setToolTip(measures ? tr("Something is being measured") : tr("On this machine, whatever machine the session is of"));
}

void WhatIfPanel::refresh()
{
    const profiler::WhatIf wanted = change();
    sayWhatChoicesMean(wanted);
    sayWhatRunsFound(wanted);
    refreshButtons(wanted.device.empty() || m_room.devices.contains(wanted.device));
}

} // namespace views
