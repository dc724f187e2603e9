#include "views/common/measure_strip.h"

#include "views/common/controls.h"
#include "views/common/measuring.h"
#include "views/common/tips.h"

#include <QHBoxLayout>
#include <QProgressBar>

namespace views {
namespace {

constexpr int kWhole = 1000;

}

MeasureStrip::MeasureStrip(SelectionHub &hub, QStringList commands, QWidget *parent)
    : QFrame(parent), m_measuring(Measuring::of(hub)), m_commands(std::move(commands))
{
    const Theme &theme = Theme::current();
    setSurface(this, "sunken");
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(theme.px(12), theme.px(4), theme.px(6), theme.px(4));
    row->setSpacing(theme.px(8));
    m_text = new ElidedLabel({}, FontRole::Cell);
    m_progress = new QProgressBar;
    m_progress->setFixedWidth(theme.px(120));
    m_progress->setFixedHeight(theme.px(6));
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("How far measuring is"));
    m_stop = linkButton(tr("Stop"));
    row->addWidget(m_text, 1);
    row->addWidget(m_progress);
    row->addWidget(m_stop);
    connect(m_stop, &QToolButton::clicked, this, [this] {
        if (m_measuring.now().isRunning) m_measuring.stop();
        else m_measuring.forget();
    });
    connect(&m_measuring, &Measuring::changed, this, &MeasureStrip::follow);
    follow();
}

bool MeasureStrip::isRunning() const { return m_measuring.now().isRunning && m_commands.contains(m_measuring.now().what()); }

QString MeasureStrip::text() const { return m_text->text(); }

void MeasureStrip::follow()
{
    const Measuring::State &now = m_measuring.now();
    const bool ours = m_commands.contains(now.what());
    const bool failed = ours && !now.isRunning && !now.failure.isEmpty();
    setVisible(isRunning() || failed);
    if (isHidden()) return;
    m_text->setInk(failed ? "error" : "");
    m_text->setText(failed ? now.failure : now.text);
    m_text->setToolTip(failed ? tipText(now.failure) : QString());
    m_progress->setVisible(now.isRunning);
    m_progress->setRange(0, now.share < 0 ? 0 : kWhole);
    if (now.share >= 0) m_progress->setValue(static_cast<int>(now.share * kWhole));
    m_stop->setText(failed ? tr("Hide") : tr("Stop"));
}

} // namespace views
