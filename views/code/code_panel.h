#pragma once

#include "views/session/view_feed.h"

#include <QWidget>

#include <vector>

namespace views {

class EmptyState;
class LabeledCombo;
class SourceView;
class ElidedLabel;

/// The generated code of the selected node, or of the whole function.
class CodePanel : public QWidget {
    Q_OBJECT
public:
    explicit CodePanel(QWidget *parent = nullptr);
    void feed(const ViewFeed &feed);
    /// Those of the apply, or all of them for -1; `why` there is none.
    void setKernels(const std::vector<profiler::Kernel> *kernels, std::int64_t apply, const QString &why);

private:
    void showKernel(int index);
    std::vector<profiler::Kernel> m_kernels;
    LabeledCombo *m_choice;
    ElidedLabel *m_note;
    SourceView *m_view;
    EmptyState *m_empty;
    QWidget *m_head;
};

} // namespace views
