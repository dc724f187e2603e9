// Putting pairs of a key and a place in order on a device, by kernels: what names places of arrays there, and sorts.
#pragma once

#include "engine/runtime/device/device_launch.h"
#include "engine/runtime/device/device_windows.h"

#include <optional>
#include <string>
#include <vector>

namespace engine {

/// Numbers become the sums of those before them: of rows of so many digits of so many parts, those of a digit stand together, by part. In
/// memory the digits of a part do.
class DevicePrefix {
public:
    DevicePrefix(Device &device, std::int64_t rows, std::int64_t digits, std::int64_t parts, const std::string &name);
    void run(void *numbers);

private:
    std::optional<DeviceScratch> m_sums;
    std::optional<DeviceLaunch> m_sum, m_scan; ///< no m_sum: an item does it all
};

/// Rows of `count` pairs each, every row by itself, by the lowest `bits` of the keys. Equal keys stay in their order.
class DeviceOrder {
public:
    DeviceOrder(Device &device, std::int64_t rows, std::int64_t count, int bits, const std::string &name);
    /// Whole numbers of 64 bits, without signs: to be written before run().
    void *keys() const { return m_pairs[0].keys.data(); }
    void *places() const { return m_pairs[0].places.data(); }
    void run();
    /// What run() leaves.
    void *orderedKeys() const { return m_pairs[m_isOdd].keys.data(); }
    void *orderedPlaces() const { return m_pairs[m_isOdd].places.data(); }

private:
    struct Pairs {
        DeviceScratch keys, places;
    };
    void prepareRanks(std::int64_t rows, std::int64_t count);
    void prepareDigits(std::int64_t rows, std::int64_t count, int bits);

    Device &m_device;
    std::string m_name;
    Pairs m_pairs[2];
    std::vector<std::int64_t> m_shifts; ///< one by digit; none: by ranks
    bool m_isOdd = true;                ///< where the last step leaves them
    std::optional<DeviceScratch> m_counts;
    std::optional<DevicePrefix> m_before;
    std::optional<DeviceLaunch> m_rank, m_count, m_put; ///< no m_count: m_put does it all
};

} // namespace engine
