#include "profiler/record/line_shares.h"

#include <algorithm>
#include <numeric>

namespace profiler {
namespace {

constexpr std::int64_t kMiddlingSize = 100;

void divideEqually(std::vector<double> &shares) { std::fill(shares.begin(), shares.end(), 1.0 / static_cast<double>(shares.size())); }

// To a sum of 1.
void normalize(std::vector<double> &shares)
{
    const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
    if (!(all > 0)) return divideEqually(shares);
    for (double &share : shares) share /= all;
}

} // namespace

Lines::Lines(const engine::FunctionGraph &graph, const engine::Lineage &lineage, TextNumbers &texts)
    : m_graph(graph), m_lineage(lineage), m_texts(texts), m_known(graph.applyCount()), m_isKnown(graph.applyCount())
{}

const Lines::Chain &Lines::chainOf(engine::ApplyId original)
{
    Chain &chain = m_known[engine::raw(original)];
    if (!m_isKnown[engine::raw(original)]) {
        m_isKnown[engine::raw(original)] = true;
        chain = m_texts.of(m_graph.apply(original).trace);
    }
    return chain;
}

std::span<const Lines::Chain> Lines::of(engine::ApplyId apply)
{
    m_chains.clear();
    m_places.clear();
    const auto &origins = m_lineage.origins[engine::raw(apply)];
    if (origins.size() > 1) m_placeOf.clear();
    for (const engine::ApplyId origin : origins) {
        const Chain &chain = chainOf(origin);
        m_places.push_back(-1);
        if (!chain.line.line) continue;
        m_places.back() = static_cast<int>(m_chains.size());
        if (origins.size() > 1) m_places.back() = m_placeOf.try_emplace(chain.chain, m_places.back()).first->second;
        if (m_places.back() == static_cast<int>(m_chains.size())) m_chains.push_back(chain);
    }
    return m_chains;
}

void DividedApplies::add(GraphId graph, engine::ApplyId apply, std::span<const Lines::Chain> chainsOfIt, std::span<const double> shares)
{
    const ApplyId id{engine::raw(apply)};
    const std::size_t first = lines.size();
    for (std::size_t i = 0; i < chainsOfIt.size(); ++i) {
        const SourceRef &line = chainsOfIt[i].line;
        chains.push_back({graph, id, chainsOfIt[i].chain, shares[i]});
        const auto known = std::find_if(lines.begin() + static_cast<std::ptrdiff_t>(first), lines.end(), [&](const LineShare &one) {
            return one.file == line.file && one.line == static_cast<int>(line.line);
        });
        if (known != lines.end()) known->share += shares[i];
        else lines.push_back({graph, id, line.file, static_cast<int>(line.line), shares[i]});
    }
    if (lines.size() == first + 1) lines.pop_back(); // one line has all of it: its place is with the apply
}

LineShares::LineShares(const engine::FunctionGraph &graph, const engine::Lineage &lineage, TextNumbers &texts,
                       engine::SizesByVariable sizes)
    : m_graph(graph), m_lineage(lineage), m_lines(graph, lineage, texts), m_sizes(std::move(sizes)), m_own(graph.applyCount(), -1)
{}

SizedArray LineShares::sized(engine::VarId var) const
{
    const engine::Type type = m_graph.var(var).type;
    if (!type.isTensor()) return {engine::Type::scalar(engine::DType::Float64), {}};
    if (const auto found = m_sizes.find(engine::raw(var)); found != m_sizes.end()) return {type, found->second};
    engine::Dims shape;
    for (const std::int64_t size : type.shape()) shape.push_back(size == engine::kUnknownDim ? kMiddlingSize : size);
    return {type, shape};
}

LineShares::Arrays LineShares::arraysOf(engine::ApplyId apply) const
{
    const engine::ApplyNode &node = m_graph.apply(apply);
    Arrays arrays;
    const auto add = [&](engine::VarId var, std::vector<SizedArray> &into, std::vector<engine::Type> &types) {
        into.push_back(sized(var));
        types.push_back(into.back().type);
        arrays.elements = std::max(arrays.elements, into.back().elements());
        arrays.bytes += into.back().bytes();
    };
    for (const engine::Use &use : node.inputs) add(use.var, arrays.inputs, arrays.inputTypes);
    for (const engine::VarId out : node.outputs) add(out, arrays.outputs, arrays.outputTypes);
    return arrays;
}

double LineShares::elementNs(const engine::WorkStep &step)
{
    if (step.kind == engine::WorkStep::Kind::Literal) return 0;
    constexpr int kOften = 8; // as often as a rate may be measured anew
    auto known = std::ranges::find_if(m_rates, [&](const Rate &rate) {
        return rate.step.kind == step.kind && rate.step.function == step.function && rate.step.result == step.result &&
               rate.step.arguments == step.arguments;
    });
    if (known == m_rates.end()) known = m_rates.insert(known, Rate{step});
    if (known->asked < kOften) {
        ++known->asked;
        known->ns = machineRates().elementNs(step);
    }
    return known->ns;
}

double LineShares::ownNs(engine::ApplyId original)
{
    double &own = m_own[engine::raw(original)];
    if (own < 0) own = computeOwnNs(original);
    return own;
}

double LineShares::computeOwnNs(engine::ApplyId original)
{
    if (!m_originalsAreSized) {
        m_originalsAreSized = true;
        engine::addOriginalSizes(m_graph, m_sizes);
    }
    const Arrays arrays = arraysOf(original);
    const engine::Op &op = *m_graph.apply(original).op;
    const std::vector<engine::WorkStep> steps = op.workSteps(arrays.inputTypes, arrays.outputTypes);
    if (steps.empty()) return machineRates().applyNs(op, arrays.inputs, arrays.outputs);
    double ns = 0;
    for (const engine::WorkStep &step : steps) ns += elementNs(step) * arrays.elements;
    return ns;
}

LineShares::Weights LineShares::weightsOf(engine::ApplyId apply, std::span<const engine::ApplyId> origins)
{
    WorkRates &rates = machineRates();
    Weights own;
    for (const engine::ApplyId origin : origins) own.push_back(ownNs(origin));
    const Arrays arrays = arraysOf(apply);
    const std::vector<engine::WorkStep> steps = m_graph.apply(apply).op->workSteps(arrays.inputTypes, arrays.outputTypes);
    const auto body = m_graph.bodyOrigins.find(engine::raw(apply));
    if (steps.empty() || body == m_graph.bodyOrigins.end()) return own;

    Weights all(origins.size(), 0);
    std::vector<bool> isInBody(origins.size(), false);
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const engine::WorkStep &step = steps[k];
        double moved = 0;
        for (const std::uint32_t port : step.reads) moved += arrays.inputs[port].bytes();
        for (const std::uint32_t port : step.writes) moved += arrays.outputs[port].bytes();
        const double ns = elementNs(step) * arrays.elements + rates.trafficNs(moved, arrays.bytes);

        // What no instruction says, the combining of elements, is the work of those that no other instruction stems from.
        Weights parts(origins.size(), 0);
        const bool isInstruction = k < body->second.size();
        if (isInstruction)
            for (const engine::ApplyId maker : body->second[k])
                for (const engine::ApplyId origin : m_lineage.origins[engine::raw(maker)]) {
                    const auto at = static_cast<std::size_t>(std::lower_bound(origins.begin(), origins.end(), origin) - origins.begin());
                    if (at == origins.size() || origins[at] != origin) continue;
                    parts[at] = own[at];
                    isInBody[at] = true;
                }
        else
            for (std::size_t i = 0; i < origins.size(); ++i)
                if (!isInBody[i]) parts[i] = own[i];
        if (std::accumulate(parts.begin(), parts.end(), 0.0) == 0) parts = own;
        normalize(parts);
        for (std::size_t i = 0; i < parts.size(); ++i) all[i] += ns * parts[i];
    }
    return all;
}

DividedApplies LineShares::of(GraphId graph, std::span<const engine::ApplyId> applies)
{
    DividedApplies divided;
    std::vector<double> shares;
    for (const engine::ApplyId apply : applies) {
        const std::span<const Lines::Chain> chains = m_lines.of(apply);
        const auto &origins = m_lineage.origins[engine::raw(apply)];
        const Weights weights = weightsOf(apply, {origins.begin(), origins.size()});
        shares.assign(chains.size(), 0);
        for (std::size_t i = 0; i < weights.size(); ++i)
            if (const int place = m_lines.places()[i]; place >= 0) shares[static_cast<std::size_t>(place)] += weights[i];
        normalize(shares);
        divided.add(graph, apply, chains, shares);
    }
    return divided;
}

} // namespace profiler
