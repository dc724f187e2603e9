#include "profiler/stats/times/result_sizes.h"

#include <algorithm>

namespace profiler {

ResultSizes::ResultSizes(const GraphReplica &final, const std::vector<VariableRow> &variables) : m_final(final)
{
    for (const VariableRow &row : variables)
        if (row.inOptimized && row.bytes >= 0) m_bytes.emplace(raw(row.variable), row.bytes);
    // Backwards: what replaced a result may have been replaced later.
    for (int step = final.stepCount(); step > 0; --step) {
        const std::vector<Edit> edits = final.edits(step);
        for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) {
            const auto inherit = [this](VariableId before, VariableId after) {
                if (before == kNoVariable || after == kNoVariable) return;
                if (const auto heir = m_bytes.find(raw(after)); heir != m_bytes.end()) m_bytes.emplace(raw(before), heir->second);
            };
            if (const auto *input = std::get_if<SetInput>(&*edit)) inherit(input->before, input->after);
            else if (const auto *output = std::get_if<SetOutput>(&*edit)) inherit(output->before, output->after);
        }
    }
}

std::optional<std::int64_t> ResultSizes::ownBytes(ApplyId id) const
{
    const ReplicaApply *apply = m_final.apply(id);
    if (!apply) return {};
    std::int64_t bytes = 0;
    for (std::size_t port = 0; port < apply->outputs.size(); ++port) {
        const auto reuses = [port](const PortPair &pair) { return pair.output == port; };
        if (std::any_of(apply->views.begin(), apply->views.end(), reuses) ||
            std::any_of(apply->destroys.begin(), apply->destroys.end(), reuses))
            continue;
        const auto known = m_bytes.find(raw(apply->outputs[port]));
        if (known == m_bytes.end()) return {};
        bytes += known->second;
    }
    return bytes;
}

std::optional<std::int64_t> ResultSizes::bytesMore(const std::set<ApplyId> &gone, const std::set<ApplyId> &come) const
{
    std::int64_t more = 0;
    for (const auto &[applies, sign] : {std::pair(&gone, -1), std::pair(&come, 1)})
        for (const ApplyId apply : *applies) {
            const std::optional<std::int64_t> bytes = ownBytes(apply);
            if (!bytes) return {};
            more += sign * *bytes;
        }
    return more;
}

} // namespace profiler
