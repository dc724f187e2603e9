#include "engine/runtime/device_order.h"

#include "engine/codegen/device_writer.h"
#include "engine/device/device.h"

#include <algorithm>

namespace engine {
namespace {

/// So many pairs an item compares its own with sooner than it takes them apart by digits.
std::int64_t mostRanked(Dialect dialect) { return isOfCards(dialect) ? 4096 : 256; }
/// Few digits for many items, each of which counts its own; many for the few of a processor.
int mostBits(Dialect dialect) { return isOfCards(dialect) ? 4 : 8; }
/// How many items share a row.
std::int64_t partsOfRow(Dialect dialect, std::int64_t rows, std::int64_t count)
{
    const std::int64_t items = isOfCards(dialect) ? 16384 : 64, least = isOfCards(dialect) ? 32 : 16384;
    return std::max<std::int64_t>(std::min(count / least, items / rows), 1);
}

const KernelParameter kSorting[] = {
    {"keys", "const u64"}, {"places", "const i64"}, {"counts", "i64"}, {"orderedKeys", "u64"}, {"orderedPlaces", "i64"},
    {"shift", ""},         {"digits", ""},          {"count", ""},     {"parts", ""}};

const char *const kStretch = "        const i64 row = i / parts, part = i % parts, share = (count + parts - 1) / parts;\n"
                             "        const i64 over = row * count + count, first = row * count + part * share;\n"
                             "        const i64 begin = first < over ? first : over, end = begin + share < over ? begin + share : over;\n"
                             "        const i64 mine = i * digits;\n";
const char *const kCount = "        for (i64 d = 0; d < digits; ++d) counts[mine + d] = 0;\n"
                           "        for (i64 j = begin; j < end; ++j) ++counts[mine + (i64)(keys[j] >> shift & (u64)(digits - 1))];\n";
const char *const kBegins = "        i64 sum = begin;\n"
                            "        for (i64 d = 0; d < digits; ++d) { const i64 those = counts[mine + d]; counts[mine + d] = sum; "
                            "sum += those; }\n";
const char *const kPut = "        for (i64 j = begin; j < end; ++j) {\n"
                         "            const u64 key = keys[j];\n"
                         "            const i64 digit = mine + (i64)(key >> shift & (u64)(digits - 1)), to = counts[digit];\n"
                         "            counts[digit] = to + 1;\n            orderedKeys[to] = key;\n"
                         "            orderedPlaces[to] = places[j];\n        }\n";

// Numbers of a digit of a row stand together, by part: one runs through them in that order.
const KernelParameter kSumming[] = {{"counts", "i64"}, {"sums", "i64"}, {"digits", ""}, {"parts", ""}, {"all", ""}, {"share", ""}};
const char *const kEach = "        const i64 begin = i * share, end = begin + share < all ? begin + share : all;\n        i64 sum = 0;\n";
const char *const kAt = "            const i64 part = s % parts, at = (s / parts / digits * parts + part) * digits + s / parts % digits;\n";

} // namespace

DevicePrefix::DevicePrefix(Device &device, std::int64_t rows, std::int64_t digits, std::int64_t parts, const std::string &name)
{
    const Dialect dialect = device.info().dialect;
    const std::int64_t all = rows * digits * parts, items = isOfCards(dialect) ? std::clamp<std::int64_t>(all / 256, 1, 1024) : 1;
    const std::int64_t share = (all + items - 1) / items;
    m_sums.emplace(device.id(), DType::Int64, Dims{items});
    const auto launch = [&](const std::string &body) {
        return DeviceLaunch(device, {name, kernelUnit(dialect, kSumming, kEach + body), {}}, {digits, parts, all, share}, items, share);
    };
    const std::string each = std::string("        for (i64 s = begin; s < end; ++s) {\n") + kAt;
    if (items > 1) m_sum.emplace(launch(each + "            sum += counts[at];\n        }\n        sums[i] = sum;\n"));
    m_scan.emplace(
        launch("        for (i64 k = 0; k < i; ++k) sum += sums[k];\n" + each +
               "            const i64 those = counts[at];\n            counts[at] = sum;\n            sum += those;\n        }\n"));
}

void DevicePrefix::run(void *numbers)
{
    void *const arrays[] = {numbers, m_sums->data()};
    if (m_sum) m_sum->run(arrays);
    m_scan->run(arrays);
}

DeviceOrder::DeviceOrder(Device &device, std::int64_t rows, std::int64_t count, int bits, const std::string &name)
    : m_device(device), m_name(name), m_pairs{{{device.id(), DType::UInt64, {rows * count}}, {device.id(), DType::Int64, {rows * count}}},
                                              {{device.id(), DType::UInt64, {rows * count}}, {device.id(), DType::Int64, {rows * count}}}}
{
    if (rows * count == 0) return;
    if (count <= mostRanked(device.info().dialect)) prepareRanks(rows, count);
    else prepareDigits(rows, count, std::max(bits, 1));
}

void DeviceOrder::prepareRanks(std::int64_t rows, std::int64_t count)
{
    const KernelParameter parameters[] = {
        {"keys", "const u64"}, {"places", "const i64"}, {"orderedKeys", "u64"}, {"orderedPlaces", "i64"}, {"count", ""}};
    const char *const body = "        const i64 first = i / count * count, end = first + count;\n"
                             "        const u64 key = keys[i];\n        i64 to = first;\n"
                             "        for (i64 j = first; j < i; ++j) to += keys[j] <= key;\n"
                             "        for (i64 j = i + 1; j < end; ++j) to += keys[j] < key;\n"
                             "        orderedKeys[to] = key;\n        orderedPlaces[to] = places[i];\n";
    m_rank.emplace(m_device, KernelSource{m_name, kernelUnit(m_device.info().dialect, parameters, body), {}},
                   std::vector<std::int64_t>{count}, rows * count, count);
}

void DeviceOrder::prepareDigits(std::int64_t rows, std::int64_t count, int bits)
{
    const Dialect dialect = m_device.info().dialect;
    const int passes = (bits + mostBits(dialect) - 1) / mostBits(dialect), width = (bits + passes - 1) / passes;
    for (int pass = 0; pass < passes; ++pass) m_shifts.push_back(pass * width);
    m_isOdd = passes % 2 != 0;
    const std::int64_t digits = std::int64_t(1) << width, parts = partsOfRow(dialect, rows, count), all = rows * parts * digits;
    m_counts.emplace(m_device.id(), DType::Int64, Dims{all});
    const std::string stretch = kStretch;
    const auto sorting = [&](const std::string &body) {
        return DeviceLaunch(m_device, {m_name, kernelUnit(dialect, kSorting, body), {}}, {0, digits, count, parts}, rows * parts,
                            (count + parts - 1) / parts);
    };
    if (parts == 1) {
        m_put.emplace(sorting(stretch + kCount + kBegins + kPut));
        return;
    }
    m_count.emplace(sorting(stretch + kCount));
    m_put.emplace(sorting(stretch + kPut));
    m_before.emplace(m_device, rows, digits, parts, m_name);
}

void DeviceOrder::run()
{
    if (m_rank) {
        void *const arrays[] = {keys(), places(), orderedKeys(), orderedPlaces()};
        return m_rank->run(arrays);
    }
    bool from = false;
    for (const std::int64_t shift : m_shifts) {
        const std::int64_t given[] = {shift};
        void *const arrays[] = {m_pairs[from].keys.data(), m_pairs[from].places.data(), m_counts->data(), m_pairs[!from].keys.data(),
                                m_pairs[!from].places.data()};
        if (m_count) {
            m_count->run(arrays, given);
            m_before->run(m_counts->data());
        }
        m_put->run(arrays, given);
        from = !from;
    }
}

} // namespace engine
