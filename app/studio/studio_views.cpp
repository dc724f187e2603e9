// The table of views: a new one is its folder in views/ and a row here.
#include "app/studio/graph_page.h"
#include "app/studio/view_table.h"
#include "app/studio/welcome_page.h"
#include "views/code/code_panel.h"
#include "views/code/output_panel.h"
#include "views/code/source_panel.h"
#include "views/compare/blocking_rows.h"
#include "views/compare/compare_view.h"
#include "views/flame/flame_rows.h"
#include "views/flame/flame_view.h"
#include "views/graph/key_panel.h"
#include "views/help/help_view.h"
#include "views/history/history_view.h"
#include "views/inspector/inspector_view.h"
#include "views/lessons/lesson_view.h"
#include "views/memory/memory_rows.h"
#include "views/memory/memory_view.h"
#include "views/profile/functions_panel.h"
#include "views/profile/operation_rows.h"
#include "views/profile/operations_view.h"
#include "views/profile/summary_view.h"
#include "views/profile/what_if_panel.h"
#include "views/ranks/ranks_view.h"
#include "views/roofline/roofline_rows.h"
#include "views/roofline/roofline_view.h"
#include "views/session/tried.h"
#include "views/steps/steps_view.h"
#include "views/timeline/timeline_rows.h"
#include "views/timeline/timeline_view.h"
#include "views/transfers/transfers_view.h"
#include "views/worth/worth_view.h"

namespace app {

using namespace views;

// The slow line is what one looks for; beside the graph its ops are.
static QWidget *makeProfile(SelectionHub &hub)
{
    auto *view = new OperationsView(hub);
    view->openOnLines();
    return view;
}

const ViewTable &studioViews()
{
    static const ViewTable table({
        // clang-format off
        {"welcome", QT_TRANSLATE_NOOP("Views", "Welcome page"), "croton", "Ctrl+Shift+W", {Area::Page, "welcome"},
         makeView<WelcomePage>, nullptr, nullptr, false},
        {"graph", QT_TRANSLATE_NOOP("Views", "Graph"), "graph", "Ctrl+1", {Area::Page, "graph steps"},
         makeView<GraphPage>, feedView<GraphPage>},
        {"steps", QT_TRANSLATE_NOOP("Views", "Steps"), "rewrites", "Ctrl+2", {Area::Left, "steps", "", 304, 304},
         makeView<StepsView>, feedView<StepsView>, StepsView::prepare},
        {"profile", QT_TRANSLATE_NOOP("Views", "Profile"), "profile", "Ctrl+3", {Area::Page, "profile"},
         makeProfile, feedView<OperationsView>, prepareRows<OperationRows>},
        {"compare", QT_TRANSLATE_NOOP("Views", "Compare"), "compare", "Ctrl+4", {Area::Page, "compare"},
         makeView<CompareView>, feedView<CompareView>, prepareRows<BlockingRows>, true, nullptr, true},
        {"history", QT_TRANSLATE_NOOP("Views", "History"), "timeline", "Ctrl+Shift+H", {Area::Page, "history"},
         makeView<HistoryView>, feedView<HistoryView>, nullptr, false},
        {"worth", QT_TRANSLATE_NOOP("Views", "Worth of rewrites"), "worth", "Ctrl+Shift+A", {Area::Page, "worth"},
         makeView<WorthView>, feedView<WorthView>, prepareRows<Tried>, false},
        {"operations", QT_TRANSLATE_NOOP("Views", "Operations"), "operations", "Ctrl+T", {Area::Bottom, "graph steps"},
         makeView<OperationsView>, feedView<OperationsView>, prepareRows<OperationRows>},
        {"timeline", QT_TRANSLATE_NOOP("Views", "Timeline"), "timeline", "Ctrl+5", {Area::Bottom, "profile graph steps"},
         makeView<TimelineView>, feedView<TimelineView>, prepareRows<TimelineRows>},
        {"flame", QT_TRANSLATE_NOOP("Views", "Flame graph"), "flame", "Ctrl+6", {Area::Bottom, "profile graph steps"},
         makeView<FlameView>, feedView<FlameView>, prepareRows<FlameRows>},
        {"memory", QT_TRANSLATE_NOOP("Views", "Memory"), "memory", "Ctrl+7", {Area::Bottom, "profile graph steps"},
         makeView<MemoryView>, feedView<MemoryView>, prepareRows<MemoryRows>},
        {"roofline", QT_TRANSLATE_NOOP("Views", "Roofline"), "roofline", "Ctrl+8", {Area::Bottom, "profile"},
         makeView<RooflineView>, feedView<RooflineView>, prepareRows<RooflineRows>},
        {"transfers", QT_TRANSLATE_NOOP("Views", "Transfers"), "transfer", "Ctrl+9", {Area::Bottom, "profile"},
         makeView<TransfersView>, feedView<TransfersView>},
        {"ranks", QT_TRANSLATE_NOOP("Views", "Ranks"), "swap", "Ctrl+Shift+R", {Area::Bottom, "profile"},
         makeView<RanksView>, feedView<RanksView>},
        {"code", QT_TRANSLATE_NOOP("Views", "Code"), "code", "Ctrl+G", {Area::Bottom, "graph steps"},
         makeView<CodePanel>, feedView<CodePanel>},
        {"output", QT_TRANSLATE_NOOP("Views", "Output"), "document", "Ctrl+U", {Area::Bottom, "graph steps profile"},
         makeView<OutputPanel>, feedView<OutputPanel>, nullptr, false},
        {"functions", QT_TRANSLATE_NOOP("Views", "Functions"), "function", "Ctrl+Shift+F",
         {Area::Left, "graph", "steps profile worth", 248, 216}, makeView<FunctionsPanel>, feedView<FunctionsPanel>},
        {"source", QT_TRANSLATE_NOOP("Views", "Source"), "document", "Ctrl+Shift+S",
         {Area::Left, "graph", "steps profile", 248, 216}, makeView<SourcePanel>, feedView<SourcePanel>},
        {"key", QT_TRANSLATE_NOOP("Views", "Graph key"), "info", "Ctrl+Shift+K", {Area::Left, "graph?", "steps", 248, 216},
         makeView<KeyPanel>, nullptr, nullptr, false},
        {"summary", QT_TRANSLATE_NOOP("Views", "Summary"), "bulb", "Ctrl+Shift+M", {Area::Left, "profile", "", 320, 320},
         makeView<SummaryView>, feedView<SummaryView>, prepareRows<Headrooms>},
        {"inspector", QT_TRANSLATE_NOOP("Views", "Inspector"), "search", "Ctrl+I",
         {Area::Right, "graph? steps", "profile worth", 320, 280, true}, makeView<InspectorView>, feedView<InspectorView>, InspectorView::prepare},
        {"help", QT_TRANSLATE_NOOP("Views", "Help"), "help", "F1", {Area::Right, "", "welcome graph steps profile compare history worth", 400, 340},
         makeView<HelpView>, feedView<HelpView>, nullptr, false, nullptr, true},
        {"lessons", QT_TRANSLATE_NOOP("Views", "Lessons"), "book", "Ctrl+Shift+L",
         {Area::Left, "", "welcome graph steps profile compare", 400, 340, false, true}, makeView<LessonView>, feedView<LessonView>,
         nullptr, false, nullptr, true},
        // clang-format on
    });
    return table;
}

} // namespace app
