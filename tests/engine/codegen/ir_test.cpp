// The language of kernels: what is built gives the same bits by the interpreter and compiled for the host, and what makes no sense is
// refused.
#include "tests/engine/codegen/interpret.h"

#include "engine/codegen/ir/builder.h"
#include "engine/runtime/device/device_launch.h"
#include "engine/tensor/errors.h"

#include <gtest/gtest.h>

using namespace engine;

namespace {

void interpret(const ir::Kernel &kernel, std::vector<std::vector<char>> &arrays, std::int64_t items)
{
    std::vector<ir_test::Given> given;
    for (std::vector<char> &one : arrays) given.emplace_back(one.data(), one.data(), one.data() + one.size());
    ir_test::Interpreter(kernel, given, items).run();
}

/// Runs the kernel by the interpreter on a copy of each array, and compiled on these.
void expectSame(const ir::Kernel &kernel, std::vector<std::vector<char>> arrays, std::int64_t items)
{
    const std::vector<std::vector<char>> before = arrays;
    std::vector<std::vector<char>> copies = arrays;
    std::vector<void *> compiled;
    for (std::vector<char> &one : arrays) compiled.push_back(one.data());
    interpret(kernel, copies, items);
    Device &host = deviceOf(DeviceId::Host);
    DeviceLaunch(host, kernel, items).run(compiled);
    for (std::size_t k = 0; k < arrays.size(); ++k) EXPECT_EQ(arrays[k], copies[k]) << "array " << k << " of\n" << ir::text(kernel);
    EXPECT_NE(arrays, before) << "nothing was written by\n" << ir::text(kernel);
}

template <class T>
std::vector<char> bytes(const std::vector<T> &values)
{
    std::vector<char> result(values.size() * sizeof(T));
    std::memcpy(result.data(), values.data(), result.size());
    return result;
}

TEST(Ir, FloatsInALoopWithACall)
{
    for (const DType dtype : {DType::Float32, DType::Float64}) {
        ir::Builder k("rows");
        const ir::Array x = k.reads("x", dtype), y = k.writes("y", dtype);
        const ir::Value count = k.number("count", 5), first = k.let("first", k.item() * count);
        const ir::Place sum = k.variable("sum", dtype, 0);
        k.loop("j", {0, count}, [&](const ir::Value &j) { sum += k.call(RT_EXP, x[first + j]); });
        k.loop(
            "j", {0, count}, [&](const ir::Value &j) { y[first + j] = ir::select(x[first + j] > 0, x[first + j] / sum, -sum); },
            ir::LoopKind::Beside);
        const ir::Kernel kernel = k.finish();
        const std::vector<double> given{0.5, -1, 2, 1e-3, -0.0, 3, 7, -8, 0.1, 0.2};
        const std::vector<float> singles(given.begin(), given.end());
        const std::vector<char> in = dtype == DType::Float32 ? bytes(singles) : bytes(given);
        expectSame(kernel, {in, in}, 2);
    }
}

TEST(Ir, LiteralsAreConvertedAsCDoes)
{
    ir::Builder k("literals");
    const ir::Array x = k.reads("x", DType::Float32), y = k.writes("y", DType::Float32), n = k.writes("n", DType::UInt64);
    y[k.item()] = x[k.item()] + 0;
    n[k.item()] = ir::cast(DType::UInt64, ir::cast(DType::UInt32, ir::Value(-1)));
    const ir::Kernel kernel = k.finish();
    std::vector<std::vector<char>> arrays{bytes(std::vector<float>{-0.0f}), bytes(std::vector<float>{7}),
                                          bytes(std::vector<std::uint64_t>{0})};
    expectSame(kernel, arrays, 1);
    std::vector<void *> places;
    for (std::vector<char> &one : arrays) places.push_back(one.data());
    DeviceLaunch(deviceOf(DeviceId::Host), kernel, 1).run(places);
    EXPECT_EQ(arrays[1], bytes(std::vector<float>{0.0f})) << "-0.0 + 0 is 0.0";
    EXPECT_EQ(arrays[2], bytes(std::vector<std::uint64_t>{0xFFFFFFFF}));
}

TEST(Ir, WholeNumbersOfEveryWidth)
{
    for (const DType dtype : {DType::Bool, DType::Int8, DType::Int16, DType::Int32, DType::Int64, DType::UInt8, DType::UInt16,
                              DType::UInt32, DType::UInt64, DType::Float16}) {
        ir::Builder k("widths");
        const ir::Array x = k.reads("x", dtype), y = k.writes("y", dtype), keys = k.writes("keys", DType::UInt64);
        const ir::Value i = k.item();
        const ir::Place sum = k.variable("sum", ir::cast(isFloat(dtype) ? DType::Float32 : DType::Int64, x[i]));
        k.when(
            i % 2 == 0 && !(dtype == DType::Bool), [&] { sum = sum * 3 - 7; }, [&] { sum += x[0]; });
        k.loopWhile(
            "j", {0, 10}, [&](const ir::Value &j) { return j * j <= i; }, [&](const ir::Value &j) { sum += j; });
        y[i] = sum;
        const ir::Value bits = k.let("bits", ir::cast(DType::UInt64, i * 5 - 9));
        keys[i] = (((bits >> 3) ^ (bits << 60)) | ir::literal(DType::UInt64, ~std::uint64_t(0) >> 1)) & (bits + 1);
        const ir::Kernel kernel = k.finish();
        std::vector<std::uint8_t> in(6 * 8);
        for (std::size_t at = 0; at < in.size(); ++at) in[at] = static_cast<std::uint8_t>(dtype == DType::Bool ? at % 2 : at * 37 % 60);
        expectSame(kernel, {bytes(in), bytes(in), bytes(in)}, 6);
    }
}

TEST(Ir, RandomStreamsRegistersAndFindings)
{
    ir::Builder k("draws");
    const ir::Array states = k.writes("states", DType::Int32), y = k.writes("y", DType::Float64);
    const ir::Array x = k.local("x", DType::Int32, 6);
    k.loop("part", {0, 6}, [&](const ir::Value &part) { x[part] = states[part + 6 * k.item()]; });
    y[k.item()] = ir::cast(DType::Float64, k.draw(x)) * ir::realNumber(DType::Float64, 0.25);
    k.loop("part", {0, 6}, [&](const ir::Value &part) { states[part + 6 * k.item()] = x[part]; });
    std::vector<int> start;
    for (int at = 0; at < 12; ++at) start.push_back(12345 + 1000003 * at);
    const ir::Kernel drawn = k.finish();
    EXPECT_FALSE(drawn.finds);
    expectSame(drawn, {bytes(start), bytes(std::vector<double>(2))}, 2);

    ir::Builder finds("finds");
    const ir::Array given = finds.reads("given", DType::Int64);
    finds.when(given[finds.item()] >= 3, [&] { finds.find(Finding::Class, given[finds.item()], finds.item(), 3); });
    const ir::Kernel kernel = finds.finish();
    ASSERT_TRUE(kernel.finds);
    std::vector<std::int64_t> classes{1, 2, 7, 8}, found(static_cast<std::size_t>(FindingWord::Count));
    ir_test::Interpreter(kernel, {ir_test::Given(classes.data()), ir_test::Given(found.data())}, 4).run();
    EXPECT_EQ(found[static_cast<std::size_t>(FindingWord::Value)], 7) << "the first";
    EXPECT_EQ(found[static_cast<std::size_t>(FindingWord::Place)], 2);
}

TEST(Ir, ItemsOfAGroupShareAndWait)
{
    ir::Builder k("turned");
    const ir::Array x = k.reads("x", DType::Int32), y = k.writes("y", DType::Int32);
    k.inGroups(4);
    const ir::Array all = k.shared("all", DType::Int32, 4);
    const ir::Place sum = k.variable("sum", DType::Int32, 0);
    k.loop("round", {0, k.number("rounds", 3)}, [&](const ir::Value &round) {
        all[k.lane()] = x[k.item()] + ir::cast(DType::Int32, round);
        k.barrier();
        sum += all[3 - k.lane()];
        k.barrier();
    });
    y[k.item()] = sum;
    const ir::Kernel kernel = k.finish();
    EXPECT_EQ(ir::text(kernel), R"(turned(const int x[], int y[], i64 rounds) for each i below n, by groups of 4 {
    shared int all[4];
    int sum = 0;
    for (i64 round = 0; round < rounds; ++round) {
        all[lane] = x[i] + (int)round;
        barrier;
        sum = sum + all[3 - lane];
        barrier;
    }
    y[i] = sum;
}
)");
    std::vector<std::vector<char>> arrays{bytes(std::vector<int>{1, 2, 3, 4, 10, 20, 30, 40}), bytes(std::vector<int>(8))};
    interpret(kernel, arrays, 8);
    EXPECT_EQ(arrays[1], bytes(std::vector<int>{15, 12, 9, 6, 123, 93, 63, 33}));
}

