#include "profiler/session/codec/chains.h"

#include "profiler/session/store/replica.h"

#include <algorithm>

namespace profiler {

void Chains::add(const ChainFacts &next, const StringTable &texts)
{
    if (raw(next.id) != m_calls.size() || next.line < 0) return;
    const std::uint64_t key = std::uint64_t{raw(next.file)} << 32 | static_cast<std::uint32_t>(next.line);
    const auto [known, isNew] = m_known.try_emplace(key, static_cast<std::uint32_t>(m_lines.size()));
    if (isNew) m_lines.push_back({texts.shared(next.file), next.line});
    const bool hasCaller = next.caller != kNoChain && raw(next.caller) < raw(next.id);
    if (!hasCaller) m_filesThatBegin.insert(m_lines[known->second].file);
    m_calls.push_back({hasCaller ? next.caller : kNoChain, known->second, texts.shared(next.function)});
}

std::span<const ChainShare> chainsOf(const std::vector<ChainShare> &ofGraph, ApplyId apply)
{
    const auto found = std::ranges::equal_range(ofGraph, raw(apply), {}, [](const ChainShare &row) { return raw(row.apply); });
    return {found.begin(), found.end()};
}

} // namespace profiler
