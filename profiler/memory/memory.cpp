#include "profiler/memory/memory.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace profiler {

namespace {

struct Life {
    VariableId root = kNoVariable;
    std::int64_t bytes = 0;
    int from = 0;
    int to = 0;
    bool counted = true; // false: memory of an input, shared variable or constant
};

using RowsByVariable = std::unordered_map<std::uint32_t, const BufferRow *>;

bool isOwn(BufferKind kind, bool honourInplace) { return kind == BufferKind::Created || (kind == BufferKind::Inplace && !honourInplace); }

// The variable whose memory this one uses. A file may hold a circle: it ends after as many steps as rows.
const BufferRow &rootOf(const BufferRow &row, const RowsByVariable &rows, bool honourInplace)
{
    const BufferRow *at = &row;
    for (std::size_t steps = 0; steps < rows.size(); ++steps) {
        const bool shares = at->kind == BufferKind::View || (at->kind == BufferKind::Inplace && honourInplace);
        const auto next = rows.find(raw(at->of));
        if (!shares || next == rows.end()) break;
        at = next->second;
    }
    return *at;
}

std::vector<Life> livesOf(std::span<const BufferRow> buffers, const RowsByVariable &rows, bool honourInplace)
{
    std::map<std::uint32_t, Life> lives;
    for (const BufferRow &row : buffers) {
        const BufferRow &root = rootOf(row, rows, honourInplace);
        const auto [entry, isNew] = lives.try_emplace(raw(root.variable));
        Life &life = entry->second;
        if (isNew) {
            life.root = root.variable;
            life.from = root.from;
            life.to = root.to;
            life.counted = isOwn(root.kind, honourInplace);
        }
        life.bytes = std::max(life.bytes, &row == &root ? row.bytes : std::int64_t{0});
        life.from = std::min(life.from, row.from);
        life.to = std::max(life.to, row.to);
    }
    std::vector<Life> result;
    for (const auto &entry : lives)
        if (entry.second.counted) result.push_back(entry.second);
    return result;
}

MemoryPeak peakOf(const std::vector<Life> &lives, std::vector<std::int64_t> *course)
{
    std::map<std::int64_t, std::int64_t> changes; // at a position: what is allocated, minus what died before it
    for (const Life &life : lives) {
        changes[life.from] += life.bytes;
        changes[std::int64_t{life.to} + 1] -= life.bytes;
    }
    MemoryPeak peak;
    std::int64_t live = 0;
    for (const auto &[position, change] : changes) {
        live += change;
        if (live > peak.bytes) peak.bytes = live, peak.position = static_cast<int>(position);
    }
    std::vector<const Life *> holders;
    for (const Life &life : lives)
        if (life.from <= peak.position && peak.position <= life.to && life.bytes > 0) holders.push_back(&life);
    std::stable_sort(holders.begin(), holders.end(), [](const Life *a, const Life *b) { return a->bytes > b->bytes; });
    for (const Life *life : holders) peak.holders.push_back(life->root);
    if (course && !changes.empty()) {
        constexpr std::int64_t kMaxPositions = 10'000'000; // of a damaged file
        live = 0;
        auto next = changes.begin();
        const std::int64_t last = std::min(changes.rbegin()->first, kMaxPositions);
        for (std::int64_t position = 0; position < last; ++position) {
            for (; next != changes.end() && next->first <= position; ++next) live += next->second;
            course->push_back(live);
        }
    }
    return peak;
}

} // namespace

MemoryReport memoryReport(std::span<const BufferRow> buffers)
{
    MemoryReport report;
    RowsByVariable rows;
    for (const BufferRow &row : buffers) rows.emplace(raw(row.variable), &row);
    for (const BufferRow &row : buffers) {
        if (row.apply == kNoApply) continue;
        MemoryRow one;
        one.node = {row.graph, row.apply};
        one.variable = row.variable;
        one.position = row.from;
        one.bytes = row.bytes;
        one.shape = row.shape;
        report.allBytes += row.bytes;
        if (row.kind == BufferKind::View) {
            one.letter = 'v';
            report.viewBytes += row.bytes;
        } else if (row.kind == BufferKind::Inplace) {
            one.letter = 'i';
            report.inplaceBytes += row.bytes;
        } else {
            report.noGcBytes += row.bytes;
        }
        report.rows.push_back(one);
    }
    std::stable_sort(report.rows.begin(), report.rows.end(), [](const MemoryRow &a, const MemoryRow &b) { return a.bytes > b.bytes; });
    report.peak = peakOf(livesOf(buffers, rows, true), &report.liveBytes);
    report.peakNoInplace = peakOf(livesOf(buffers, rows, false), nullptr);
    report.savedByGc = report.noGcBytes - report.peak.bytes;
    return report;
}

std::map<std::string, std::int64_t> peaksByDevice(std::span<const BufferRow> buffers)
{
    std::map<std::string, std::vector<BufferRow>> byDevice;
    for (const BufferRow &row : buffers) byDevice[row.device.empty() ? "cpu" : row.device].push_back(row);
    std::map<std::string, std::int64_t> peaks;
    for (const auto &[device, rows] : byDevice) peaks[device] = memoryReport(rows).peak.bytes;
    return peaks;
}

OutsideMemory outsideMemory(std::span<const BufferRow> buffers)
{
    RowsByVariable rows;
    int last = 0;
    for (const BufferRow &row : buffers) {
        rows.emplace(raw(row.variable), &row);
        last = std::max(last, row.to);
    }
    std::vector<BufferRow> outside;
    for (const BufferRow &row : buffers)
        if (rootOf(row, rows, true).offset < 0) outside.push_back(row);
    RowsByVariable outsideRows;
    for (const BufferRow &row : outside) outsideRows.emplace(raw(row.variable), &row);
    const std::vector<Life> lives = livesOf(outside, outsideRows, true);
    OutsideMemory result;
    result.peakBytes = peakOf(lives, nullptr).bytes;
    for (const Life &life : lives) result.hasIntermediates = result.hasIntermediates || (life.bytes > 0 && life.to < last);
    return result;
}

std::vector<ApplyMemory> applyMemory(const MemoryReport &report)
{
    std::vector<const MemoryRow *> rows;
    for (const MemoryRow &row : report.rows) rows.push_back(&row);
    std::stable_sort(rows.begin(), rows.end(), [](const MemoryRow *a, const MemoryRow *b) {
        return a->node != b->node ? a->node < b->node : a->variable < b->variable;
    });
    std::vector<ApplyMemory> applies;
    for (const MemoryRow *row : rows) {
        const bool same = !applies.empty() && applies.back().node == row->node;
        if (!same) applies.push_back({row->node, 0, {}, {}, {}});
        ApplyMemory &apply = applies.back();
        apply.bytes += row->bytes;
        (apply.sizes += same ? ", " : "") += std::to_string(row->bytes);
        (apply.shapes += same ? ", " : "") += row->shape;
        (apply.letters += same ? " " : "") += row->letter;
    }
    std::stable_sort(applies.begin(), applies.end(), [](const ApplyMemory &a, const ApplyMemory &b) { return a.bytes > b.bytes; });
    return applies;
}

} // namespace profiler
