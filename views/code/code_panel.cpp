#include "views/code/code_panel.h"

#include "views/code/source_view.h"
#include "views/common/controls.h"
#include "views/common/formats.h"
#include "views/common/panels.h"
#include "views/common/text.h"
#include "views/session/function_name.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <set>

namespace views {

CodePanel::CodePanel(QWidget *parent) : QWidget(parent)
{
    setSurface(this, "panel");
    const Theme &theme = Theme::current();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_head = new QWidget;
    auto *head = new QHBoxLayout(m_head);
    head->setContentsMargins(theme.px(12), theme.px(6), theme.px(12), theme.px(6));
    head->setSpacing(theme.px(10));
    m_choice = new LabeledCombo(tr("Kernel"));
    m_choice->setCompact(true);
    m_choice->setMinimumWidth(theme.px(120));
    m_choice->setMaximumWidth(theme.px(360));
    m_note = new ElidedLabel(QString(), FontRole::Cell, "muted");
    head->addWidget(m_choice);
    head->addWidget(m_note, 1);
    m_view = new SourceView;
    m_empty = new EmptyState;
    layout->addWidget(m_head);
    layout->addWidget(new Hairline);
    layout->addWidget(m_view, 1);
    layout->addWidget(m_empty, 1);
    connect(m_choice, &QComboBox::activated, this, &CodePanel::showKernel);
    setKernels(nullptr, -1, tr("Select a node to see its code."));
}

void CodePanel::feed(const ViewFeed &feed)
{
    if (!feed.session || !feed.function || !feed.links) return;
    const auto kernels = feed.session->kernels.find(feed.function->id);
    const auto apply = feed.links->applyOf(feed.selection.node);
    const bool any = kernels != feed.session->kernels.end();
    const QString name = functionName(*feed.function), device = text(feed.function->device);
    const bool isElsewhere = !device.isEmpty() && device != QLatin1String("cpu");
    setKernels(any ? &kernels->second : nullptr, apply ? std::int64_t(*apply) : -1,
               isElsewhere ? tr("Code for %1 is generated as it runs; a session does not keep it.").arg(device)
               : any       ? tr("No code was generated for this node: the interpreter or a library runs it.")
                           : tr("No code was generated for %1: the interpreter and libraries run it.").arg(name));
}

void CodePanel::setKernels(const std::vector<profiler::Kernel> *kernels, std::int64_t apply, const QString &why)
{
    m_kernels.clear();
    // What does the work of several applies stands at each of them; without one it is shown once.
    std::set<std::string> shown;
    if (kernels)
        for (const profiler::Kernel &kernel : *kernels)
            if ((apply < 0 || raw(kernel.apply) == static_cast<std::uint32_t>(apply)) && shown.insert(kernel.symbol).second)
                m_kernels.push_back(kernel);
    const bool any = !m_kernels.empty();
    m_head->setVisible(any);
    m_view->setVisible(any);
    m_empty->setVisible(!any);
    if (!any) {
        m_empty->show(QStringLiteral("code"), why);
        return;
    }
    m_choice->clear();
    for (const profiler::Kernel &kernel : m_kernels) m_choice->addItem(text(kernel.symbol));
    showKernel(0);
}

void CodePanel::showKernel(int index)
{
    if (index < 0 || index >= static_cast<int>(m_kernels.size())) return;
    const profiler::Kernel &kernel = m_kernels[static_cast<std::size_t>(index)];
    const QString compiled = kernel.fromCache ? tr("from the cache") : tr("compiled in %1").arg(formats::timeNs(kernel.compileNs));
    m_note->setText(QStringLiteral("%1 · %2 · %3").arg(text(kernel.language), compiled, text(kernel.flags)));
    m_view->setSource(text(kernel.source), CodeHighlighter::Language::C);
}

} // namespace views
