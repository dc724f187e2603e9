// What work costs on this machine, in nanoseconds on one core.
#pragma once

#include "engine/graph/op/op.h"
#include "profiler/session/model/model.h"

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace profiler {

using SizedArray = engine::Sized;

/// Each function is measured when it is asked for: its primitives on a block in the first cache, as kernels call them. The best of the
/// first few times counts, since others use the machine meanwhile.
/// For any number of threads.
class WorkRates {
public:
    /// Products and memory go at the machine's roofs.
    explicit WorkRates(const std::vector<Roof> &roofs);

    /// Computing one step for one element.
    double elementNs(const engine::WorkStep &step);
    /// Moving so many bytes when an apply touches `workingSet` of them in all: what lies in the first cache costs nothing more.
    double trafficNs(double bytes, double workingSet) const;
    /// A whole apply whose work has no steps.
    double applyNs(const engine::Op &op, std::span<const SizedArray> inputs, std::span<const SizedArray> outputs) const;

    /// What was measured so far, as roofs: "element.exp.float64" in nanoseconds.
    std::vector<Roof> measured() const;

private:
    mutable std::mutex m_mutex; // guards m_elements
    struct Rate {
        double ns = 0;
        int samples = 0;
    };
    std::map<std::string, Rate> m_elements;                                   // by name of the function and its dtypes
    double m_float32Flops = 0, m_float64Flops = 0, m_memory = 0, m_cache = 0; // per nanosecond
    double m_firstCache = 0, m_secondCache = 0;                               // bytes
};

/// Of this process, measured on first use.
WorkRates &machineRates();

} // namespace profiler
