#include "views/profile/what_if_slider.h"

#include "views/common/controls.h"

#include <QHBoxLayout>
#include <QSlider>

#include <algorithm>

namespace views {
namespace {

constexpr int kName = 96, kValue = 72; // px at 100 %

}

WhatIfSlider::WhatIfSlider(const QString &title, qsizetype before, int last, QWidget *parent) : QWidget(parent), m_title(title)
{
    const QString name = before > 0 ? QStringLiteral("%1 (%2)").arg(title).arg(before + 1) : title;
    const Theme &theme = Theme::current();
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(theme.px(8));
    m_name = new ElidedLabel(name, FontRole::Body, nullptr, Qt::ElideMiddle);
    m_name->setFixedWidth(theme.px(kName));
    m_slider = new QSlider(Qt::Horizontal);
    m_slider->setRange(0, last);
    m_slider->setPageStep(std::max(1, last / 4));
    m_slider->setAccessibleName(name);
    m_slider->setMinimumWidth(theme.px(48));
    m_slider->setFocusPolicy(Qt::StrongFocus);
    m_value = new TextLabel({}, FontRole::Body);
    m_value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_value->setFixedWidth(theme.px(kValue));
    row->addWidget(m_name);
    row->addWidget(m_slider, 1);
    row->addWidget(m_value);
    connect(m_slider, &QSlider::valueChanged, this, &WhatIfSlider::moved);
}

int WhatIfSlider::step() const { return m_slider->value(); }
int WhatIfSlider::last() const { return m_slider->maximum(); }
void WhatIfSlider::setStep(int step) { m_slider->setValue(step); }

void WhatIfSlider::setValueText(const QString &text)
{
    m_value->setText(text);
    m_slider->setAccessibleDescription(text);
}

QString WhatIfSlider::valueText() const { return m_value->text(); }

} // namespace views
