// How an op class is declared: what Theano calls it, and which rules of Op it has. A family's header reads
//   class Softmax final : public Op {
//       OP_NAME("Softmax", "theano.tensor.nnet.nnet");
//       OP_RULES(outputTypes, inferShape, gradient, rop, cost, perform);
//   };
// and its source has the bodies. Rules that many ops share have a name and no body: viewsFirst, costsNothing …
#pragma once

#include "engine/graph/op/op.h"

// clang-format off
#define ENGINE_RULE_outputTypes std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
#define ENGINE_RULE_inferShape bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
#define ENGINE_RULE_inferValue std::optional<Sym> inferValue(ShapeBuilder &shapes, int output, int element) const override;
#define ENGINE_RULE_sizeRules std::vector<SizeRule> sizeRules(ShapeBuilder &shapes) const override;
#define ENGINE_RULE_viewLayout \
    std::optional<Layout> viewLayout(const Layout &input, DType dtype, const Dims &outputShape, \
        std::span<const std::optional<std::int64_t>> integers) const override;
#define ENGINE_RULE_cost Cost cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const override;
#define ENGINE_RULE_workSteps std::vector<WorkStep> workSteps(std::span<const Type> inputs, std::span<const Type> outputs) const override;
#define ENGINE_RULE_gradient std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
#define ENGINE_RULE_rop std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
#define ENGINE_RULE_connectionPattern std::vector<std::vector<bool>> connectionPattern(const Apply &node) const override;
#define ENGINE_RULE_perform void perform(PerformArgs &args) const override;
#define ENGINE_RULE_prepare std::unique_ptr<Thunk> prepare(const ThunkSpec &spec) const override;
#define ENGINE_RULE_exactName protected: std::string exactName() const override; public:
#define ENGINE_RULE_shortName protected: std::string shortName() const override; public:
#define ENGINE_RULE_identity protected: std::string identity() const override; public:

/// The output has the type of the first input, or the sizes of the first or second.
#define ENGINE_RULE_typeOfFirst std::vector<Type> outputTypes(std::span<const Operand> inputs) const override { return {inputs[0].type}; }
#define ENGINE_RULE_sizesOfFirst \
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override \
    { outputs = {shapes.sizesOf(0)}; return true; }
#define ENGINE_RULE_sizesOfSecond \
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override \
    { outputs = {shapes.sizesOf(1)}; return true; }
/// The output is a window on the first input; it looks as the input does; it overwrites the input of an op with `m_inplace`.
#define ENGINE_RULE_viewsFirst std::vector<Alias> viewMap() const override { return {{0, 0}}; }
#define ENGINE_RULE_layoutOfFirst \
    std::optional<Layout> viewLayout(const Layout &input, DType, const Dims &, \
        std::span<const std::optional<std::int64_t>>) const override \
    { return input; }
#define ENGINE_RULE_overwritesFirst \
    std::vector<Alias> destroyMap() const override \
    { return m_inplace ? std::vector<Alias>{{0, 0}} : std::vector<Alias>{}; }
#define ENGINE_RULE_costsNothing Cost cost(std::span<const Dims>, std::span<const Dims>) const override { return {}; }
/// It has a form for devices.
#define ENGINE_RULE_onDevices \
    bool hasDeviceForm() const override { return true; } \
    std::unique_ptr<Op> copied() const override { return std::make_unique<std::remove_cvref_t<decltype(*this)>>(*this); }
#define ENGINE_RULE_readsInputOnHost bool readsInputOnHost(std::size_t input, const Operand &operand) const override;
#define ENGINE_RULE_whyNotOnDevice \
    std::string whyNotOnDevice(std::span<const Type> inputs, std::span<const Type> outputs) const override;
#define ENGINE_RULE_deviceName \
    protected: std::string deviceName() const override; public:
#define ENGINE_RULE_deviceClass \
    protected: std::string deviceClass() const override; public:
#define ENGINE_RULE_notFolded bool canFold() const override { return false; }
/// Only elements of the first input (the first two) reach outputs; none do.
#define ENGINE_RULE_firstConnected \
    std::vector<std::vector<bool>> connectionPattern(const Apply &node) const override \
    { return connectedInputs(node, 1); }
#define ENGINE_RULE_firstTwoConnected \
    std::vector<std::vector<bool>> connectionPattern(const Apply &node) const override \
    { return connectedInputs(node, 2); }
#define ENGINE_RULE_notConnected \
    std::vector<std::vector<bool>> connectionPattern(const Apply &node) const override \
    { return connectedInputs(node, 0); }
// clang-format on

#define ENGINE_PARENTHESES ()
#define ENGINE_RESCAN(...) ENGINE_RESCAN1(ENGINE_RESCAN1(ENGINE_RESCAN1(ENGINE_RESCAN1(__VA_ARGS__))))
#define ENGINE_RESCAN1(...) ENGINE_RESCAN2(ENGINE_RESCAN2(ENGINE_RESCAN2(ENGINE_RESCAN2(__VA_ARGS__))))
#define ENGINE_RESCAN2(...) __VA_ARGS__
#define ENGINE_EACH_RULE(rule, ...) ENGINE_RULE_##rule __VA_OPT__(ENGINE_NEXT_RULE ENGINE_PARENTHESES(__VA_ARGS__))
#define ENGINE_NEXT_RULE() ENGINE_EACH_RULE

/// Declares the rules that the op has.
#define OP_RULES(...)                                                                                                                      \
public:                                                                                                                                    \
    ENGINE_RESCAN(ENGINE_EACH_RULE(__VA_ARGS__)) static_assert(true)
/// Theano's class and its module (theano.tensor.basic where none is given). A class whose ops have several names overrides className(), and
/// its card lists them.
#define OP_NAME(theanoClass, ...)                                                                                                          \
public:                                                                                                                                    \
    static constexpr std::string_view kTheanoClass = theanoClass;                                                                          \
    std::string_view className() const override { return kTheanoClass; }                                                                   \
    __VA_OPT__(std::string_view moduleName() const override { return __VA_ARGS__; }) static_assert(true)
