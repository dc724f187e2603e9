// Index arrays that lie on a device are read there: what they name, what is told of one that is out of bounds and when, and what is sent.
#include "tests/engine/device/each_device.h"
#include "tests/engine/device/on_device.h"

#include "engine/compile/function/later_errors.h"
#include "engine/compile/function/run_error.h"
#include "engine/ops/index/index_advanced.h"

using namespace on_device;

namespace {

Tensor floats(std::initializer_list<double> list, Dims shape = {}) { return values(list, shape).converted(DType::Float32); }

std::string firstLine(const std::string &text) { return text.substr(0, text.find('\n')); }

/// What a call says; empty: it went well.
template <class Call>
std::string saidBy(Call call)
{
    try {
        call();
    } catch (const std::exception &error) {
        return error.what();
    }
    return {};
}

std::string saidBy(Function &function, const std::vector<Tensor> &inputs)
{
    return saidBy([&] { run(function, inputs); });
}

std::size_t fetchesOf(const Function &function)
{
    std::size_t count = 0;
    for (ApplyId id : function.order()) count += function.graph().apply(id).op->className() == "HostFromGpu";
    return count;
}

class DeviceIndex : public testing::TestWithParam<const char *> {
protected:
    void SetUp() override
    {
        m_device = each_device::find(GetParam());
        if (!m_device) GTEST_SKIP() << each_device::problem(GetParam());
    }
    void expectSame(const std::string &text, const std::vector<Tensor> &inputs)
    {
        for (const char *mode : {"FAST_RUN", "FAST_COMPILE"}) {
            const auto there = compiled(text, m_device->id(), mode), here = compiled(text, DeviceId::Host, mode);
            const std::vector<Tensor> got = run(*there, inputs), wanted = run(*here, inputs);
            for (std::size_t i = 0; i < got.size(); ++i) {
                ASSERT_EQ(got[i].shape(), wanted[i].shape()) << text;
                for (std::int64_t k = 0; k < got[i].size(); ++k) ASSERT_NEAR(got[i].at(k), wanted[i].at(k), 1e-5) << text << ", " << k;
            }
        }
    }
    Device *m_device = nullptr;
};

INSTANTIATE_TEST_SUITE_P(All, DeviceIndex, testing::ValuesIn(each_device::others()),
                         [](const auto &info) { return each_device::testName(info.param); });

TEST_P(DeviceIndex, NothingIsFetchedButResults)
{
    for (const char *text :
         {"x: fmatrix; q: fvector; exp(x)[cast(q, int64)]", "x: fmatrix; q: fvector; exp(x)[arange(q.shape[0]), cast(q, int32)]",
          "x: fmatrix; q: fvector; inc_subtensor(exp(x)[cast(q, int32)], 1)",
          "x: fmatrix; q: fvector; set_subtensor(exp(x)[:, cast(q, int32)], 1)"}) {
        const auto f = compiled(text, m_device->id());
        EXPECT_EQ(fetchesOf(*f), 1u) << text;
    }
    // A range that the host looks at itself is the host's.
    EXPECT_EQ(fetchesOf(*compiled("x: fmatrix; p: lvector; exp(x)[arange(p.shape[0]), p]", m_device->id())), 1u);
    EXPECT_EQ(fetchesOf(*compiled("x: fmatrix; r = arange(x.shape[0]); exp(x)[:, 0] * r, r", m_device->id())), 1u);
}

TEST_P(DeviceIndex, EveryDTypeOfIntegers)
{
    const Tensor x = drawn(DType::Float32, {5, 3}, 1);
    for (const char *dtype : {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"}) {
        const bool isSigned = dtype[0] == 'i';
        const Tensor places = isSigned ? floats({0, -1, 4, -5, 2, 2}) : floats({0, 1, 4, 3, 2, 2});
        const std::string p = std::string("x: fmatrix; q: fvector; p = cast(q, ") + dtype + "); c = cast(abs(q) / 2, " + dtype + "); ";
        expectSame(p + "exp(x)[p], exp(x)[p, c], exp(x)[::2, c], inc_subtensor(exp(x)[p], 2), set_subtensor(exp(x)[p, 1], q)", {x, places});
    }
}

TEST_P(DeviceIndex, EveryDTypeOfElements)
{
    const Tensor x = drawn(DType::Float32, {5, 3}, 1), places = floats({0, -1, 4, -5, 2, 2});
    for (const char *dtype : {"bool", "int8", "uint8", "int16", "uint32", "int64", "float16", "float32", "float64"}) {
        const std::string start = std::string("x: fmatrix; q: fvector; p = cast(q, int32); y = cast(x * 3, ") + dtype + "); ";
        expectSame(start + "y[p], set_subtensor(y[p, 1], y[:1, 0]), set_subtensor(y[p], y[1])", {x, places});
        if (dtype != std::string("bool")) expectSame(start + "inc_subtensor(y[p], y[1]), inc_subtensor(y[p, 0], y[2, 2])", {x, places});
    }
}

TEST_P(DeviceIndex, OddShapes)
{
    const std::string start = "x: fmatrix; q: fvector; p = cast(q, int32); ";
    const char *const all = "exp(x)[p], exp(x)[:, p], exp(x)[p, p], inc_subtensor(exp(x)[p], 1), set_subtensor(exp(x)[:, p], 1), "
                            "inc_subtensor(exp(x)[p, p], q)";
    expectSame(start + all, {drawn(DType::Float32, {4, 4}, 1), Tensor::empty(DType::Float32, {0})});
    expectSame(start + all, {drawn(DType::Float32, {1, 1}, 1), floats({0, -1, 0})});
    expectSame(start + "exp(x)[p], inc_subtensor(exp(x)[p], 1)", {Tensor::empty(DType::Float32, {3, 0}), floats({0, 2})});
    expectSame(start + "exp(x)[p], set_subtensor(exp(x)[p], 1)",
               {Tensor::empty(DType::Float32, {0, 3}), Tensor::empty(DType::Float32, {0})});
    const std::string deep = "t: ftensor4; q: fvector; m: fmatrix; p = cast(q, int32); n = cast(m, int64); ";
    const Tensor t = drawn(DType::Float32, {3, 4, 2, 5}, 2), places = floats({1, -2}), more = floats({0, 1, -1, -2, 1, 0}, {3, 2});
    expectSame(
        deep + "exp(t)[p], exp(t)[:, p], exp(t)[1:, ::-1, p], exp(t)[p, :, p % 2], exp(t)[p, n], exp(t)[n.T[:, 0], ::2, n[:, ::-1] % 2]",
        {t, places, more});
    expectSame(deep + "exp(t)[cast(q[0], int32), n], exp(t)[:, n, p % 2, :2], exp(t)[:, :, n % 2, n]", {t, places, more});
    expectSame(deep + "inc_subtensor(exp(t)[:, n, p % 2, :2], 1), set_subtensor(exp(t)[::-1, :, n % 2, n], 1), "
                      "inc_subtensor(exp(t)[p, :, n], exp(t)[0, 0, 0, 0])",
               {t, places, more});
}

// The last one stays; what is added is added in order.
TEST_P(DeviceIndex, PositionsThatNameTheSamePlace)
{
    const Tensor x = Tensor::zeros(DType::Float32, {3, 2});
    Tensor places = Tensor::empty(DType::Float32, {700}), given = Tensor::empty(DType::Float32, {700, 2});
    for (std::int64_t i = 0; i < 700; ++i) places.as<float>()[i] = static_cast<float>(i % 7 % 3);
    for (std::int64_t i = 0; i < 1400; ++i) given.as<float>()[i] = 1.0f / static_cast<float>(i + 1);
    const char *const text = "x: fmatrix; q: fvector; y: fmatrix; p = cast(q, int32); "
                             "inc_subtensor((x * 1)[p], y), set_subtensor((x * 1)[p], y)";
    const auto there = compiled(text, m_device->id()), here = compiled(text, DeviceId::Host);
    const std::vector<Tensor> got = run(*there, {x, places, given}), wanted = run(*here, {x, places, given});
    for (std::size_t i = 0; i < 2; ++i) expectSameBits(got[i], wanted[i], i ? "set" : "increased");
}

// In the order of positions, however many there are and wherever they name.
TEST_P(DeviceIndex, ManyPositions)
{
    const bool isSmall = std::string_view(GetParam()) == "shadow0"; // it has a megabyte of memory
    const char *const text = "x: fmatrix; q: fvector; y: fmatrix; p = cast(q, int32); "
                             "inc_subtensor((x * 1)[p], y), set_subtensor((x * 1)[p], y), inc_subtensor((x * 1)[p, p % 3], y[:, 1])";
    const auto there = compiled(text, m_device->id()), here = compiled(text, DeviceId::Host);
    for (const std::int64_t count : {257, 4097, 5000, 70001}) {
        if (isSmall && count > 257) continue;
        for (const std::int64_t size : {1, 300, 3000}) {
            if (isSmall && size > 300) continue;
            Tensor places = Tensor::empty(DType::Float32, {count});
            for (std::int64_t i = 0; i < count; ++i) places.as<float>()[i] = static_cast<float>(i * 7919 % size - (i % 3 == 0 ? size : 0));
            const std::vector<Tensor> given{drawn(DType::Float32, {size, 3}, 1), places, drawn(DType::Float32, {count, 3}, 2)};
            const std::vector<Tensor> got = run(*there, given), wanted = run(*here, given);
            for (std::size_t i = 0; i < got.size(); ++i)
                expectSameBits(got[i], wanted[i],
                               "output " + std::to_string(i) + " of " + std::to_string(count) + " in " + std::to_string(size));
            places.as<float>()[count / 2] = static_cast<float>(size);
            const std::string said = firstLine(saidBy(*there, given)), bound = std::to_string(size);
            EXPECT_NE(said.find("subtensor] index " + bound + " is out of bounds for axis 0 with size " + bound), std::string::npos)
                << said;
        }
    }
}

TEST_P(DeviceIndex, AnIndexOutOfBoundsIsToldAsOnTheHostAndTheNextCallWorks)
{
    const Tensor x = drawn(DType::Float32, {4, 3}, 1), fine = floats({0, 1, 2, -1}), none = Tensor::empty(DType::Float32, {0, 3});
    struct {
        const char *text;
        Tensor bad;
        const char *sentence;
    } const cases[] = {
        {"exp(x)[p]", floats({0, 4, 1, 1}), "[subtensor] index 4 is out of bounds for axis 0 with size 4"},
        {"exp(x)[p]", floats({0, 1, 1, -5}), "[subtensor] index -5 is out of bounds for axis 0 with size 4"},
        {"exp(x)[:, p]", floats({3, 1, 1, 1}), "[subtensor] index 3 is out of bounds for axis "},
        {"exp(x)[p, p]", floats({0, 1, 3, 1}), "[subtensor] index 3 is out of bounds for axis 1 with size 3"},
        {"exp(x)[p, p]", floats({0, 1, -4, 1}), "[subtensor] index -4 is out of bounds for axis 1 with size 3"},
        {"exp(x)[arange(4), p]", floats({0, 1, 3, 1}), "[subtensor] index 3 is out of bounds for axis 1 with size 3"},
        {"exp(x)[1:, p][:, :2]", floats({0, 1, 3, 1}), "[subtensor] index 3 is out of bounds for axis "},
        {"exp(x)[:0, p]", floats({0, 1, 3, 1}), "[subtensor] index 3 is out of bounds for axis "},
        {"set_subtensor(exp(x)[p], 1)", floats({7, 1, 3, 1}), "[set_subtensor] index 7 is out of bounds for axis 0 with size 4"},
        {"inc_subtensor(exp(x)[p], 1)", floats({0, 1, 3, 4}), "[inc_subtensor] index 4 is out of bounds for axis 0 with size 4"},
        {"inc_subtensor(exp(x)[p, p], 1)", floats({0, 1, 2, 3}), "[inc_subtensor] index 3 is out of bounds for axis 1 with size 3"},
        {"set_subtensor(exp(x)[:, p], 1)", floats({-4, 1, 2, 2}), "[set_subtensor] index -4 is out of bounds for axis 1 with size 3"},
    };
    for (const auto &[text, bad, sentence] : cases) {
        const std::string whole = std::string("x: fmatrix; q: fvector; p = cast(q, int32); ") + text;
        for (const char *mode : {"FAST_RUN", "FAST_COMPILE"}) {
            const auto there = compiled(whole, m_device->id(), mode), here = compiled(whole, DeviceId::Host, mode);
            const std::string said = saidBy(*there, {x, bad});
            EXPECT_EQ(firstLine(said).rfind(sentence, 0), 0u) << whole << ": " << said;
            EXPECT_EQ(firstLine(said), firstLine(saidBy(*here, {x, bad}))) << whole;
            EXPECT_NE(said.find("Apply node that caused the error: GpuAdvanced"), std::string::npos) << said;
            EXPECT_NE(said.find("line 1"), std::string::npos) << said;
            EXPECT_EQ(saidBy(*there, {x, fine}), "") << "it is told once";
            EXPECT_NE(saidBy(*there, {x, bad}), "") << "and again when it happens again";
        }
    }
    EXPECT_EQ(firstLine(saidBy(*compiled("x: fmatrix; q: fvector; exp(x)[cast(q, int32)]", m_device->id()), {none, floats({0})})),
              "[subtensor] index 0 is out of bounds for axis 0 with size 0");
    EXPECT_EQ(firstLine(saidBy(*compiled("x: fmatrix; q: fvector; set_subtensor(exp(x)[cast(q, int32)], 1)", m_device->id()),
                               {none, floats({0})})),
              "[set_subtensor] index 0 is out of bounds for axis 0 with size 0");
}

// Rewrites make cross-entropies of some: what reads a class is told as it is on the host, too.
TEST_P(DeviceIndex, AClassThatIsNotThereIsTold)
{
    const char *const start = "x: fmatrix; q: fvector; c = cast(q, int32); p = softmax(x); ";
    const Tensor x = drawn(DType::Float32, {4, 3}, 1);
    for (const char *text :
         {"cost = -mean(log(p)[arange(c.shape[0]), c]); cost", "cost = -mean(log(p)[arange(c.shape[0]), c]); grad(cost, x)",
          "CrossentropyCategorical1Hot(p, c)", "grad(sum(CrossentropyCategorical1Hot(p, c)), x)"}) {
        const auto there = compiled(std::string(start) + text, m_device->id()), here = compiled(std::string(start) + text, DeviceId::Host);
        const std::string said = saidBy(*there, {x, floats({0, 1, 5, 0})});
        EXPECT_EQ(firstLine(said), "class 5 in row 2 is out of bounds: there are 3 classes") << text << said;
        EXPECT_NE(firstLine(saidBy(*here, {x, floats({0, 1, 5, 0})})).find(firstLine(said)), std::string::npos) << text;
        EXPECT_EQ(saidBy(*there, {x, floats({0, 1, 2, 0})}), "");
    }
    const auto negative = compiled(std::string(start) + "CrossentropyCategorical1Hot(p, c)", m_device->id());
    EXPECT_EQ(firstLine(saidBy(*negative, {x, floats({0, -1, 0, 0})})), "class -1 in row 1 is out of bounds: there are 3 classes");
}

TEST_P(DeviceIndex, WhatIsOutOfBoundsInARangeOfManyIsFound)
{
    const auto f = compiled("x: fmatrix; q: fvector; exp(x)[cast(q, int32)]", m_device->id());
    for (const std::int64_t at : {0, 1, 255, 256, 999}) {
        Tensor places = Tensor::zeros(DType::Float32, {1000});
        places.as<float>()[at] = static_cast<float>(100 + at);
        EXPECT_EQ(firstLine(saidBy(*f, {drawn(DType::Float32, {4, 3}, 1), places})),
                  "[subtensor] index " + std::to_string(100 + at) + " is out of bounds for axis 0 with size 4");
    }
}

TEST_P(DeviceIndex, AReadingWithoutAWaitIsToldByWhoeverWaits)
{
    const VarRef x = matrix("x", DType::Float32), q = build::vector("q", DType::Float32);
    const IndexItem items[] = {IndexItem::array(cast(q, DType::Int32))};
    const VarRef taken = advancedSubtensor(exp(x), items);
    const auto keeps = [&] {
        FunctionSpec spec = request({x, q}, {transfer(taken, m_device->id())});
        spec.mode.device = m_device->id();
        return Function::compile(std::move(spec));
    };
    auto f = keeps();
    const auto other = compiled("x: fmatrix; exp(x) * 2", m_device->id());
    const Tensor given = drawn(DType::Float32, {4, 3}, 1), bad = floats({0, 9});
    const char *const sentence = "[subtensor] index 9 is out of bounds for axis 0 with size 4";
    // Another function.
    Tensor kept = run(*f, {given, bad})[0];
    std::string said = saidBy(*other, {given});
    EXPECT_EQ(firstLine(said), sentence);
    EXPECT_NE(said.find("Apply node that caused the error: GpuAdvancedSubtensor1"), std::string::npos) << said;
    EXPECT_EQ(saidBy(*other, {given}), "") << "it is told once";
    // An array that is fetched, by the engine or a host language.
    kept = run(*f, {given, bad})[0];
    said = saidBy([&] {
        try {
            onHost(kept);
        } catch (const IndexOnDevice &error) {
            EXPECT_STREQ(error.what(), sentence);
            throwWithApply(error);
        }
    });
    EXPECT_EQ(firstLine(said), sentence);
    EXPECT_NE(said.find("Inputs shapes: [(4, 3), (2,)]"), std::string::npos) << said;
    EXPECT_EQ(saidBy([&] { m_device->stream().finish(); }), "");
    EXPECT_EQ(kept.shape(), (Dims{2, 3}));
    // A wait without any bytes; the function is gone.
    run(*f, {given, bad});
    f.reset();
    said = saidBy([&] {
        try {
            m_device->stream().finish();
        } catch (const IndexOnDevice &error) {
            throwWithApply(error);
        }
    });
    EXPECT_EQ(said, sentence);
    // Nothing is left of it.
    f = keeps();
    EXPECT_EQ(onHost(run(*f, {given, floats({3, -1})})[0]).shape(), (Dims{2, 3}));
}

// What fails writes nothing: another function's array stays as it was, too.
TEST_P(DeviceIndex, NothingIsWrittenWhereAnIndexIsOutOfBounds)
{
    const Tensor start = onDevice(Tensor::full(DType::Float32, {4}, 1), m_device->id());
    const VarRef state =
        Variable::shared(std::make_shared<Container>(Value(start)), Type::ofRank(DType::Float32, 1).on(m_device->id()), "state");
    const VarRef q = build::vector("q", DType::Float32);
    const IndexItem items[] = {IndexItem::array(cast(q, DType::Int32))};
    FunctionSpec spec = request({q}, {});
    spec.updates = {{state, transfer(incSubtensor(advancedSubtensor(transfer(state, DeviceId::Host), items), constantOf(DType::Float32, 2),
                                                  false, false),
                                     m_device->id())}};
    spec.mode.device = m_device->id();
    const auto f = Function::compile(std::move(spec));
    run(*f, {floats({1, 3, 1})});
    const auto now = [&] { return numbers(onHost(state->container()->value().tensor())); };
    EXPECT_EQ(now(), (std::vector<double>{1, 5, 1, 3}));
    run(*f, {floats({1, 3, 4})});
    EXPECT_NE(saidBy([&] { now(); }), "");
    EXPECT_EQ(now(), (std::vector<double>{1, 5, 1, 3}));
    run(*f, {floats({0})});
    EXPECT_EQ(now(), (std::vector<double>{3, 5, 1, 3}));
}

TEST_P(DeviceIndex, ARangeWhoseSizeIsFoundOnTheWay)
{
    expectSame("x: fmatrix; q: fvector; r = arange(cast(sum(q), int64)); exp(x)[r, cast(q, int32)[:2]]",
               {drawn(DType::Float32, {4, 3}, 1), floats({1, 1, 0})});
    EXPECT_EQ(firstLine(saidBy(*compiled("x: fmatrix; s: lscalar; exp(x)[:, 0] * arange(0, 4, s)", m_device->id()),
                               {drawn(DType::Float32, {4, 3}, 1), Tensor::scalarInt(DType::Int64, 0)})),
              firstLine(saidBy(*compiled("x: fmatrix; s: lscalar; exp(x)[:, 0] * arange(0, 4, s)", DeviceId::Host),
                               {drawn(DType::Float32, {4, 3}, 1), Tensor::scalarInt(DType::Int64, 0)})));
}

TEST_P(DeviceIndex, DebugModeSeesIt)
{
    const auto f =
        compiled("x: fmatrix; q: fvector; p = cast(q, int32); exp(x)[p], inc_subtensor(exp(x)[p], 1)", m_device->id(), "DebugMode");
    const Tensor x = drawn(DType::Float32, {4, 3}, 1);
    EXPECT_EQ(saidBy(*f, {x, floats({0, -1, 0})}), "");
    EXPECT_EQ(firstLine(saidBy(*f, {x, floats({0, -1, 6})})), "[subtensor] index 6 is out of bounds for axis 0 with size 4");
    EXPECT_EQ(saidBy(*f, {x, floats({0, -1, 0})}), "");
}

// --- on the shadow device, which counts ---------------------------------------------------------------------------------------------

class SentIndices : public OnDevice {};

TEST_F(SentIndices, AConstantIsSentOnce)
{
    for (const char *text : {"x: fmatrix; exp(x)[[2, 0, 1]]", "x: fmatrix; exp(x)[[2, 0, 1], [0, 1, 1]]", "x: fmatrix; exp(x)[:, [1, 0]]",
                             "x: fmatrix; inc_subtensor(exp(x)[[2, 0, 1]], 1)", "x: fmatrix; set_subtensor(exp(x)[[2, 0], [1, 1]], 1)"}) {
        const auto f = compiled(text, second().id());
        const Tensor x = drawn(DType::Float32, {3, 2}, 1);
        const std::vector<Tensor> first = run(*f, {x});
        const std::size_t before = second().copies();
        for (int i = 0; i < 3; ++i) expectSameBits(run(*f, {x})[0], first[0], text);
        EXPECT_EQ(second().copies() - before, 6u) << text << ": x comes and the result goes";
    }
}

TEST_F(SentIndices, WhatIsFoundCostsNoCopyWhereNothingCanBe)
{
    const auto reads = compiled("x: fmatrix; q: fvector; exp(x)[cast(q, int32)]", second().id());
    const auto plain = compiled("x: fmatrix; exp(x)", second().id());
    const Tensor x = drawn(DType::Float32, {3, 2}, 1);
    run(*reads, {x, floats({0, 1})});
    std::size_t before = second().copies();
    run(*plain, {x});
    EXPECT_EQ(second().copies() - before, 2u);
    before = second().copies();
    run(*reads, {x, floats({0, 1})});
    EXPECT_EQ(second().copies() - before, 4u) << "two come, the result goes, and beside it what was found";
}

TEST_F(SentIndices, LateWorkGivesTheSameNumbers)
{
    const char *const text = "x: fmatrix; q: fvector; p = cast(q, int32); y = inc_subtensor(exp(x)[p], exp(x)[p]); y[p, p % 2], y";
    const auto there = compiled(text, second().id()), here = compiled(text, DeviceId::Host);
    const Tensor x = drawn(DType::Float32, {5, 2}, 1);
    for (unsigned seed = 1; seed < 30; ++seed) {
        second().delay(seed);
        const Tensor places = floats({0, static_cast<double>(seed % 5), -1, 4});
        const std::vector<Tensor> got = run(*there, {x, places}), wanted = run(*here, {x, places});
        for (std::size_t i = 0; i < got.size(); ++i)
            for (std::int64_t k = 0; k < got[i].size(); ++k) ASSERT_NEAR(got[i].at(k), wanted[i].at(k), 1e-5) << seed << ", " << k;
        if (seed % 5 == 0) {
            EXPECT_NE(saidBy(*there, {x, floats({0, 5})}), "");
        }
    }
}

} // namespace
