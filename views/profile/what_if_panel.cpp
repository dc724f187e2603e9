#include "views/profile/what_if_panel.h"

#include "views/common/controls.h"
#include "views/common/formats.h"
#include "views/common/selection_hub.h"
#include "views/common/theme.h"

#include <QCheckBox>
#include <QFontMetrics>
#include <QPushButton>
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
    : QWidget(parent), m_session(std::move(session)), m_room(room), m_canRun(canRun)
{
    const Theme &theme = Theme::current();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(theme.px(6));
    const auto wrapped = [&](const QString &text, FontRole role, const char *ink) {
        auto *label = new TextLabel(text, role, ink);
        label->setWordWrap(true);
        layout->addWidget(label);
        return label;
    };
    wrapped(tr("How fast could it be?"), FontRole::BodyStrong, nullptr);
    m_headline = wrapped({}, FontRole::Body, "secondary");
    for (const std::string &device : m_room.unmeasured)
        wrapped(tr("No roofs were measured of %1: its applies count as they are.").arg(QString::fromStdString(device)), FontRole::Caption,
                "muted");
    const auto offer = [&](const QString &text, const QString &tip) {
        auto *box = new QCheckBox(text);
        box->setToolTip(tip);
        layout->addWidget(box);
        connect(box, &QCheckBox::toggled, this, &WhatIfPanel::refresh);
        m_boxes.push_back(box);
    };
    const QFontMetrics metrics(theme.font(FontRole::Body));
    for (const profiler::ApplyRoof &row : m_room.applies) {
        if (m_offered.size() == kOffered || row.gainNs() < kWorthOffering * m_room.nowNs) break;
        m_offered.push_back(row.what.apply);
        const QString name = QString::fromStdString(row.what.label); // with its inputs: several may be of one op
        offer(tr("%1 at its roof").arg(metrics.elidedText(name, Qt::ElideRight, theme.px(kName))),
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
    m_answer = wrapped({}, FontRole::Body, nullptr);
    m_verify = new QPushButton(tr("Run with it and compare"));
    m_verify->setProperty("compact", true);
    layout->addWidget(m_verify, 0, Qt::AlignLeft);
    connect(m_threads, &QComboBox::currentIndexChanged, this, &WhatIfPanel::refresh);
    connect(m_verify, &QPushButton::clicked, this,
            [this, &hub] { Q_EMIT hub.commandRequested(QStringLiteral("try threads=%1").arg(m_threads->currentData().toInt())); });
    refresh();
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

void WhatIfPanel::refresh()
{
    m_headline->setText(tr("A call takes %1. At the roofs of this machine it would take %2: at most %3 times as fast.")
                            .arg(perCall(m_room.nowNs), perCall(m_room.leastNs), QString::number(m_room.atMost(), 'f', 1)));
    const profiler::WhatIf wanted = change();
    const bool asks = !wanted.atRoof.empty() || !wanted.gone.empty() || wanted.threads > 0;
    const double then = profiler::callNsIf(m_room, wanted);
    const bool byRun = wanted.threads > 0;
    const QString sure = byRun ? tr("A run can tell what the threads do.") : tr("No run can verify it.");
    const bool fewer = byRun && wanted.threads < m_room.threads;
    m_answer->setText(!asks   ? tr("Choose what would be otherwise.")
                      : fewer ? tr("A call would take %1 at worst. %2").arg(perCall(then), sure)
                              : tr("A call would take %1 at best. %2").arg(perCall(then), sure));
    m_verify->setVisible(byRun);
    m_verify->setEnabled(m_canRun);
    m_verify->setToolTip(m_canRun ? QString() : tr("There is no script to run, or it runs already"));
}

} // namespace views
