// The local rewrites of a pass by what they track, so that an apply meets only those that look at its op.
#pragma once

#include "engine/rewrite/machine/registry.h"

#include <array>
#include <cstdint>
#include <memory>
#include <typeindex>
#include <unordered_map>
#include <vector>

namespace engine {

/// Numbers of rewrites in allRewrites(), in their order.
using Bucket = std::vector<std::uint16_t>;

class Dispatch {
public:
    void add(std::size_t entry, const RewriteInfo &info);
    /// Those that track this op. Valid as long as the dispatch.
    const Bucket &find(const Op &op) const;

private:
    Bucket joined(std::initializer_list<const Bucket *> buckets) const;

    std::unordered_map<std::type_index, Bucket> m_byType;
    std::unordered_map<std::uint16_t, Bucket> m_byScalar;
    Bucket m_any;

    // What find() put together before.
    struct Known {
        std::size_t classKey = 0;
        const std::type_info *type = nullptr;
        const Bucket *bucket = nullptr;
    };
    mutable std::array<Known, 64> m_recent{};
    mutable std::unordered_map<std::type_index, Bucket> m_knownTypes;
    mutable std::vector<std::unique_ptr<Bucket>> m_knownScalars; ///< of Elemwise, by function
};

} // namespace engine
