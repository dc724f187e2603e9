#pragma once

#include "app/studio/dialogs/preferences.h"

#include <QDialog>

namespace app {

/// Theme, text size, motion. A change shows at once and is kept.
class SettingsDialog : public QDialog {
    Q_OBJECT
public:
    SettingsDialog(Preferences &preferences, QWidget *parent = nullptr);

Q_SIGNALS:
    void changed();
};

} // namespace app
