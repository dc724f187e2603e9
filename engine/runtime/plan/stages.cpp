#include "engine/runtime/plan/stages.h"

#include "engine/runtime/sizes/shape_compiler.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_set>

namespace engine {
namespace {

bool worksOnTensorsAlone(const FunctionGraph &graph)
{
    const auto isTensor = [&](VarId var) { return graph.var(var).type.isTensor(); };
    const auto inputs = graph.inputs();
    const auto outputs = graph.outputs();
    return std::all_of(inputs.begin(), inputs.end(), isTensor) && std::all_of(outputs.begin(), outputs.end(), isTensor);
}

void noteBranches(Stage &stage, const Branches &branches)
{
    const auto isPart = [&](ApplyId id) { return branches.of(id) != kAlways; };
    if (std::none_of(stage.order.begin(), stage.order.end(), isPart)) return;
    stage.branches = branches.all();
    for (ApplyId id : stage.order) stage.branchOf.push_back(branches.of(id));
}

std::optional<Stage> wholeStage(const FunctionGraph &graph, std::vector<ApplyId> order, const Branches &branches)
{
    Stage stage;
    stage.groups = keepGroupsTogether(graph, order, branches);
    stage.inputs.assign(graph.inputs().begin(), graph.inputs().end());
    stage.outputs = graph.outputs();
    ShapeCompiler compiler(graph);
    for (VarId input : stage.inputs) compiler.addInput(input);
    for (ApplyId id : order)
        if (!compiler.add(id)) return std::nullopt;
    stage.order = std::move(order);
    noteBranches(stage, branches);
    stage.shapes = compiler.finish(stage.inputs);
    return stage;
}

/// Gives each apply the first stage in which it can run, or the first gap behind a stage where it runs by itself.
class Cutter {
public:
    Cutter(const FunctionGraph &graph, std::span<const ApplyId> order, const Branches &branches)
        : m_graph(graph), m_branches(branches), m_readersBefore(readersBeforeDestroyers(graph, order)), m_places(graph.applyCount())
    {
        for (ApplyId id : order) settle(id);
    }

    StagedOrder result()
    {
        StagedOrder staged;
        staged.branches = m_branches.all();
        std::size_t position = 0;
        for (Level &level : m_levels) {
            if (!level.planned.empty()) {
                const StageId stage = staged.stages.add(stageOf(level, position));
                staged.steps.push_back({stage, kNoApply, position});
                position += staged.stages[stage].order.size();
            }
            for (ApplyId id : level.alone) staged.steps.push_back({kNoStage, id, position++, m_branches.of(id)});
        }
        return staged;
    }

private:
    struct Level {
        explicit Level(const FunctionGraph &graph) : sizes(graph) {}
        ShapeCompiler sizes;
        std::vector<ApplyId> planned;
        std::vector<ApplyId> alone; // after those
    };
    struct Place {
        int level = -1;
        bool isAlone = false;
        friend bool operator==(const Place &, const Place &) = default;
    };

    const Place &placeOf(ApplyId id) const { return m_places[raw(id)]; }
    bool runsIn(ApplyId id, int stage) const { return placeOf(id) == Place{stage, false}; }
    bool isMadeIn(VarId var, int stage) const
    {
        const ApplyId owner = m_graph.var(var).owner;
        return owner != kNoApply && runsIn(owner, stage);
    }

