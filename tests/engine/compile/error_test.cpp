// What a person reads when something does not fit.
#include "tests/engine/compile/build.h"

#include "engine/graph/ir/source.h"

#include <gtest/gtest.h>

using namespace build;

namespace {

template <class Error, class F>
std::string messageOf(F &&action)
{
    try {
        action();
    } catch (const Error &error) {
        return error.what();
    }
    ADD_FAILURE() << "no error of that kind";
    return {};
}

void expectHas(const std::string &text, const std::string &part) { EXPECT_NE(text.find(part), std::string::npos) << text; }

TEST(Error, runTimeErrorsAreLaidOutAsInTheano)
{
    const VarRef x = matrix("x"), y = matrix("y");
    VarRef z;
    {
        ScopedTrace trace(internTrace({{"model.py", 12, "build", "z = x + y"}}));
        z = add(x, y);
    }
    const auto f = Function::compile(request({x, y}, {z}));
    const std::string text = messageOf<RunError>([&] {
        call(*f, {Tensor::zeros(DType::Float64, {3, 1}), Tensor::zeros(DType::Float64, {3, 16})});
    });
    expectHas(text, "Input dimension mis-match. (input[0].shape[1] = 1, input[1].shape[1] = 16)");
    expectHas(text, "Apply node that caused the error: Elemwise{add,no_inplace}(x, y)");
    expectHas(text, "Toposort index: 0");
    expectHas(text, "Inputs types: [TensorType(float64, matrix), TensorType(float64, matrix)]");
    expectHas(text, "Inputs shapes: [(3, 1), (3, 16)]");
    expectHas(text, "Inputs strides: [(8, 8), (128, 8)]");
    expectHas(text, "'not shown'");
    expectHas(text, "Outputs clients: [['output']]");
    expectHas(text, "File \"model.py\", line 12, in build");
    // The function works again after the error.
    EXPECT_EQ(call(*f, {Tensor::zeros(DType::Float64, {3, 16}), Tensor::full(DType::Float64, {3, 16}, 2)})[0].at(5), 2);
}

TEST(Error, productsNameTheirSizes)
{
    const VarRef x = matrix("x"), y = matrix("y");
    const auto f = Function::compile(request({x, y}, {dot(x, y)}));
    const std::string text = messageOf<RunError>([&] {
        call(*f, {Tensor::zeros(DType::Float64, {5, 10}), Tensor::zeros(DType::Float64, {20, 10})});
    });
    expectHas(text, "Shape mismatch: x has 10 cols (and 5 rows) but y has 20 rows (and 10 cols)");
}

TEST(Error, requestsThatCannotWork)
{
    const VarRef x = vector("x"), y = vector("y"), s = shared(values({1}), "s");
    expectHas(messageOf<UnusedInput>([&] { Function::compile(request({x, y}, {x})); }), "index 1 is not part of the computational graph");
    expectHas(messageOf<TypeMismatch>([&] { Function::compile(request({s}, {s})); }), "shared variable s");
    expectHas(messageOf<MissingInput>([&] { Function::compile(request({x}, {add(x, y)})); }), "y");
    expectHas(messageOf<UserError>([&] { Function::compile(request({}, {}, {{s, s}, {s, add(s, s)}})); }), "two updates");
    expectHas(messageOf<TypeMismatch>([&] { Function::compile(request({}, {}, {{s, cast(s, DType::Float32)}})); }), "same type");
    expectHas(messageOf<UserError>([&] { Function::compile(request({x, x}, {x})); }), "twice");
    FunctionSpec circular = request({x}, {x});
    circular.inputs.clear();
    circular.givens = {{x, y}, {y, add(x, s)}};
    EXPECT_THROW(Function::compile(std::move(circular)), UserError);
}

TEST(Error, aWarningInsteadOfAnError)
{
    const VarRef x = vector("x"), y = vector("y");
    FunctionSpec spec = request({x, y}, {add(x, x)});
    spec.onUnusedInput = OnUnusedInput::Warn;
    const auto f = Function::compile(std::move(spec));
    ASSERT_EQ(f->warnings().size(), 1u);
}

TEST(Error, aBroadcastableAxisHasSizeOne)
{
    const VarRef x = Variable::input(Type::broadcastable(DType::Float64, {true, false}), "x");
    const auto f = Function::compile(request({x}, {add(x, x)}));
    expectHas(messageOf<TypeMismatch>([&] {
                  call(*f, {Tensor::zeros(DType::Float64, {2, 3})});
              }),
              "Non-unit value on shape on a broadcastable dimension");
}

TEST(Error, sharedValuesThatMayHaveChangedAreNamed)
{
    const VarRef w = shared(values({1, 2}), "w"), v = vector("v");
    const VarRef one = number(1);
    const VarRef a = shared(values({1, 0, 0, 1}, {2, 2}), "a");
    const VarRef next = engine::apply(makeOp<Gemv>(true, true), {w, one, a, w, one});
    // An error that only running can find comes after the in-place write.
    class Failing final : public Op {
    public:
        std::string_view className() const override { return "Failing"; }
        std::vector<Type> outputTypes(std::span<const Operand> inputs) const override { return {inputs[0].type}; }
        bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override
        {
            outputs = {{shapes.dim(0, 0)}};
            return true;
        }
        void perform(PerformArgs &) const override { throw UserError("it does not work"); }
        bool canFold() const override { return false; }

    protected:
        std::string exactName() const override { return "Failing"; }
    };
    const VarRef bad = engine::apply(makeOp<Failing>(), {add(next, v)});
    const auto f = Function::compile(request({v}, {bad}, {{w, next}}, "None"));
    const std::string text = messageOf<RunError>([&] { call(*f, {values({1, 1})}); });
    expectHas(text, "it does not work");
    expectHas(text, "may have changed before the error: w");
}

} // namespace
