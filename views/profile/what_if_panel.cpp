#include "views/profile/what_if_panel.h"

#include "views/common/controls.h"
#include "views/common/formats.h"
#include "views/common/measure_strip.h"
#include "views/common/measuring.h"
#include "views/common/selection_hub.h"
#include "views/common/theme.h"
#include "views/profile/roof_picture.h"
#include "views/session/tried.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QPushButton>
#include <QStandardItemModel>
#include <QVBoxLayout>

#include <algorithm>
#include <set>

namespace views {
namespace {

constexpr std::size_t kOffered = 4;
constexpr double kWorthOffering = 0.01; // of a call
constexpr int kName = 150;              // px at 100 %

QString perCall(double ns) { return formats::time(ns * 1e-9); }

} // namespace

Headrooms::Headrooms(const SessionData &session)
{
    for (const profiler::FunctionInfo &function : session.functions)
        if (function.run.calls > 0) functions.emplace(function.id, profiler::makeHeadroom(session.profile, function.id));
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
    connect(&Measuring::of(hub), &Measuring::changed, this, &WhatIfPanel::refresh);
    connect(&hub, &SelectionHub::commandIssued, this, [this](const QString &command) {
        if (const QString prefix = QStringLiteral("picture threads:"); command.startsWith(prefix))
            m_threads->setCurrentIndex(std::max(0, m_threads->findData(command.mid(prefix.size()).toInt())));
    });
    refresh();
    giveWay();
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
    m_headline = new TextLabel({}, FontRole::Body, "secondary");
    m_headline->setWordWrap(true);
    layout->addWidget(m_headline);
    m_picture = new RoofPicture(m_room);
    layout->addWidget(m_picture);
    connect(copy, &QToolButton::clicked, this, [this] { QApplication::clipboard()->setText(m_picture->asText()); });
    connect(m_picture, &RoofPicture::applyClicked, this, [this](qint64 apply) {
        m_hub.selectNode({Side::Optimized, NodeKind::Apply, apply});
    });
    for (const std::string &device : m_room.unmeasured) {
        auto *label = new TextLabel(tr("No roofs were measured of %1: its applies count as they are.").arg(QString::fromStdString(device)),
                                    FontRole::Caption, "muted");
        label->setWordWrap(true);
        layout->addWidget(label);
    }
}

void WhatIfPanel::addChoices(QVBoxLayout *layout)
{
    const Theme &theme = Theme::current();
    layout->addWidget(new TextLabel(tr("What if"), FontRole::BodyStrong));
    const auto offer = [&](const QString &text, const QString &tip) {
        auto *box = new QCheckBox(text);
        box->setToolTip(tip);
        layout->addWidget(box);
        connect(box, &QCheckBox::toggled, this, &WhatIfPanel::refresh);
        m_boxes.push_back(box);
    };
    for (const profiler::ApplyRoof &row : m_room.applies) {
        if (m_offered.size() == kOffered || row.gainNs() < kWorthOffering * m_room.nowNs) break;
        m_offered.push_back(row.what.apply);
        const QString name = QString::fromStdString(row.what.label); // with its inputs: several may be of one op
        m_names << name;
        offer(tr("%1 at its roof").arg(name.left(8)),
              tr("%1: %2 a call now, at least %3")
                  .arg(QString::fromStdString(row.what.label).left(120), perCall(row.nowNs), perCall(row.leastNs)));
    }
    std::set<profiler::ApplyKey> transfers;
    for (const profiler::Transfer &one : m_session->profile.transfers)
        if (one.function == m_room.function) transfers.insert({one.graph, one.apply});
    m_transfers.assign(transfers.begin(), transfers.end());
    if (!m_transfers.empty()) offer(tr("Without the transfers"), tr("As if nothing had to be copied to a device or back"));
    m_threads = new LabeledCombo(tr("Threads"));
    m_threads->setAccessibleName(tr("Threads"));
    m_threads->addItem(tr("%1, as now").arg(m_room.threads), 0);
    for (int count = 1; count <= std::max(16, 2 * m_room.threads); count *= 2)
        if (count != m_room.threads) m_threads->addItem(QString::number(count), count);
    layout->addWidget(m_threads, 0, Qt::AlignLeft);
    connect(m_threads, &QComboBox::currentIndexChanged, this, &WhatIfPanel::refresh);
    m_device = new LabeledCombo(tr("Device"));
    m_device->setAccessibleName(tr("Device"));
    const profiler::FunctionInfo *function = m_session->function(raw(m_room.function));
    const QString now = function && !function->device.empty() ? QString::fromStdString(function->device) : QStringLiteral("cpu");
    m_device->addItem(tr("%1, as now").arg(now), QString());
    auto *model = qobject_cast<QStandardItemModel *>(m_device->model());
    for (const profiler::DeviceInfo &device : m_session->devices) {
        const QString name = QString::fromStdString(device.name);
        if (name == now) continue;
        m_device->addItem(name, name);
        QStandardItem *item = model->item(m_device->count() - 1);
        item->setEnabled(device.available);
        item->setToolTip(QString::fromStdString(device.available ? device.description : device.reason));
    }
    m_device->setVisible(m_device->count() > 1);
    layout->addWidget(m_device, 0, Qt::AlignLeft);
    connect(m_device, &QComboBox::currentIndexChanged, this, &WhatIfPanel::refresh);
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
    m_verify = new QPushButton(tr("Verify by a run"));
    m_verify->setProperty("compact", true);
    layout->addWidget(m_verify, 0, Qt::AlignLeft);
    connect(m_verify, &QPushButton::clicked, this, [this] {
        QStringList words{"whatif", "--function", QString::number(raw(m_room.function)), "--verify"};
        if (const int count = m_threads->currentData().toInt()) words << "--threads" << QString::number(count);
        if (const QString device = m_device->currentData().toString(); !device.isEmpty()) words << "--device" << device;
        Measuring::of(m_hub).ask(words);
    });
}

// Names take what room there is, and no more than they need to be told apart.
void WhatIfPanel::giveWay()
{
    const Theme &theme = Theme::current();
    const QFontMetrics metrics(theme.font(FontRole::Body));
    const int room = width() - metrics.horizontalAdvance(tr("%1 at its roof").arg(QString())) - theme.px(28);
    for (qsizetype i = 0; i < m_names.size(); ++i)
        m_boxes[static_cast<std::size_t>(i)]->setText(
            tr("%1 at its roof").arg(metrics.elidedText(m_names[i], Qt::ElideRight, std::clamp(room, theme.px(16), theme.px(kName)))));
}

void WhatIfPanel::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    giveWay();
}

