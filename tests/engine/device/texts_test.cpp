// Every kernel that the suite of devices launches, and those of random graphs, taken by CUDA's own compiler for the oldest card that it
// knows and for one of today.
#include "tests/engine/codegen/nvrtc.h"
#include "tests/engine/device/conv_cases.h"
#include "tests/engine/device/op_cases.h"
#include "tests/engine/device/paper.h"
#include "tests/engine/rewrite/random_graph.h"

#include "engine/compile/function/function.h"

#include <gtest/gtest.h>

using namespace engine;

namespace {

paper::Paper &device()
{
    static paper::Paper &one = []() -> paper::Paper & {
        auto made = std::make_unique<paper::Paper>();
        paper::Paper &result = *made;
        addDevice(std::move(made));
        return result;
    }();
    return one;
}

// Values are nobody's business: indices that were computed there are all 0.
void runOnDevice(const std::vector<VarRef> &inputs, const std::vector<VarRef> &outputs, const char *mode,
                 std::vector<std::vector<Value>> calls)
{
    FunctionSpec spec;
    for (const VarRef &input : inputs) spec.inputs.push_back({input});
    spec.outputs = outputs;
    spec.onUnusedInput = OnUnusedInput::Ignore;
    spec.mode = Mode::named(mode);
    spec.mode.device = device().id();
    const auto f = Function::compile(std::move(spec));
    for (const std::vector<Value> &call : calls) {
        std::vector<Value> results;
        f->call(call, results);
    }
}

void runAll()
{
    for (const device_ops::Case &one : device_ops::kCases) {
        const ParsedExpression parsed = parseExpression(one.text);
        std::vector<std::vector<Value>> calls;
        for (const auto &[rows, columns] : {std::pair(3, 4), std::pair(1, 2), std::pair(17, 33), std::pair(1100, 1000)}) {
            if (rows > 1000 && !std::string_view(one.forms).starts_with("GpuElemwise")) continue;
            std::minstd_rand random(1);
            std::vector<Value> plain, turned;
            for (const VarRef &input : parsed.inputs) {
                const Tensor array = device_ops::drawn(input->type(), random, rows, columns);
                plain.emplace_back(array);
                turned.emplace_back(device_ops::withGaps(array));
            }
            calls.push_back(plain);
            calls.push_back(turned);
        }
        for (const char *mode : {"FAST_RUN", "FAST_COMPILE"}) runOnDevice(parsed.inputs, parsed.outputs, mode, calls);
    }
    for (const conv_cases::Case &one : conv_cases::all()) {
        const ParsedExpression parsed = parseExpression(one.text);
        std::minstd_rand random(1);
        std::vector<Value> values;
        for (std::size_t i = 0; i < one.shapes.size(); ++i)
            values.emplace_back(conv_cases::drawn(parsed.inputs[i]->type().dtype(), one.shapes[i], random));
        runOnDevice(parsed.inputs, parsed.outputs, "FAST_RUN", {values});
    }
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        const rewrite_test::RandomGraph random = rewrite_test::randomGraph(seed, 24, seed % 2);
        runOnDevice(random.inputs, random.outputs, "FAST_RUN", {random.values});
    }
}

// Many kernels at a time: most of a compile is its beginning.
std::string together(const std::vector<const std::string *> &texts)
{
    std::string all;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        std::string text = *texts[i];
        const std::string name = "croton_kernel_0(";
        text.replace(text.find(name), name.size(), "croton_kernel_" + std::to_string(i) + "(");
        all += "namespace n" + std::to_string(i) + " {\n" + text + "}\n";
    }
    return all;
}

TEST(KernelTexts, OfTheSuiteAreTakenByCudasCompiler)
{
    static const Nvrtc nvrtc;
    if (!nvrtc.isThere()) GTEST_SKIP() << "there is no NVRTC (libnvrtc.so)";
    runAll();
    std::vector<const std::string *> texts;
    for (const auto &[text, name] : device().texts()) texts.push_back(&text);
    RecordProperty("kernels", static_cast<int>(texts.size()));
    ASSERT_GT(texts.size(), 150u) << "the suite launches more";
    for (std::size_t first = 0; first < texts.size(); first += 40) {
        const std::vector<const std::string *> some(texts.begin() + static_cast<std::ptrdiff_t>(first),
                                                    texts.begin() + static_cast<std::ptrdiff_t>(std::min(first + 40, texts.size())));
        for (const char *target : {"compute_75", "sm_90"}) ASSERT_EQ(nvrtc.compile(together(some), target), "") << together(some);
    }
}

} // namespace
