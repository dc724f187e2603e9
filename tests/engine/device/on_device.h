// What the tests of work on the shadow device share.
#pragma once

#include "tests/engine/compile/build.h"
#include "tests/engine/device/shadow.h"

#include "engine/ops/shapes/transfer.h"
#include "engine/tensor/convert.h"
#include "engine/text/notation.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace on_device {

using namespace build;

inline shadow::Shadow &second() { return shadow::device(); }
inline VarRef there(const VarRef &x) { return transfer(x, second().id()); }
inline VarRef here(const VarRef &x) { return transfer(x, DeviceId::Host); }

inline Tensor drawn(DType dtype, Dims shape, unsigned seed)
{
    std::minstd_rand random(seed);
    Tensor tensor = Tensor::empty(dtype, shape);
    withStorageType(dtype, [&]<class T>() {
        for (std::int64_t i = 0; i < tensor.size(); ++i)
            tensor.as<T>()[i] = convertElement<T>(isContinuous(dtype) ? static_cast<double>(random() % 4000) / 1000 - 2
                                                                      : static_cast<double>(random() % 2));
    });
    return tensor;
}

inline std::vector<Tensor> run(Function &function, const std::vector<Tensor> &inputs)
{
    std::vector<Value> values(inputs.begin(), inputs.end()), results;
    function.call(values, results);
    std::vector<Tensor> tensors;
    for (const Value &value : results) tensors.push_back(value.tensor());
    return tensors;
}

inline std::shared_ptr<Function> compiled(const std::string &text, DeviceId device, const char *mode = "FAST_RUN")
{
    const ParsedExpression parsed = parseExpression(text);
    FunctionSpec spec = request(parsed.inputs, parsed.outputs, {}, mode);
    spec.mode.device = device;
    return Function::compile(std::move(spec));
}

inline void expectSameBits(const Tensor &got, const Tensor &wanted, const std::string &what)
{
    ASSERT_EQ(got.shape(), wanted.shape()) << what;
    ASSERT_EQ(got.dtype(), wanted.dtype()) << what;
    EXPECT_EQ(std::memcmp(got.copy().data(), wanted.copy().data(), got.bytes()), 0) << what;
}

inline std::size_t countOn(const Function &function, DeviceId device, std::string_view className)
{
    std::size_t count = 0;
    for (ApplyId id : function.order()) {
        const auto &apply = function.graph().apply(id);
        count += apply.op->className() == className && function.graph().var(apply.outputs[0]).type.device() == device;
    }
    return count;
}

/// Leaves the device as it was.
class OnDevice : public testing::Test {
protected:
    void SetUp() override
    {
        second().stream().findings(); // it stays
        m_before = (second().stream().finish(), second().liveBytes());
    }
    void TearDown() override
    {
        EXPECT_EQ(second().faults(), "");
        EXPECT_EQ(second().liveBytes(), m_before) << "something was not given back";
    }

private:
    std::size_t m_before = 0;
};

} // namespace on_device
