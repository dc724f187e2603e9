#include "profiler/memory/product_copies.h"

#include <array>
#include <cstdio>
#include <optional>
#include <utility>

namespace profiler {
namespace {

// "(70, -8)"
std::optional<std::array<std::int64_t, 2>> pairIn(const std::string &text)
{
    long long first = 0, second = 0;
    int end = 0;
    if (std::sscanf(text.c_str(), "(%lld, %lld)%n", &first, &second, &end) != 2 || end != static_cast<int>(text.size())) return {};
    return std::array<std::int64_t, 2>{first, second};
}

bool isCopied(const BufferRow &row)
{
    const auto shape = pairIn(row.shape), strides = pairIn(row.strides);
    if (!shape || !strides || (*shape)[0] <= 1 || (*shape)[1] <= 1) return false;
    const std::int64_t width = row.bytes / ((*shape)[0] * (*shape)[1]);
    const auto lies = [&](std::size_t along, std::size_t across) {
        return (*strides)[along] == width && (*strides)[across] >= (*shape)[along] * width;
    };
    return !lies(1, 0) && !lies(0, 1);
}

} // namespace

ProductCopies productCopies(std::span<const BufferRow> buffers, std::span<const ApplyInput> inputs,
                            const std::map<ApplyKey, const ApplyRow *> &applies)
{
    std::map<std::pair<GraphId, VariableId>, const BufferRow *> rows;
    for (const BufferRow &row : buffers) rows.emplace(std::pair(row.graph, row.variable), &row);
    std::map<ApplyKey, VariableId> turned; // what a DimShuffle reads
    for (const ApplyInput &input : inputs) {
        const auto found = applies.find({input.graph, input.apply});
        if (found != applies.end() && classNameOf(found->second->opClass) == "DimShuffle" && input.port == 0)
            turned[found->first] = input.variable;
    }
    ProductCopies copies;
    for (const ApplyInput &input : inputs) {
        const auto reader = applies.find({input.graph, input.apply});
        const auto read = rows.find({input.graph, input.variable});
        if (reader == applies.end() || read == rows.end() || roleOf(*reader->second) != OpRole::Product || !isCopied(*read->second))
            continue;
        copies.bytes[reader->first] += read->second->bytes;
        auto written = read;
        if (const auto from = turned.find({input.graph, read->second->apply}); from != turned.end())
            written = rows.find({input.graph, from->second});
        if (written != rows.end() && written->second->kind == BufferKind::Inplace) copies.forInplace += read->second->bytes;
    }
    return copies;
}

} // namespace profiler
