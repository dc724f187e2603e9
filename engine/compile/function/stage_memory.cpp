#include "engine/compile/function/stage_memory.h"

#include "engine/runtime/plan/order.h"

#include <algorithm>

namespace engine {
namespace {

constexpr std::size_t kKeptCombinations = 64;

class JoinedBuffers {
public:
    BufferInfo *find(VarId var)
    {
        const auto found = m_places.find(raw(var));
        return found == m_places.end() ? nullptr : &m_buffers[found->second];
    }
    VarId rootOf(VarId var)
    {
        const BufferInfo *known = find(var);
        return known ? known->root : var;
    }
    void add(BufferInfo buffer)
    {
        m_places.emplace(raw(buffer.var), m_buffers.size());
        m_buffers.push_back(std::move(buffer));
    }
    std::vector<BufferInfo> take() { return std::move(m_buffers); }
    std::span<BufferInfo> all() { return m_buffers; }

private:
    std::vector<BufferInfo> m_buffers;
    std::unordered_map<std::uint32_t, std::size_t> m_places;
};

BufferInfo bufferOf(const FoundArray &array, VarId var, Residence residence, std::size_t position)
{
    BufferInfo buffer;
    buffer.var = buffer.root = var;
    buffer.residence = residence;
    buffer.bytes = static_cast<std::size_t>(array.shape.product()) * sizeOf(array.dtype);
    buffer.birth = residence == Residence::Input ? 0 : position;
    buffer.death = position;
    buffer.shape = array.shape;
    buffer.strides = array.strides;
    return buffer;
}

void addStage(JoinedBuffers &joined, const PlannedStage &planned, std::size_t arenaStart)
{
    const std::size_t first = planned.stage.first, last = first + planned.stage.order.size() - 1;
    for (BufferInfo buffer : planned.last()->buffers()) {
        const bool isGiven = buffer.residence == Residence::Input || buffer.residence == Residence::Constant;
        buffer.death += first;
        if (isGiven) {
            if (BufferInfo *known = joined.find(buffer.var)) {
                // What an earlier step made is dropped when the stage is over.
                const bool isMade = known->residence != Residence::Input && known->residence != Residence::Constant;
                known->death = std::max(known->death, isMade ? last : buffer.death);
                continue;
            }
        } else {
            buffer.birth += first;
            buffer.root = joined.rootOf(buffer.root);
        }
        if (buffer.residence == Residence::Arena) buffer.offset += arenaStart;
        if (buffer.residence == Residence::Returned) buffer.residence = Residence::Handed;
        joined.add(std::move(buffer));
    }
}

} // namespace

void StageMemory::begin(const StepValues &values)
{
    m_found.assign(values.size(), {});
    for (const ValueId id : values.ids())
        if (values[id].isTensor()) found(id, values[id].tensor(), kNoValue);
}

void StageMemory::found(ValueId value, const Tensor &made, ValueId sharesWith)
{
    m_found[value] = {made.dtype(), made.shape(), made.strides(), sharesWith};
}

std::uint32_t StageMemory::combinationOf(const CompiledGraph &compiled, const PlanCache &plans)
{
    std::vector<std::int64_t> key;
    for (const PlannedStage &planned : plans.stages) key.push_back(planned.last()->serial);
    for (const FunctionStep &step : compiled.steps.all)
        for (std::size_t o = 0; step.stage == kNoStage && o < step.makes.size(); ++o) {
            const Dims &shape = m_found[step.makes[o]].shape;
            key.insert(key.end(), shape.begin(), shape.end());
        }
    auto place = std::find_if(m_combinations.begin(), m_combinations.end(), [&](const auto &known) { return known.first == key; });
    if (place == m_combinations.end()) {
        if (m_combinations.size() >= kKeptCombinations) m_combinations.pop_back();
        place = m_combinations.insert(m_combinations.end(), {std::move(key), ++m_combinationsMade});
    }
    std::rotate(m_combinations.begin(), place, place + 1);
    return m_combinations.front().second;
}

std::vector<BufferInfo> StageMemory::buffers(const CompiledGraph &compiled, const PlanCache &plans) const
{
    const FunctionGraph &graph = *compiled.graph;
    const auto &valueVars = compiled.steps.vars;
    const bool keepsAll = !compiled.spec.mode.allowGc;
    const bool hasRun = !m_found.empty() &&
                        std::all_of(plans.stages.begin(), plans.stages.end(), [](const PlannedStage &planned) { return planned.last(); });
    if (!hasRun) return {};
    JoinedBuffers joined;
    std::size_t arenaStart = 0;
    for (const FunctionStep &step : compiled.steps.all) {
        if (step.stage != kNoStage) {
            const PlannedStage &planned = plans.stages[step.stage];
            addStage(joined, planned, arenaStart);
            if (keepsAll) arenaStart += planned.last()->arenaBytes(); // else the next stage takes the same memory
            continue;
        }
        for (ValueId value : step.reads) {
            if (value == kNoValue || !graph.var(valueVars[value]).type.isTensor()) continue;
            const VarId var = valueVars[value];
            if (BufferInfo *known = joined.find(var)) known->death = std::max(known->death, step.first);
            else joined.add(bufferOf(m_found[value], var, Residence::Input, step.first));
        }
        for (ValueId value : step.makes) {
            const VarId var = valueVars[value];
            if (!graph.var(var).type.isTensor()) continue;
            const FoundArray &array = m_found[value];
            BufferInfo buffer = bufferOf(array, var, Residence::Found, step.first);
            if (array.sharesWith != kNoValue) {
                buffer.root = joined.rootOf(valueVars[array.sharesWith]);
                buffer.residence = graph.apply(step.apply).op->destroyMap().empty() ? Residence::View : Residence::Inplace;
            }
            joined.add(std::move(buffer));
        }
    }
    const std::size_t end = compiled.order.empty() ? 0 : compiled.order.size() - 1;
    for (VarId out : graph.outputs())
        if (BufferInfo *root = joined.find(joined.rootOf(out))) {
            root->death = end;
            if (root->residence == Residence::Handed) root->residence = Residence::Returned;
        }
    if (keepsAll)
        for (BufferInfo &buffer : joined.all())
            if (buffer.residence == Residence::Handed || buffer.residence == Residence::Found) buffer.death = end;
    return joined.take();
}

} // namespace engine
