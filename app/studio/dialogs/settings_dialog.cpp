#include "app/studio/dialogs/settings_dialog.h"

#include "views/common/controls.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

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
    auto *language = new LabeledCombo;
    language->setAccessibleName(tr("Language"));
    language->addItem(tr("that of the desktop"), QStringLiteral("system"));
    language->addItem(QStringLiteral("English"), QStringLiteral("en"));
    language->addItem(QStringLiteral("Français"), QStringLiteral("fr"));
    language->setCurrentIndex(std::max(0, language->findData(preferences.language())));
    language->setToolTip(tr("From the next start on"));
    form->addRow(tr("Language"), language);
    connect(language, &QComboBox::activated, this,
            [&preferences, language] { preferences.setLanguage(language->currentData().toString()); });
    layout->addLayout(form);
    layout->addWidget(new TextLabel(tr("Editor"), FontRole::Title));
    auto *editor = new QComboBox;
    editor->setEditable(true);
    editor->setAccessibleName(tr("Command of the editor"));
    editor->addItems({QString(), QStringLiteral("code -g %f:%l"), QStringLiteral("kate -l %l %f"), QStringLiteral("gvim +%l %f"),
                      QStringLiteral("emacs +%l %f"), QStringLiteral("qtcreator %f:%l")});
    editor->setCurrentText(preferences.editor());
    editor->lineEdit()->setPlaceholderText(tr("what the desktop opens scripts with"));
    auto *about = new TextLabel(tr("%f is the file, %l the line"), FontRole::Caption, "muted");
    layout->addWidget(editor);
    layout->addWidget(about);
    connect(editor, &QComboBox::editTextChanged, this, [&preferences](const QString &text) { preferences.setEditor(text); });
    layout->addWidget(new TextLabel(tr("Samples"), FontRole::Title));
    auto *fresh = new QCheckBox(tr("Run a sample on this machine while its recorded session is shown"));
    fresh->setObjectName(QStringLiteral("freshRuns"));
    fresh->setChecked(preferences.freshRuns());
    connect(fresh, &QCheckBox::toggled, this, [&preferences](bool on) { preferences.setFreshRuns(on); });
    layout->addWidget(fresh);
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