    void settle(ApplyId id)
    {
        // Of everybody who comes before: in which gap it can run, and in which stage.
        int gap = 0, stage = 0;
        bool mayLackInputs = false; // a stage needs the sizes of all, those of what was not taken, too
        const auto comesAfter = [&](ApplyId earlier) {
            const Place &place = placeOf(earlier);
            gap = std::max(gap, place.level);
            stage = std::max(stage, place.level + place.isAlone);
            mayLackInputs |= place.isAlone && m_branches.of(earlier) != kAlways;
        };
        m_branches.eachCondition(id, [&](VarId condition) {
            if (const ApplyId owner = m_graph.var(condition).owner; owner != kNoApply) comesAfter(owner);
        });
        for (const Use &use : m_graph.apply(id).inputs)
            if (const ApplyId owner = m_graph.var(use.var).owner; owner != kNoApply) comesAfter(owner);
        if (const auto readers = m_readersBefore.find(raw(id)); readers != m_readersBefore.end())
            for (ApplyId reader : readers->second) comesAfter(reader);
        const auto inputs = std::span(m_graph.apply(id).inputs.begin(), m_graph.apply(id).inputs.end());
        const bool readsStage = std::any_of(inputs.begin(), inputs.end(), [&](const Use &use) { return isMadeIn(use.var, stage); });
        // A number that the stage computes is known when the next one begins.
        if (!mayLackInputs && (joins(id, stage) || (readsStage && joins(id, stage + 1)))) return;
        levelAt(gap).alone.push_back(id);
        m_places[raw(id)] = {gap, true};
    }

    bool joins(ApplyId id, int number)
    {
        Level &level = levelAt(number);
        const auto comesFromElsewhere = [&](VarId var) {
            if (m_graph.var(var).kind != Variable::Kind::Constant && !isMadeIn(var, number)) level.sizes.addInput(var);
        };
        for (const Use &use : m_graph.apply(id).inputs) comesFromElsewhere(use.var);
        m_branches.eachCondition(id, comesFromElsewhere);
        if (!level.sizes.add(id)) return false;
        level.planned.push_back(id);
        m_places[raw(id)] = {number, false};
        return true;
    }

    Level &levelAt(int number)
    {
        while (m_levels.size() <= static_cast<std::size_t>(number)) m_levels.emplace_back(m_graph);
        return m_levels[number];
    }

    Stage stageOf(Level &level, std::size_t first)
    {
        Stage stage;
        stage.first = first;
        stage.order = std::move(level.planned);
        stage.groups = keepGroupsTogether(m_graph, stage.order, m_branches);
        const int here = placeOf(stage.order.front()).level;
        std::unordered_set<std::uint32_t> seen;
        for (ApplyId id : stage.order) {
            const auto need = [&](VarId var) {
                const bool comesFromElsewhere = m_graph.var(var).kind != Variable::Kind::Constant && !isMadeIn(var, here);
                if (comesFromElsewhere && seen.insert(raw(var)).second) stage.inputs.push_back(var);
            };
            for (const Use &use : m_graph.apply(id).inputs) need(use.var);
            m_branches.eachCondition(id, need);
            for (VarId out : m_graph.apply(id).outputs) {
                const auto &clients = m_graph.var(out).clients;
                const auto isElsewhere = [&](const Client &client) {
                    return client.isGraphOutput() || (placeOf(client.apply).level >= 0 && !runsIn(client.apply, here));
                };
                if (std::any_of(clients.begin(), clients.end(), isElsewhere)) stage.outputs.push_back(out);
            }
        }
        noteBranches(stage, m_branches);
        stage.shapes = level.sizes.finish(stage.inputs);
        return stage;
    }

    const FunctionGraph &m_graph;
    const Branches &m_branches;
    std::unordered_map<std::uint32_t, std::vector<ApplyId>> m_readersBefore;
    std::vector<Place> m_places; // by apply
    std::deque<Level> m_levels;
};

} // namespace

StagedOrder inStages(const FunctionGraph &graph)
{
    std::vector<ApplyId> order = executionOrder(graph);
    const Branches branches(graph, order);
    StagedOrder staged;
    if (worksOnTensorsAlone(graph)) {
        if (auto whole = wholeStage(graph, order, branches)) {
            staged.steps.push_back({staged.stages.add(std::move(*whole)), kNoApply, 0});
            staged.isWhole = true;
            return staged;
        }
    }
    return Cutter(graph, order, branches).result();
}

} // namespace engine
