// Work whose inner rows are short: boxes, what is gathered for them, and elementwise functions over every mixture of broadcast
// axes against the same arrays written out in full.
#include "tests/engine/runtime/adopted.h"
#include "tests/engine/runtime/reference.h"

#include "engine/codegen/kernel_service.h"
#include "engine/device/cpu/compiler/compiler.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/runtime/plan/interpreter.h"
#include "engine/runtime/plan/threads.h"
#include "engine/runtime/thunks/gather.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace engine;
using reference::Order;

namespace {

std::mt19937 random_(17);

std::int64_t between(std::int64_t low, std::int64_t high)
{
    return low + static_cast<std::int64_t>(random_() % static_cast<unsigned>(high - low + 1));
}

// Two to four axes, the last one of 1 … 9 elements; sometimes one axis is long.
Dims randomShape()
{
    Dims shape;
    const std::int64_t rank = between(2, 4), longOne = between(-2, rank - 2);
    for (std::int64_t axis = 0; axis < rank; ++axis) shape.push_back(axis == longOne ? between(10, 300) : between(1, 9));
    return shape;
}

std::int64_t offsetOf(std::int64_t flat, const Dims &shape, const Dims &strides)
{
    std::int64_t offset = 0;
    for (std::size_t axis = shape.size(); axis-- > 0; flat /= shape[axis]) offset += flat % shape[axis] * strides[axis];
    return offset;
}

TEST(Boxes, coverEveryElementOnce)
{
    for (int round = 0; round < 300; ++round) {
        const Dims shape = randomShape();
        const Boxes boxes(shape, between(9, 600));
        const Dims strides = contiguousStrides(shape, 1);
        std::vector<char> seen(static_cast<std::size_t>(shape.product()), 0);
        for (std::int64_t box = 0; box < boxes.count(); ++box) {
            char *pointer = seen.data();
            const BoxCursor alone(boxes, {&strides, 1}, &pointer, box);
            ASSERT_LE(alone.run(), boxes.longestRun());
            for (std::int64_t i = 0; i < alone.run() * boxes.inside(); ++i) ++pointer[i];
        }
        for (char times : seen) ASSERT_EQ(times, 1) << shape.text();
        char *stepped = seen.data();
        BoxCursor cursor(boxes, {&strides, 1}, &stepped, 0);
        for (std::int64_t box = 0; box < boxes.count(); ++box) {
            char *pointer = seen.data();
            const BoxCursor there(boxes, {&strides, 1}, &pointer, box);
            ASSERT_EQ(stepped, pointer) << shape.text() << " box " << box;
            ASSERT_EQ(cursor.run(), there.run());
            if (box + 1 < boxes.count()) cursor.next();
        }
    }
}

TEST(Gather, bringsWhatTheStridesSay)
{
    for (DType dtype : {DType::Bool, DType::Int8, DType::Int32, DType::Int64, DType::Float16, DType::Float32, DType::Float64,
                        DType::Complex64, DType::Complex128})
        for (int round = 0; round < 150; ++round) {
            const Dims shape = randomShape();
            const Boxes boxes(shape, between(20, 600));
            const Dims own = [&] {
                Dims sizes = shape;
                for (std::int64_t &size : sizes)
                    if (random_() % 3 == 0) size = 1;
                return sizes;
            }();
            const Tensor x =
                reference::make(dtype, own, reference::kLayouts[random_() % 5], [] { return static_cast<double>(random_() % 100); });
            Dims strides = x.strides();
            for (std::size_t axis = 0; axis < strides.size(); ++axis)
                if (own[axis] == 1) strides[axis] = 0;
            const Gather gather(dtype, strides, boxes);
            if (gather.isDirect()) continue;
            const RtKind kind = registerKind(dtype);
            const std::size_t width = registerBytes(kind), room = static_cast<std::size_t>(boxes.elements()) * width + RT_SLACK;
            std::vector<char> block(room + 8, 'x'), spare(room + 8, 'x');
            const Dims steps = contiguousStrides(shape, 1);
            const std::vector<Dims> both{strides, steps};
            char *pointers[] = {const_cast<char *>(static_cast<const char *>(x.data())), nullptr};
            BoxCursor cursor(boxes, both, pointers, 0);
            for (std::int64_t box = 0; box < boxes.count(); ++box) {
                if (!gather.isSame() || box == 0)
                    gather.run(pointers[0], gather.isSame() ? boxes.longestRun() : cursor.run(), block.data(), spare.data());
                for (std::int64_t i = 0; i < cursor.run() * boxes.inside(); ++i) {
                    const std::int64_t flat = (pointers[1] - static_cast<char *>(nullptr)) + i;
                    alignas(16) char wanted[16];
                    rt_table()->loads[rtDType(dtype)](static_cast<const char *>(x.data()) + offsetOf(flat, shape, strides), 0, wanted, 1);
                    ASSERT_EQ(std::memcmp(wanted, block.data() + static_cast<std::size_t>(i) * width, width), 0)
                        << nameOf(dtype) << shape.text() << " strides " << strides.text() << " at " << flat;
                }
                if (box + 1 < boxes.count()) cursor.next();
            }
            for (std::size_t i = room; i < room + 8; ++i) ASSERT_EQ(block[i], 'x') << "written too far";
        }
}

// Every dtype, squares and what is left over at both sides, columns further apart than they are long.
TEST(Columns, becomeRows)
{
    for (int d = 0; d < RT_DTYPE_COUNT; ++d) {
        const DType dtype = static_cast<DType>(d);
        const std::size_t size = sizeOf(dtype), width = registerBytes(registerKind(dtype));
        for (const auto &[rows, columns] : {std::pair{16, 40}, {7, 9}, {1, 30}, {13, 1}, {21, 17}}) {
            const Tensor x =
                reference::make(dtype, {columns, rows + 3}, Order::Contiguous, [] { return static_cast<double>(random_() % 100); });
            const std::int64_t stride = x.strides()[0], apart = columns + 5;
            std::vector<char> got(static_cast<std::size_t>(rows * apart) * width, 'x');
            rt_table()->loadColumns[rtDType(dtype)](x.as<char>(), rows, columns, stride, got.data(), apart);
            for (std::int64_t r = 0; r < rows; ++r)
                for (std::int64_t c = 0; c < apart; ++c) {
                    alignas(16) char wanted[16];
                    std::memset(wanted, 'x', sizeof wanted);
                    if (c < columns)
                        rt_table()->loads[rtDType(dtype)](x.as<char>() + c * stride + r * static_cast<std::int64_t>(size), 0, wanted, 1);
                    ASSERT_EQ(std::memcmp(wanted, got.data() + static_cast<std::size_t>(r * apart + c) * width, width), 0)
                        << nameOf(dtype) << " at " << r << ", " << c;
                }
        }
    }
}

// {(i0 - i1) * i2 + i0, i1 * i2}
OpRef body(const std::vector<DType> &inputs, DType result)
{
    ScalarBody made;
    made.inputCount = 3;
    made.inputTypes = inputs;
    made.instructions = {{scalarOp(ScalarCode::Sub), {0, 1}, result, 0},
                         {scalarOp(ScalarCode::Mul), {3, 2}, result, 0},
                         {scalarOp(ScalarCode::Add), {4, 0}, result, 0},
                         {scalarOp(ScalarCode::Mul), {1, 2}, result, 0}};
    made.outputs = {5, 6};
    return elemwise(compositeOp(std::move(made)));
}

Tensor writtenOut(const Tensor &x, const Dims &shape)
{
    Dims strides = x.strides();
    for (std::size_t axis = 0; axis < strides.size(); ++axis)
        if (x.shape()[axis] == 1) strides[axis] = 0;
    const Tensor repeated(x.dtype(), shape, strides, const_cast<void *>(x.data()), x.storage());
    Tensor result = Tensor::empty(x.dtype(), {shape.product()});
    const std::size_t width = sizeOf(x.dtype());
    for (std::int64_t i = 0; i < result.size(); ++i)
        std::memcpy(result.as<char>() + static_cast<std::size_t>(i) * width, repeated.as<char>() + offsetOf(i, shape, strides), width);
    return result;
}

struct Run {
    std::unique_ptr<Thunk> thunk;
    std::vector<void *> slots;
};

Run prepared(const Op &op, const std::vector<Tensor> &inputs, const std::vector<Tensor> &outputs)
{
    std::vector<View> views, results;
    for (const Tensor &x : inputs) views.push_back(x.view());
    for (const Tensor &x : outputs) results.push_back(x.view());
    const auto operands = operandsOf(views, 0), targets = operandsOf(results, static_cast<int>(views.size()));
    Run run{op.prepare(ThunkSpec{operands, targets}), {}};
    for (const View &view : views) run.slots.push_back(view.data);
    for (const View &view : results) run.slots.push_back(view.data);
    run.thunk->run(run.slots.data());
    return run;
}

void expectSame(const std::vector<Tensor> &wanted, const std::vector<Tensor> &got, const std::string &what)
{
    for (std::size_t o = 0; o < got.size(); ++o) {
        const std::size_t width = sizeOf(got[o].dtype());
        for (std::int64_t i = 0; i < got[o].size(); ++i)
            ASSERT_EQ(std::memcmp(wanted[o].as<char>() + static_cast<std::size_t>(i) * width,
                                  got[o].as<char>() + offsetOf(i, got[o].shape(), got[o].strides()), width),
                      0)
                << what << ", output " << o << " at " << i << ": " << got[o].at(i) << " instead of " << wanted[o].at(i);
    }
}

void expectAsWrittenOut(int rounds, Dims (*shapeOfRound)() = randomShape)
{
    const DType kTypes[] = {DType::Float32, DType::Float32, DType::Float64, DType::Int8, DType::Int32,
                            DType::Int64,   DType::Float16, DType::UInt8,   DType::Bool};
    int compiled = 0;
    for (int round = 0; round < rounds; ++round) {
        const Dims shape = shapeOfRound();
        const DType result = round % 3 == 0 ? DType::Float32 : round % 3 == 1 ? DType::Float64 : DType::Int32;
        std::vector<DType> dtypes;
        std::vector<Tensor> inputs, flat;
        std::string text = shape.text();
        for (int i = 0; i < 3; ++i) {
            DType dtype = round % 2 ? result : kTypes[static_cast<std::size_t>(round + 3 * i) % std::size(kTypes)];
            if (result == DType::Int32 && !isDiscrete(dtype)) dtype = DType::Int8;
            Dims own = shape;
            // One operand has every axis, which one changes.
            for (std::int64_t &size : own)
                if (i != round % 3 && random_() % 2) size = 1;
            inputs.push_back(
                reference::make(dtype, own, own == shape ? reference::kLayouts[random_() % 4] : reference::kLayouts[random_() % 5], [&] {
                    return isDiscrete(dtype) ? static_cast<double>(random_() % 50) : std::uniform_real_distribution<double>(-4, 4)(random_);
                }));
            flat.push_back(writtenOut(inputs.back(), shape));
            dtypes.push_back(dtype);
            text += ", " + std::string(nameOf(dtype)) + own.text() + " strides " + inputs.back().strides().text();
        }
        const OpRef op = body(dtypes, result);
        std::vector<Tensor> outputs, wanted;
        for (int o = 0; o < 2; ++o) {
            outputs.push_back(
                reference::make(result, shape, random_() % 3 ? Order::Contiguous : reference::kLayouts[random_() % 4], [] { return 0; }));
            wanted.push_back(Tensor::zeros(result, {shape.product()}));
        }
        prepared(*op, flat, wanted);
        Run run = prepared(*op, inputs, outputs);
        expectSame(wanted, outputs, text);
        if (!testing::Test::HasFailure() && adoptCompiled(*run.thunk)) {
            for (Tensor &output : outputs)
                for (std::int64_t i = 0; i < output.size(); ++i)
                    std::memset(output.as<char>() + offsetOf(i, shape, output.strides()), 0x55, sizeOf(result));
            run.thunk->run(run.slots.data());
            expectSame(wanted, outputs, "compiled: " + text);
            ++compiled;
        }
        if (testing::Test::HasFailure()) return;
    }
    if (!compiler().path.empty()) {
        EXPECT_GT(compiled, rounds / 2);
    }
}

TEST(ShortRows, elementwiseWorkHasTheBitsOfArraysWrittenOut) { expectAsWrittenOut(400); }

// Two to four axes, the last one long enough for loops of its own; each size around those of squares.
Dims shapeOfLongRows()
{
    Dims shape;
    const std::int64_t rank = between(2, 4);
    for (std::int64_t axis = 0; axis + 1 < rank; ++axis) shape.push_back(rank == 2 ? between(2, 50) : between(1, 20));
    shape.push_back(random_() % 3 ? between(96, 300) : between(500, 530));
    return shape;
}

TEST(LongRows, elementwiseWorkHasTheBitsOfArraysWrittenOut) { expectAsWrittenOut(30, shapeOfLongRows); }

TEST(LongRows, elementwiseWorkHasTheSameBitsOnSeveralThreads)
{
    setThreads(3);
    setSharedElements(100);
    expectAsWrittenOut(15, shapeOfLongRows);
    setSharedElements(0);
    setThreads(0);
}

TEST(ShortRows, elementwiseWorkHasTheSameBitsOnSeveralThreads)
{
    setThreads(3);
    setSharedElements(100);
    expectAsWrittenOut(120);
    setSharedElements(0);
    setThreads(0);
}

} // namespace
