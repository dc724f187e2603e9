// Softmax over the rows of a matrix, its logarithm, and the cross-entropies made of it.
#pragma once

#include "engine/graph/op.h"

namespace engine {

/// exp(x) / Σ exp(x) over the last axis; x is a matrix.
class Softmax final : public Op {
public:
    std::string_view className() const override { return "Softmax"; }
    std::string_view moduleName() const override { return "theano.tensor.nnet.nnet"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    Cost cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override { return "Softmax"; }
};

class LogSoftmax final : public Op {
public:
    std::string_view className() const override { return "LogSoftmax"; }
    std::string_view moduleName() const override { return "theano.tensor.nnet.nnet"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    Cost cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override { return "LogSoftmax"; }
};

/// Inputs: gradient of the softmax, the softmax; output: gradient of x.
class SoftmaxGrad final : public Op {
public:
    std::string_view className() const override { return "SoftmaxGrad"; }
    std::string_view moduleName() const override { return "theano.tensor.nnet.nnet"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<SizeRule> sizeRules(ShapeBuilder &shapes) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    Cost cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override { return "SoftmaxGrad"; }
};

/// softmax(x + b), b a vector added to each row.
class SoftmaxWithBias final : public Op {
public:
    std::string_view className() const override { return "SoftmaxWithBias"; }
    std::string_view moduleName() const override { return "theano.tensor.nnet.nnet"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<SizeRule> sizeRules(ShapeBuilder &shapes) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    Cost cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override { return "SoftmaxWithBias"; }
};

/// -log p[i, y[i]] for each row; inputs p (matrix), y (integer vector).
class CrossentropyCategorical1Hot final : public Op {
public:
    std::string_view className() const override { return "CrossentropyCategorical1Hot"; }
    std::string_view moduleName() const override { return "theano.tensor.nnet.nnet"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<SizeRule> sizeRules(ShapeBuilder &shapes) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    Cost cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override { return "CrossentropyCategorical1Hot"; }
};

/// Inputs g (vector), p, y; zero except -g[i] / p[i, y[i]].
class CrossentropyCategorical1HotGrad final : public Op {
public:
    std::string_view className() const override { return "CrossentropyCategorical1HotGrad"; }
    std::string_view moduleName() const override { return "theano.tensor.nnet.nnet"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<SizeRule> sizeRules(ShapeBuilder &shapes) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    Cost cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override { return "CrossentropyCategorical1HotGrad"; }
};

/// Which rows the classes of a cross-entropy belong to.
enum class Classes : std::uint8_t {
    EachRow,   ///< one for each
    FirstRows, ///< as [arange(len(y)), y] takes them: rows without a class have no loss
    OneOrEach, ///< as [arange(rows), y] takes them: a single one is that of all rows
};

/// Inputs x, b, y; outputs: -log softmax(x + b)[i, y[i]], the softmax, its argmax (dtype of y).
class CrossentropySoftmaxArgmax1HotWithBias final : public Op {
public:
    explicit CrossentropySoftmaxArgmax1HotWithBias(Classes classes = Classes::EachRow) : m_classes(classes) {}
    Classes classes() const { return m_classes; }
    std::string_view className() const override { return "CrossentropySoftmaxArgmax1HotWithBias"; }
    std::string_view moduleName() const override { return "theano.tensor.nnet.nnet"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<std::vector<bool>> connectionPattern(const Apply &node) const override;
    Cost cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override { return "CrossentropySoftmaxArgmax1HotWithBias"; }
    std::string identity() const override { return std::to_string(static_cast<int>(m_classes)); }

private:
    Classes m_classes;
};

/// Inputs g (vector, or 0-d for all rows), softmax, y; output: g[i]·(softmax - one-hot(y)).
class CrossentropySoftmax1HotWithBiasDx final : public Op {
public:
    explicit CrossentropySoftmax1HotWithBiasDx(Classes classes = Classes::EachRow) : m_classes(classes) {}
    Classes classes() const { return m_classes; }
    std::string_view className() const override { return "CrossentropySoftmax1HotWithBiasDx"; }
    std::string_view moduleName() const override { return "theano.tensor.nnet.nnet"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    Cost cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override { return "CrossentropySoftmax1HotWithBiasDx"; }
    std::string identity() const override { return std::to_string(static_cast<int>(m_classes)); }

private:
    Classes m_classes;
};

/// A vector becomes a matrix of one row first, as in Theano.
VarRef softmax(const VarRef &x);
VarRef logSoftmax(const VarRef &x);
/// Per row: -Σ t·log p for a t of p's rank, -log p[i, t[i]] for integers of one rank less.
VarRef categoricalCrossentropy(const VarRef &p, const VarRef &t);
/// Outputs of CrossentropySoftmaxArgmax1HotWithBias.
std::vector<VarRef> crossentropySoftmaxArgmax(const VarRef &x, const VarRef &b, const VarRef &y);

} // namespace engine
