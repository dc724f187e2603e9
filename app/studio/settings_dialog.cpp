#include "app/studio/settings_dialog.h"

#include "views/common/controls.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QPushButton>
#include <QVBoxLayout>

namespace app {

using namespace views;

SettingsDialog::SettingsDialog(Preferences &preferences, QWidget *parent) : QDialog(parent)
{
    setWindowTitle(tr("Settings"));
    const Theme &theme = Theme::current();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(theme.px(20), theme.px(16), theme.px(20), theme.px(16));
    layout->setSpacing(theme.px(16));
    layout->addWidget(new TextLabel(tr("Appearance"), FontRole::Title));
    auto *form = new QFormLayout;
    form->setHorizontalSpacing(theme.px(24));
    form->setVerticalSpacing(theme.px(12));
    auto *kind = new SegmentedSwitch;
    kind->addChoice(QStringLiteral("system"), tr("System"));
    kind->addChoice(QStringLiteral("light"), tr("Light"));
    kind->addChoice(QStringLiteral("dark"), tr("Dark"));
    kind->setCurrent(preferences.theme() == Preferences::ThemeChoice::Dark    ? QStringLiteral("dark")
                     : preferences.theme() == Preferences::ThemeChoice::Light ? QStringLiteral("light")
                                                                              : QStringLiteral("system"));
    auto *size = new LabeledCombo;
    size->setAccessibleName(tr("Text size"));
    for (int percent : {80, 90, 100, 110, 125, 150, 175, 200}) size->addItem(QStringLiteral("%1 %").arg(percent), percent);
    size->setCurrentIndex(size->findData(preferences.textSize()));
    auto *motion = new QCheckBox(tr("Move nothing; mark what changed instead"));
    motion->setChecked(preferences.reducedMotion());
    form->addRow(tr("Theme"), kind);
    form->addRow(tr("Text size"), size);
    form->addRow(tr("Reduced motion"), motion);
    layout->addLayout(form);
    auto *close = new QPushButton(tr("Close"));
    layout->addWidget(close, 0, Qt::AlignRight);
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    connect(kind, &SegmentedSwitch::currentChanged, this, [this, &preferences](const QString &id) {
        preferences.setTheme(id == "dark"    ? Preferences::ThemeChoice::Dark
                             : id == "light" ? Preferences::ThemeChoice::Light
                                             : Preferences::ThemeChoice::System);
        Q_EMIT changed();
    });
    connect(size, &QComboBox::activated, this, [this, &preferences, size] {
        preferences.setTextSize(size->currentData().toInt());
        Q_EMIT changed();
    });
    connect(motion, &QCheckBox::toggled, this, [this, &preferences](bool on) {
        preferences.setReducedMotion(on);
        Q_EMIT changed();
    });
}

} // namespace app
