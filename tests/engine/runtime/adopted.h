// A thunk with its kernel compiled, for tests that compare both tiers.
#pragma once

#include "engine/codegen/kernel_service.h"
#include "engine/runtime/thunks/thunk.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

/// False: the thunk has no kernel. One that does not compile is a failure.
inline bool adoptCompiled(engine::Thunk &thunk)
{
    auto text = thunk.kernelText();
    if (!text) return false;
    const auto kernel = engine::internKernel(std::move(*text));
    static std::vector<std::shared_ptr<engine::Kernel>> kept; // so that none is compiled twice
    kept.push_back(kernel);
    if (!engine::loadCachedKernels({kernel})) engine::requestKernels({kernel});
    engine::waitForKernels();
    EXPECT_EQ(kernel->state, engine::KernelState::Ready) << kernel->text.body;
    if (kernel->state != engine::KernelState::Ready) return false;
    thunk.adopt(kernel->function, kernel->text.math.data());
    return true;
}
