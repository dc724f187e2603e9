// Convolutions and poolings on every device against the host's: by its library of convolutions where it has one, and by matrix products.
#include "tests/engine/device/conv_cases.h"
#include "tests/engine/device/each_device.h"

#include "engine/compile/function/function.h"
#include "engine/rewrite/machine/registry.h"
#include "engine/text/notation.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

using namespace engine;

namespace {

FunctionSpec requestOf(const ParsedExpression &parsed, DeviceId device, bool byLibrary)
{
    FunctionSpec spec;
    for (const VarRef &input : parsed.inputs) spec.inputs.push_back({input});
    spec.outputs = parsed.outputs;
    spec.mode = Mode::named("FAST_RUN");
    spec.mode.device = device;
    spec.mode.onRewriteError = OnRewriteError::Raise;
    if (!byLibrary) spec.mode.excluding.push_back("cudnn");
    return spec;
}

std::vector<Tensor> run(Function &function, const std::vector<Tensor> &inputs)
{
    const std::vector<Value> values(inputs.begin(), inputs.end());
    std::vector<Value> results;
    function.call(values, results);
    std::vector<Tensor> tensors;
    for (const Value &result : results) tensors.push_back(result.tensor());
    return tensors;
}

std::set<std::string> classesOf(const Function &function)
{
    std::set<std::string> names;
    for (ApplyId id : function.order()) names.insert(function.graph().apply(id).op->shownClass());
    return names;
}

std::string joined(const std::set<std::string> &names)
{
    std::string all;
    for (const std::string &name : names) all += name + " ";
    return all;
}

void expectNear(const std::vector<Tensor> &got, const std::vector<Tensor> &wanted, const std::string &what)
{
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t k = 0; k < got.size(); ++k) {
        ASSERT_EQ(got[k].shape(), wanted[k].shape()) << what;
        ASSERT_EQ(got[k].dtype(), wanted[k].dtype()) << what;
        const double step = got[k].dtype() == DType::Float64 ? 1e-12 : got[k].dtype() == DType::Float16 ? 4e-3 : 1e-5;
        for (std::int64_t i = 0; i < got[k].size(); ++i)
            ASSERT_NEAR(got[k].at(i), wanted[k].at(i), step * (1 + std::fabs(wanted[k].at(i))))
                << what << ", output " << k << ", element " << i;
    }
}

class DeviceConvolutions : public testing::TestWithParam<std::tuple<const char *, conv_cases::Case>> {
protected:
    void SetUp() override
    {
        m_device = each_device::find(std::get<0>(GetParam()));
        if (!m_device) GTEST_SKIP() << each_device::problem(std::get<0>(GetParam()));
    }
    Device *m_device = nullptr;
};

INSTANTIATE_TEST_SUITE_P(All, DeviceConvolutions,
                         testing::Combine(testing::ValuesIn(each_device::others()), testing::ValuesIn(conv_cases::all())),
                         [](const auto &info) {
                             return each_device::testName(std::get<0>(info.param)) + "_" + std::get<1>(info.param).name;
                         });

TEST_P(DeviceConvolutions, GiveWhatTheHostGives)
{
    const conv_cases::Case &one = std::get<1>(GetParam());
    const ParsedExpression parsed = parseExpression(one.text);
    std::minstd_rand random(3);
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < one.shapes.size(); ++i)
        inputs.push_back(conv_cases::drawn(parsed.inputs[i]->type().dtype(), one.shapes[i], random));
    const std::vector<Tensor> wanted = run(*Function::compile(requestOf(parsed, DeviceId::Host, false)), inputs);
    for (const bool byLibrary : {false, true}) {
        if (byLibrary && !m_device->whyNoConvolutions().empty()) continue;
        const auto there = Function::compile(requestOf(parsed, m_device->id(), byLibrary));
        const std::set<std::string> classes = classesOf(*there);
        std::istringstream names(byLibrary ? "" : one.classes);
        for (std::string name; names >> name;) EXPECT_TRUE(classes.count(name)) << name << " is not among " << joined(classes);
        for (const std::string &name : classes)
            EXPECT_TRUE(name.find("Corr") == std::string::npos || name.starts_with("Gpu")) << name << " stayed on the host";
        for (int again = 0; again < 2; ++again) expectNear(run(*there, inputs), wanted, byLibrary ? "by the library" : "by products");
    }
    m_device->stream().finish();
}