TEST(Ir, WhatItemsMustNotDoIsFound)
{
    const auto fault = [](const auto &build) -> std::string {
        ir::Builder k("wrong");
        const ir::Array x = k.reads("x", DType::Float32), y = k.writes("y", DType::Float32);
        k.inGroups(4);
        const ir::Array all = k.shared("all", DType::Float32, 4);
        build(k, x, y, all);
        std::vector<std::vector<char>> arrays{bytes(std::vector<float>(8)), bytes(std::vector<float>(8))};
        try {
            interpret(k.finish(), arrays, 8);
        } catch (const ir_test::KernelFault &error) {
            return std::string(error.what()).substr(0, std::string(error.what()).find(':'));
        }
        return "no fault";
    };
    EXPECT_EQ(fault([](auto &k, auto &x, auto &y, auto &all) {
                  all[k.lane()] = x[k.item()];
                  k.barrier();
                  y[k.item()] = all[3 - k.lane()];
              }),
              "no fault");
    EXPECT_EQ(fault([](auto &k, auto &x, auto &y, auto &all) {
                  all[k.lane()] = x[k.item()];
                  y[k.item()] = all[3 - k.lane()];
              }),
              "item 0 reads all[3], which item 3 writes")
        << "nobody waits";
    EXPECT_EQ(fault([](auto &k, auto &x, auto &y, auto &) { y[k.item()] = x[k.item() + 1]; }),
              "item 7 reads x[8], which is outside of its memory");
    EXPECT_EQ(fault([](auto &k, auto &, auto &y, auto &) { y[k.item() / 2] = 1; }), "item 1 writes y[0], which item 0 writes");
    EXPECT_EQ(fault([](auto &k, auto &, auto &y, auto &) {
                  y[k.item()] = 1;
                  k.barrier();
                  y[(k.item() + 4) % 8] = 2;
              }),
              "item 4 writes y[4], which item 0 writes")
        << "groups do not wait for each other";
}

