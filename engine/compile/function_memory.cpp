// The memory of a function of several stages as one picture: the plans of its last call behind one another.
#include "engine/compile/function_state.h"
#include "engine/runtime/order.h"

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

std::uint32_t Function::State::combinationOfPlans()
{
    std::vector<std::int64_t> key;
    for (const PlannedStage &planned : stages) key.push_back(planned.last()->serial);
    for (const FunctionStep &step : steps)
        for (std::size_t o = 0; step.stage == kNoStage && o < step.makes.size(); ++o) {
            const Dims &shape = found[step.makes[o]].shape;
            key.insert(key.end(), shape.begin(), shape.end());
        }
    auto place = std::find_if(combinations.begin(), combinations.end(), [&](const auto &known) { return known.first == key; });
    if (place == combinations.end()) {
        if (combinations.size() >= kKeptCombinations) combinations.pop_back();
        place = combinations.insert(combinations.end(), {std::move(key), ++combinationsMade});
    }
    std::rotate(combinations.begin(), place, place + 1);
    return combinations.front().second;
}

std::vector<BufferInfo> Function::State::buffersOfStages() const
{
    const bool hasRun =
        !found.empty() && std::all_of(stages.begin(), stages.end(), [](const PlannedStage &planned) { return planned.last(); });
    if (!hasRun) return {};
    JoinedBuffers joined;
    std::size_t arenaStart = 0;
    for (const FunctionStep &step : steps) {
        if (step.stage != kNoStage) {
            const PlannedStage &planned = stages[step.stage];
            addStage(joined, planned, arenaStart);
            if (!spec.mode.allowGc) arenaStart += planned.last()->arenaBytes(); // else the next stage takes the same memory
            continue;
        }
        for (ValueId value : step.reads) {
            if (value == kNoValue || !graph->var(valueVars[value]).type.isTensor()) continue;
            const VarId var = valueVars[value];
            if (BufferInfo *known = joined.find(var)) known->death = std::max(known->death, step.first);
            else joined.add(bufferOf(found[value], var, Residence::Input, step.first));
        }
        for (ValueId value : step.makes) {
            const VarId var = valueVars[value];
            if (!graph->var(var).type.isTensor()) continue;
            const FoundArray &array = found[value];
            BufferInfo buffer = bufferOf(array, var, Residence::Found, step.first);
            if (array.sharesWith != kNoValue) {
                buffer.root = joined.rootOf(valueVars[array.sharesWith]);
                buffer.residence = graph->apply(step.apply).op->destroyMap().empty() ? Residence::View : Residence::Inplace;
            }
            joined.add(std::move(buffer));
        }
    }
    const std::size_t end = order.empty() ? 0 : order.size() - 1;
    for (VarId out : graph->outputs())
        if (BufferInfo *root = joined.find(joined.rootOf(out))) {
            root->death = end;
            if (root->residence == Residence::Handed) root->residence = Residence::Returned;
        }
    if (!spec.mode.allowGc)
        for (BufferInfo &buffer : joined.all())
            if (buffer.residence == Residence::Handed || buffer.residence == Residence::Found) buffer.death = end;
    return joined.take();
}

std::size_t Function::State::workBytes() const
{
    std::size_t sum = 0;
    for (const PlannedStage &planned : stages) sum += planned.last() ? planned.last()->scratchBytes : 0;
    for (const auto &[apply, inner] : nested) {
        const State &body = *inner->m_state;
        sum += body.workBytes() + body.arenaBytes();
        for (const PlannedStage &planned : body.stages) sum += planned.last() ? planned.last()->returnedBytes() : 0;
    }
    return sum;
}

std::size_t Function::State::arenaBytes() const
{
    std::size_t sum = 0, most = 0;
    for (const PlannedStage &planned : stages) {
        const std::size_t bytes = planned.last() ? planned.last()->arenaBytes() : 0;
        sum += bytes;
        most = std::max(most, bytes);
    }
    return spec.mode.allowGc ? most : sum;
}

} // namespace engine
