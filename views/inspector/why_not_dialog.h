#pragma once

#include "views/inspector/inspector_content.h"

#include <QDialog>

namespace views {

/// Which rewrites looked at a node, and why each declined. Deletes itself when it is closed.
class WhyNotDialog : public QDialog {
    Q_OBJECT
public:
    WhyNotDialog(const std::vector<WhyNotRow> &rows, QWidget *parent);
};

} // namespace views