TEST(Ir, TextIsForPeople)
{
    ir::Builder k("halves");
    const ir::Array x = k.reads("x", DType::Float16), y = k.writes("y", DType::Float16);
    const ir::Value a = k.let("a", x[k.item()]);
    const ir::Value again = k.let("a", a * (a + 1) - 0);
    y[k.item()] = k.call(RT_EXP, again);
    EXPECT_EQ(ir::text(k.finish()), R"(halves(const half x[], half y[]) for each i below n {
    const float a = x[i];
    const float a_2 = a * (a + 0x1p+0f) - 0x0p+0f;
    const float exp_x = exp(a_2);
    y[i] = exp_x;
}
)");
}

TEST(Ir, WhatMakesNoSenseIsRefused)
{
    const auto problem = [](const auto &build) -> std::string {
        ir::Builder k("wrong");
        const ir::Array x = k.reads("x", DType::Float32), y = k.writes("y", DType::Float32);
        build(k, x, y);
        try {
            k.finish();
        } catch (const InternalError &error) {
            return error.what();
        }
        return "nothing is wrong";
    };
    const auto has = [&](const char *what, const auto &build) {
        EXPECT_NE(problem(build).find(what), std::string::npos) << problem(build);
    };
    has("nothing is wrong", [](auto &k, auto &x, auto &y) { y[k.item()] = x[k.item()]; });
    has("only read", [](auto &k, auto &x, auto &) { x[k.item()] = 1; });
    has("where it is not known", [](auto &k, auto &, auto &y) {
        ir::Value inner = 0;
        k.loop("j", {0, 3}, [&](const ir::Value &j) { inner = k.let("inner", j + 1); });
        y[0] = inner;
    });
    has("whole numbers", [](auto &k, auto &x, auto &) { k.find(Finding::Class, x[0], 0, 1); });
    has("whether a float is true", [](auto &k, auto &x, auto &) { k.when(x[0], [] {}); });
    has("in no groups", [](auto &k, auto &, auto &) { k.shared("all", DType::Float32, 4); });
    has("in no groups", [](auto &k, auto &, auto &) { k.barrier(); });
    has("in no groups", [](auto &k, auto &, auto &y) { y[k.lane()] = 1; });
    has("shares no elements", [](auto &k, auto &, auto &) { k.inGroups(4), k.shared("all", DType::Float32, 0); });
    has("shares more than", [](auto &k, auto &, auto &) { k.inGroups(4), k.shared("all", DType::Float64, 5000); });
    has("may not come", [](auto &k, auto &, auto &) {
        k.inGroups(4);
        k.when(k.lane() < 2, [&] { k.barrier(); });
    });
    has("may not come", [](auto &k, auto &x, auto &) {
        k.inGroups(4);
        k.loop("j", {0, ir::cast(DType::Int64, x[0])}, [&](const ir::Value &) { k.barrier(); });
    });
    has("nothing is wrong", [](auto &k, auto &, auto &) {
        k.inGroups(4);
        k.loop("j", {0, 3}, [&](const ir::Value &j) { k.when(j > k.number("m", 1), [&] { k.barrier(); }); });
    });
    has("values of two types", [](auto &k, auto &x, auto &) {
        k.let("sum", ir::Value(std::make_shared<ir::Node>(
                         ir::Node{.op = ir::Op::Plus, .type = DType::Float32, .in = {x[0].node(), ir::Value(1).node()}})));
    });
    has("no random stream", [](auto &k, auto &, auto &y) { k.draw(y); });
    has("no random stream", [](auto &k, auto &, auto &) { k.draw(k.local("state", DType::Int32, 5)); });
    has("nothing is wrong", [](auto &k, auto &, auto &) { k.draw(k.local("state", DType::Int32, 6)); });
    has("whole numbers", [](auto &k, auto &x, auto &) { k.let("bits", ir::fromBits(DType::Float32, x[0])); });
    has("fewer bits", [](auto &k, auto &, auto &) { k.let("bits", ir::fromBits(DType::Float64, ir::cast(DType::Int32, k.item()))); });
    has("nothing is wrong", [](auto &k, auto &, auto &) { k.let("bits", ir::fromBits(DType::Float32, k.item())); });
}

} // namespace