profiler::WhatIf WhatIfPanel::change() const
{
    profiler::WhatIf change;
    for (std::size_t i = 0; i < m_offered.size(); ++i)
        if (m_boxes[i]->isChecked()) change.atRoof.push_back(m_offered[i]);
    if (!m_transfers.empty() && m_boxes.back()->isChecked()) change.gone = m_transfers;
    change.threads = m_threads->currentData().toInt();
    return change;
}

QString WhatIfPanel::headline() const { return m_headline->text(); }
QString WhatIfPanel::answer() const { return m_answer->text(); }
QString WhatIfPanel::verified() const { return m_verified->isVisibleTo(this) ? m_verified->text() : QString(); }

// As croton whatif names what it verified.
QString WhatIfPanel::flags() const
{
    QStringList flags;
    if (const int count = m_threads->currentData().toInt()) flags << QStringLiteral("threads=%1").arg(count);
    if (const QString device = m_device->currentData().toString(); !device.isEmpty()) flags << QStringLiteral("device=") + device;
    return flags.join(u',');
}

void WhatIfPanel::refresh()
{
    m_headline->setText(tr("A call takes %1. At the roofs of this machine it would take %2: at most %3 times as fast.")
                            .arg(perCall(m_room.nowNs), perCall(m_room.leastNs), QString::number(m_room.atMost(), 'f', 1)));
    const profiler::WhatIf wanted = change();
    const QString flags = this->flags();
    const bool hasDevice = !m_device->currentData().toString().isEmpty();
    const bool asks = !wanted.atRoof.empty() || !wanted.gone.empty() || !flags.isEmpty();
    const bool fewer = wanted.threads > 0 && wanted.threads < m_room.threads;
    const double then = profiler::callNsIf(m_room, wanted);
    m_answer->setText(!asks       ? tr("Choose what would be otherwise.")
                      : hasDevice ? tr("Nothing: how fast that device is, is not known here. A run can tell.")
                      : fewer     ? tr("A call would take %1 at worst.").arg(perCall(then))
                                  : tr("A call would take %1 at best.").arg(perCall(then)));
    m_predictedChip->setVisible(asks && !hasDevice);
    const profiler::VerifiedRow *run =
        flags.isEmpty() ? nullptr : m_session->derived<Tried>().verifiedOf(m_room.function, flags.toStdString());
    const bool hasRun = run && run->ns >= 0;
    const bool alone = wanted.atRoof.empty() && wanted.gone.empty();
    m_verified->setText(hasRun                    ? alone ? tr("A run with %1 took %2 a call.").arg(flags, perCall(run->ns))
                                                          : tr("A run with %1 alone took %2 a call.").arg(flags, perCall(run->ns))
                                           : run ? tr("A run with %1 failed: %2").arg(flags, QString::fromStdString(run->error))
                        : asks && flags.isEmpty() ? tr("No run can: no machine has an op at its roof, or without its time.")
                                                  : tr("Not yet."));
    m_verifiedChip->setVisible(hasRun);
    m_verified->setVisible(asks);
    m_verified->setInk(hasRun ? "" : "muted");
    m_picture->setThen(asks && !hasDevice ? std::optional(then) : std::nullopt, hasRun && alone ? std::optional(run->ns) : std::nullopt);
    const bool measures = Measuring::of(m_hub).now().isRunning;
    m_verify->setVisible(!flags.isEmpty());
    m_verify->setEnabled(m_canRun && !measures);
    m_verify->setToolTip(measures   ? tr("Something is being measured")
                         : m_canRun ? tr("Runs the script with %1").arg(flags)
                                    : tr("There is no script to run, or it runs already"));
}

} // namespace views
