// What the form of a kernel depends on: how the items of a device run.
#pragma once

#include "engine/device/device.h"

#include <algorithm>

namespace engine {

class KernelTarget {
public:
    explicit KernelTarget(const Device &device) : m_dialect(device.info().dialect) {}
    explicit KernelTarget(Dialect dialect) : m_dialect(dialect) {}

    /// Returns true if thousands of items run at once, as on a GPU.
    bool hasManyItems() const { return m_dialect == Dialect::CudaC || m_dialect == Dialect::OpenClC; }
    /// Returns true if items are loops on a processor, each over neighbouring elements.
    bool takesStrips() const { return m_dialect == Dialect::OpenClStrips; }
    /// How many items share a row of `count` elements. `least`: elements that are worth an item of a card.
    std::int64_t partsOf(std::int64_t rows, std::int64_t count, std::int64_t least) const
    {
        const std::int64_t items = hasManyItems() ? 16384 : 64;
        return std::max<std::int64_t>(std::min(count / (hasManyItems() ? least : 16384), items / rows), 1);
    }

private:
    Dialect m_dialect;
};

} // namespace engine
