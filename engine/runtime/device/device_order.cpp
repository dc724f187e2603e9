#include "engine/runtime/device/device_order.h"

#include "engine/codegen/ir/builder.h"
#include "engine/codegen/kernel_target.h"
#include "engine/device/device.h"

#include <algorithm>

namespace engine {
namespace {

/// So many pairs an item compares its own with sooner than it takes them apart by digits.
std::int64_t mostRanked(const KernelTarget &target) { return target.hasManyItems() ? 4096 : 256; }
/// Few digits for many items, each of which counts its own; many for the few of a processor.
int mostBits(const KernelTarget &target) { return target.hasManyItems() ? 4 : 8; }

/// An item's part of a row of pairs: it counts the digits of its keys, turns counts into where each digit begins, puts pairs there.
ir::Kernel digitsKernel(bool counts, bool begins, bool puts, std::int64_t digits, std::int64_t count, std::int64_t parts,
                        const std::string &name)
{
    ir::Builder k(name);
    const ir::Array keys = k.reads("keys", DType::UInt64), places = k.reads("places", DType::Int64),
                    numbers = k.writes("counts", DType::Int64), orderedKeys = k.writes("orderedKeys", DType::UInt64),
                    orderedPlaces = k.writes("orderedPlaces", DType::Int64);
    const ir::Value shift = k.given("shift"), all = k.number("digits", digits), length = k.number("count", count),
                    some = k.number("parts", parts), i = k.item();
    const ir::Value before = k.let("before", i / some * length);
    const ir::Range within = k.share(length, some, k.let("part", i % some)),
                    range{k.let("from", before + within.begin), k.let("to", before + within.end)};
    const ir::Value mine = k.let("mine", i * all);
    const auto digitOf = [&](const ir::Value &key) { return mine + ir::cast(DType::Int64, (key >> shift) & (all - 1)); };
    if (counts) {
        k.loop("d", {0, all}, [&](const ir::Value &d) { numbers[mine + d] = 0; });
        k.loop("j", range, [&](const ir::Value &j) { numbers[k.let("digit", digitOf(keys[j]))] += 1; });
    }
    if (begins) {
        const ir::Place sum = k.variable("sum", range.begin);
        k.loop("d", {0, all}, [&](const ir::Value &d) {
            const ir::Value those = k.let("those", numbers[mine + d]);
            numbers[mine + d] = sum;
            sum += those;
        });
    }
    if (puts)
        k.loop("j", range, [&](const ir::Value &j) {
            const ir::Value key = k.let("key", keys[j]), digit = k.let("digit", digitOf(key)), to = k.let("to", numbers[digit]);
            numbers[digit] = to + 1;
            orderedKeys[to] = key;
            orderedPlaces[to] = places[j];
        });
    return k.finish();
}

} // namespace

DevicePrefix::DevicePrefix(Device &device, std::int64_t rows, std::int64_t digits, std::int64_t parts, const std::string &name)
{
    const std::int64_t all = rows * digits * parts;
    const std::int64_t items = KernelTarget(device).hasManyItems() ? std::clamp<std::int64_t>(all / 256, 1, 1024) : 1;
    const std::int64_t length = (all + items - 1) / items;
    m_sums.emplace(device.id(), DType::Int64, Dims{items});
    // Numbers of a digit of a row stand together, by part: one runs through them in that order.
    const auto launch = [&](bool isScan) {
        ir::Builder k(name);
        const ir::Array counts = k.writes("counts", DType::Int64), sums = k.writes("sums", DType::Int64);
        const ir::Value width = k.number("digits", digits), some = k.number("parts", parts), end = k.number("all", all),
                        share = k.number("share", length), i = k.item();
        const ir::Value begin = k.let("begin", i * share);
        const ir::Place sum = k.variable("sum", 0);
        if (isScan) k.loop("k", {0, i}, [&](const ir::Value &before) { sum += sums[before]; });
        k.loop("s", {begin, k.let("end", ir::least(begin + share, end))}, [&](const ir::Value &s) {
            const ir::Value at = k.let("at", (s / some / width * some + s % some) * width + s / some % width);
            const ir::Value those = k.let("those", counts[at]);
            if (isScan) counts[at] = sum;
            sum += those;
        });
        if (!isScan) sums[i] = sum;
        return DeviceLaunch(device, k.finish(), items, length);
    };
    if (items > 1) m_sum.emplace(launch(false));
    m_scan.emplace(launch(true));
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
    if (count <= mostRanked(KernelTarget(device))) prepareRanks(rows, count);
    else prepareDigits(rows, count, std::max(bits, 1));
}

void DeviceOrder::prepareRanks(std::int64_t rows, std::int64_t count)
{
    ir::Builder k(m_name);
    const ir::Array keys = k.reads("keys", DType::UInt64), places = k.reads("places", DType::Int64),
                    orderedKeys = k.writes("orderedKeys", DType::UInt64), orderedPlaces = k.writes("orderedPlaces", DType::Int64);
    const ir::Value length = k.number("count", count), i = k.item(), first = k.let("first", i / length * length);
    const ir::Value key = k.let("key", keys[i]);
    const ir::Place to = k.variable("to", first);
    k.loop("j", {first, i}, [&](const ir::Value &j) { to += keys[j] <= key; });
    k.loop("j", {i + 1, first + length}, [&](const ir::Value &j) { to += keys[j] < key; });
    orderedKeys[to] = key;
    orderedPlaces[to] = places[i];
    m_rank.emplace(m_device, k.finish(), rows * count, count);
}

void DeviceOrder::prepareDigits(std::int64_t rows, std::int64_t count, int bits)
{
    const KernelTarget target(m_device);
    const int passes = (bits + mostBits(target) - 1) / mostBits(target), width = (bits + passes - 1) / passes;
    for (int pass = 0; pass < passes; ++pass) m_shifts.push_back(pass * width);
    m_isOdd = passes % 2 != 0;
    const std::int64_t digits = std::int64_t(1) << width, parts = target.partsOf(rows, count, 32), all = rows * parts * digits;
    m_counts.emplace(m_device.id(), DType::Int64, Dims{all});
    const auto launch = [&](bool counts, bool begins, bool puts) {
        return DeviceLaunch(m_device, digitsKernel(counts, begins, puts, digits, count, parts, m_name), rows * parts,
                            (count + parts - 1) / parts);
    };
    if (parts == 1) {
        m_put.emplace(launch(true, true, true));
        return;
    }
    m_count.emplace(launch(true, false, false));
    m_put.emplace(launch(false, false, true));
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
