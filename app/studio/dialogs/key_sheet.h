#pragma once

#include "app/studio/window/view_table.h"

#include <QDialog>

namespace app {

/// All keys on one sheet: commands, views, and what pictures answer to; made from the table of commands.
class KeySheet : public QDialog {
    Q_OBJECT
public:
    explicit KeySheet(const ViewTable &views, QWidget *parent = nullptr);
};

} // namespace app
