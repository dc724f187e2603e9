// The table of views: a new one is its folder in views/ and a row here.
#include "app/studio/pages/graph_page.h"
#include "app/studio/pages/welcome_page.h"
#include "app/studio/window/view_table.h"
#include "profiler/lessons/view_ids.h"
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
namespace view = profiler::view;

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
        {view::welcome, QT_TRANSLATE_NOOP("Views", "Welcome page"), "croton", "Ctrl+Shift+W", {Area::Page, "welcome"},
         makeView<WelcomePage>, nullptr, nullptr, false},
        {view::graph, QT_TRANSLATE_NOOP("Views", "Graph"), "graph", "Ctrl+1", {Area::Page, "graph steps"},
         makeView<GraphPage>, feedView<GraphPage>, nullptr, true, nullptr, false, obeyView<GraphPage>,
         {Command::Fit, Command::LayOut, Command::FirstStep, Command::PreviousStep, Command::NextStep, Command::PreviousPhase, Command::NextPhase,
          Command::PlaySteps, Command::LastStep, Command::Find, Command::FindNext, Command::FindPrevious, Command::ExportPicture,
          Command::ExportPart, Command::CopyPicture}},
        {view::steps, QT_TRANSLATE_NOOP("Views", "Steps"), "rewrites", "Ctrl+2", {Area::Left, "steps", "", 304, 304},
         makeView<StepsView>, feedView<StepsView>, StepsView::prepare, true, nullptr, false, obeyView<StepsView>,
         {Command::StepsOfSelection}},
        {view::profile, QT_TRANSLATE_NOOP("Views", "Profile"), "profile", "Ctrl+3", {Area::Page, "profile"},
         makeProfile, feedView<OperationsView>, prepareRows<OperationRows>},
        {view::compare, QT_TRANSLATE_NOOP("Views", "Compare"), "compare", "Ctrl+4", {Area::Page, "compare"},
         makeView<CompareView>, feedView<CompareView>, prepareRows<BlockingRows>, true, nullptr, true, obeyView<CompareView>},
        {view::history, QT_TRANSLATE_NOOP("Views", "History"), "timeline", "Ctrl+Shift+H", {Area::Page, "history"},
         makeView<HistoryView>, feedView<HistoryView>, nullptr, false},
        {view::worth, QT_TRANSLATE_NOOP("Views", "Rewrite impact"), "worth", "Ctrl+Shift+A", {Area::Page, "worth"},
         makeView<WorthView>, feedView<WorthView>, prepareRows<Tried>, false, nullptr, false, obeyView<WorthView>},
        {view::operations, QT_TRANSLATE_NOOP("Views", "Operations"), "operations", "Ctrl+T", {Area::Bottom, "graph steps"},
         makeView<OperationsView>, feedView<OperationsView>, prepareRows<OperationRows>},
        {view::timeline, QT_TRANSLATE_NOOP("Views", "Timeline"), "timeline", "Ctrl+5", {Area::Bottom, "profile graph steps"},
         makeView<TimelineView>, feedView<TimelineView>, prepareRows<TimelineRows>},
        {view::flame, QT_TRANSLATE_NOOP("Views", "Flame graph"), "flame", "Ctrl+6", {Area::Bottom, "profile graph steps"},
         makeView<FlameView>, feedView<FlameView>, prepareRows<FlameRows>},
        {view::memory, QT_TRANSLATE_NOOP("Views", "Memory"), "memory", "Ctrl+7", {Area::Bottom, "profile graph steps"},
         makeView<MemoryView>, feedView<MemoryView>, prepareRows<MemoryRows>, true, nullptr, false, obeyView<MemoryView>},
        {view::roofline, QT_TRANSLATE_NOOP("Views", "Roofline"), "roofline", "Ctrl+8", {Area::Bottom, "profile"},
         makeView<RooflineView>, feedView<RooflineView>, prepareRows<RooflineRows>},
        {view::transfers, QT_TRANSLATE_NOOP("Views", "Transfers"), "transfer", "Ctrl+9", {Area::Bottom, "profile"},
         makeView<TransfersView>, feedView<TransfersView>},
        {view::ranks, QT_TRANSLATE_NOOP("Views", "Ranks"), "swap", "Ctrl+Shift+R", {Area::Bottom, "profile"},
         makeView<RanksView>, feedView<RanksView>},
        {view::code, QT_TRANSLATE_NOOP("Views", "Code"), "code", "Ctrl+G", {Area::Bottom, "graph steps"},
         makeView<CodePanel>, feedView<CodePanel>},
        {view::output, QT_TRANSLATE_NOOP("Views", "Output"), "document", "Ctrl+U", {Area::Bottom, "graph steps profile"},
         makeView<OutputPanel>, feedView<OutputPanel>, nullptr, false},
        {view::functions, QT_TRANSLATE_NOOP("Views", "Functions"), "function", "Ctrl+Shift+F",
         {Area::Left, "graph", "steps profile worth", 248, 216}, makeView<FunctionsPanel>, feedView<FunctionsPanel>},
        {view::source, QT_TRANSLATE_NOOP("Views", "Source"), "document", "Ctrl+Shift+S",
         {Area::Left, "graph", "steps profile", 248, 216}, makeView<SourcePanel>, feedView<SourcePanel>,
         nullptr, true, nullptr, false, obeyView<SourcePanel>, {Command::Save}},
        {view::key, QT_TRANSLATE_NOOP("Views", "Graph key"), "info", "Ctrl+Shift+K", {Area::Left, "graph?", "steps", 248, 216},
         makeView<KeyPanel>, nullptr, nullptr, false},
        {view::summary, QT_TRANSLATE_NOOP("Views", "Summary"), "bulb", "Ctrl+Shift+M", {Area::Left, "profile", "", 320, 320},
         makeView<SummaryView>, feedView<SummaryView>, prepareRows<Headrooms>, true, nullptr, false, obeyView<SummaryView>},
        {view::inspector, QT_TRANSLATE_NOOP("Views", "Inspector"), "search", "Ctrl+I",
         {Area::Right, "graph? steps", "profile worth", 320, 280, true}, makeView<InspectorView>, feedView<InspectorView>, InspectorView::prepare},
        {view::help, QT_TRANSLATE_NOOP("Views", "Help"), "help", "F1", {Area::Right, "", "welcome graph steps profile compare history worth", 400, 340},
         makeView<HelpView>, feedView<HelpView>, nullptr, false, nullptr, true, obeyView<HelpView>},
        {view::lessons, QT_TRANSLATE_NOOP("Views", "Lessons"), "book", "Ctrl+Shift+L",
         {Area::Left, "", "welcome graph steps profile compare", 400, 340, false, true}, makeView<LessonView>, feedView<LessonView>,
         nullptr, false, nullptr, true, obeyView<LessonView>},
        // clang-format on
    });
    return table;
}

} // namespace app
