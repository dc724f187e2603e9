#include "views/profile/functions_panel.h"

#include "views/common/controls.h"
#include "views/common/formats.h"
#include "views/common/icons.h"
#include "views/session/cost_texts.h"

#include <QAction>
#include <QVBoxLayout>

namespace views {

FunctionsPanel::FunctionsPanel(SelectionHub &hub, QWidget *parent) : QWidget(parent), m_list(new FunctionsView(hub))
{
    setSurface(this, "panel");
    const Theme &theme = Theme::current();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, theme.px(4), 0, theme.px(4));
    layout->addWidget(m_list);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    auto *steps = new QAction(themedIcon(QStringLiteral("rewrites")), tr("Show the steps of the rewriting"), this);
    connect(steps, &QAction::triggered, &hub, [&hub] { hub.showIn(QStringLiteral("steps")); });
    addAction(steps);
}

void FunctionsPanel::feed(const ViewFeed &feed)
{
    if (feed.hasNew(FeedPart::Session)) m_list->setRows(feed.session ? functionRows(*feed.session) : std::vector<FunctionRow>{});
}

std::vector<FunctionRow> functionRows(const SessionData &session)
{
    const auto text = [](const std::string &value) { return QString::fromStdString(value); };
    const auto tr = [](const char *source) { return FunctionsPanel::tr(source); };
    std::vector<FunctionRow> rows;
    for (const profiler::FunctionInfo &function : session.functions) {
        FunctionRow row;
        row.id = raw(function.id);
        row.name = function.name.empty() ? tr("unnamed") : text(function.name);
        const bool compiling = function.state == "compiling";
        row.detail = compiling ? QString() : formats::applies(function.appliesOptimized);
        const profiler::FunctionCosts *costs = session.costs ? session.costs->of(function.id) : nullptr;
        if (compiling) row.figure = tr("compiling");
        else if (function.state == "failed") row.figure = tr("failed");
        else if (function.run.calls == 0) row.figure = tr("not called");
        else if (costs && costs->summary.calls > 0) row.figure = formats::time(seconds(costs->nsPerCall));
        row.tip = tr("%1 in %2: %3 applies as written, %4 optimized, %5 calls")
                      .arg(row.name, text(function.mode))
                      .arg(function.appliesOriginal)
                      .arg(function.appliesOptimized)
                      .arg(formats::count(function.run.calls));
        if (function.location.line > 0) row.tip += tr("\ncompiled at line %1").arg(function.location.line);
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace views