TEST_P(DeviceConvolutions, AgreeInDebugMode)
{
    const conv_cases::Case &one = std::get<1>(GetParam());
    if (one.shapes[0][0] == 0) GTEST_SKIP() << "there is nothing to compare";
    const ParsedExpression parsed = parseExpression(one.text);
    FunctionSpec spec = requestOf(parsed, m_device->id(), true);
    spec.mode.debug = DebugChecks{};
    std::minstd_rand random(4);
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < one.shapes.size(); ++i)
        inputs.push_back(conv_cases::drawn(parsed.inputs[i]->type().dtype(), one.shapes[i], random));
    EXPECT_NO_THROW(run(*Function::compile(std::move(spec)), inputs));
}

class DeviceLibraries : public testing::TestWithParam<const char *> {
protected:
    void SetUp() override
    {
        m_device = each_device::find(GetParam());
        if (!m_device) GTEST_SKIP() << each_device::problem(GetParam());
    }
    Device *m_device = nullptr;
};

INSTANTIATE_TEST_SUITE_P(All, DeviceLibraries, testing::ValuesIn(each_device::others()),
                         [](const auto &info) { return each_device::testName(info.param); });

TEST_P(DeviceLibraries, ConvolveWhereThereIsOneAndSayWhyNot)
{
    const ParsedExpression parsed =
        parseExpression("x: ftensor4; k: ftensor4; y = conv2d(x, k); y, grad(sum(sqr(y)), x), grad(sum(sqr(y)), k)");
    const auto there = Function::compile(requestOf(parsed, m_device->id(), true));
    const std::set<std::string> classes = classesOf(*there);
    const bool hasOne = m_device->whyNoConvolutions().empty();
    for (const char *name : {"GpuDnnConv", "GpuDnnConvGradW", "GpuDnnConvGradI"}) EXPECT_EQ(classes.count(name), hasOne) << joined(classes);
    std::string reasons;
    for (const auto &info : there->rewrites().rewrites)
        for (const auto &[reason, count] : info.declines)
            if (info.info->name == "local_abstractconv_cudnn") reasons += std::string(reason) + "\n";
    if (hasOne) return;
    EXPECT_NE(reasons.find(m_device->whyNoConvolutions()), std::string::npos) << reasons;
}

TEST_P(DeviceLibraries, ManyImagesAreTakenSomeAtATime)
{
    // Columns of one image fill a quarter of what is taken together.
    const ParsedExpression parsed =
        parseExpression("x: ftensor4; k: ftensor4; y = conv2d(x, k, border=\"half\"); y, grad(sum(sqr(y)), x), grad(sum(sqr(y)), k)");
    if (std::string(GetParam()) != "opencl0:0") GTEST_SKIP() << "its memory is small, or slow";
    std::minstd_rand random(5);
    const std::vector<Tensor> inputs{conv_cases::drawn(DType::Float32, {9, 2, 300, 300}, random),
                                     conv_cases::drawn(DType::Float32, {2, 2, 5, 5}, random)};
    const auto there = Function::compile(requestOf(parsed, m_device->id(), false)),
               here = Function::compile(requestOf(parsed, DeviceId::Host, false));
    const std::vector<Tensor> got = run(*there, inputs), wanted = run(*here, inputs);
    for (std::size_t k = 0; k < 3; ++k)
        for (std::int64_t i = 0; i < wanted[k].size(); i += 17)
            ASSERT_NEAR(got[k].at(i), wanted[k].at(i), 2e-4 * (1 + std::fabs(wanted[k].at(i)))) << k << ", " << i;
}

} // namespace
