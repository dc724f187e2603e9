// Random graphs on a device beside the same on the host.
#pragma once

#include "engine/compile/function/function.h"
#include "tests/engine/rewrite/random_graph.h"

namespace each_device {

/// Empty: every output of the graph that this seed draws is what the host has.
inline std::string differenceOnRandomGraph(std::uint32_t seed, engine::DeviceId device)
{
    using namespace engine;
    const rewrite_test::RandomGraph random = rewrite_test::randomGraph(seed, 24, seed % 2);
    const auto run = [&](DeviceId where) {
        FunctionSpec spec;
        for (const VarRef &input : random.inputs) spec.inputs.push_back({input});
        spec.outputs = random.outputs;
        spec.onUnusedInput = OnUnusedInput::Ignore;
        spec.mode = Mode::named("FAST_RUN");
        spec.mode.device = where;
        std::vector<Value> results;
        Function::compile(std::move(spec))->call(random.values, results);
        return results;
    };
    const std::vector<Value> wanted = run(DeviceId::Host), got = run(device);
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (const std::string text = rewrite_test::difference(wanted[i], got[i], 2e-5); !text.empty())
            return "output " + std::to_string(i) + ": " + text;
    return "";
}

} // namespace each_device
