#include "views/steps/step_rows.h"

#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/session/session_data.h"

#include <algorithm>

namespace views {
namespace {

constexpr int kFewestGrouped = 3; // equal rewrites in a row

} // namespace

int StepRows::add(StepRow row, int parent)
{
    row.parent = parent;
    auto &siblings = parent < 0 ? top : rows[parent].children;
    row.place = static_cast<int>(siblings.size());
    siblings.push_back(static_cast<int>(rows.size()));
    rows.push_back(std::move(row));
    return static_cast<int>(rows.size()) - 1;
}

int StepRows::addStep(const profiler::StepInfo &step, int number, int holder, SharedWords &words)
{
    StepRow row;
    row.kind = StepRow::Kind::Step;
    row.phase = rows[holder].phase;
    row.name = words.of(step.rewrite);
    row.reason = words.of(step.reason);
    row.step = number;
    row.ns = step.ns;
    row.nodes = step.nodesAfter - step.nodesBefore;
    row.changes = 1;
    if (rows[holder].kind == StepRow::Kind::Group) rows[holder].ns += step.ns;
    for (int up = holder; up >= 0; up = rows[up].parent) {
        ++rows[up].changes;
        rows[up].nodes += row.nodes;
        if (rows[up].step < 0) rows[up].step = number;
    }
    ++stepCount;
    return rowOfStep[number] = add(std::move(row), holder);
}

StepRows::StepRows(const GraphData &graph) : StepRows(graph.steps, graph.passes) {}

StepRows::StepRows(const std::vector<profiler::StepInfo> &steps, std::vector<profiler::PassInfo> passes) : rowOfStep(steps.size(), -1)
{
    SharedWords words;
    rows.reserve(steps.size() + passes.size());
    const auto canonical = [](const std::string &phase) { return Theme::phaseName(views::text(phase)); };
    // A session that was cut off in a pass has steps without it: they get a pass of their own.
    std::vector<char> covered(steps.size(), 0);
    for (const profiler::PassInfo &pass : passes)
        for (int i = 0; i < pass.stepCount; ++i)
            if (const int step = pass.firstStep + i; step >= 0 && step < static_cast<int>(steps.size())) covered[step] = 1;
    for (std::size_t i = 1; i < steps.size(); ++i)
        if (!covered[i]) {
            profiler::PassInfo pass;
            pass.phase = steps[i].phase;
            pass.firstStep = static_cast<int>(i);
            while (i < steps.size() && !covered[i] && steps[i].phase == pass.phase) {
                pass.ns += steps[i].ns;
                ++pass.stepCount;
                ++i;
            }
            --i;
            passes.push_back(pass);
        }
    std::stable_sort(passes.begin(), passes.end(), [](const auto &a, const auto &b) { return a.firstStep < b.firstStep; });
    auto passesInRun = [&](std::size_t first) {
        std::size_t last = first;
        while (last < passes.size() && canonical(passes[last].phase) == canonical(passes[first].phase)) ++last;
        return last;
    };
    for (std::size_t first = 0; first < passes.size();) {
        const std::size_t last = passesInRun(first);
        StepRow phase;
        phase.phase = phase.name = canonical(passes[first].phase);
        const int phaseRow = add(phase, -1);
        for (std::size_t p = first; p < last; ++p) {
            const profiler::PassInfo &pass = passes[p];
            int holder = phaseRow;
            if (last - first > 1) { // a phase of one pass shows its rewrites directly
                StepRow row;
                row.kind = StepRow::Kind::Pass;
                row.phase = rows[phaseRow].phase;
                row.name = pass.name.empty() ? tr("unnamed pass") : views::text(pass.name);
                if (pass.iteration > 0) row.name += tr(", round %1").arg(pass.iteration + 1);
                row.pass = pass.index;
                row.ns = pass.ns;
                holder = add(row, phaseRow);
            }
            rows[phaseRow].ns += pass.ns;
            const int end = std::min(pass.firstStep + pass.stepCount, static_cast<int>(steps.size()));
            for (int number = std::max(1, pass.firstStep); number < end;) {
                int next = number + 1;
                while (next < end && steps[next].rewrite == steps[number].rewrite) ++next;
                int of = holder;
                if (next - number >= kFewestGrouped) {
                    StepRow group;
                    group.kind = StepRow::Kind::Group;
                    group.phase = rows[phaseRow].phase;
                    group.name = views::text(steps[number].rewrite);
                    of = add(group, holder);
                }
                for (; number < next; ++number) addStep(steps[number], number, of, words);
            }
        }
        first = last;
    }
}

} // namespace views
