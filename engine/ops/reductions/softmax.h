// Softmax over the rows of a matrix, its logarithm, and the cross-entropies made of it.
#pragma once

#include "engine/graph/op/op_class.h"

namespace engine {

/// exp(x) / Σ exp(x) over the last axis; x is a matrix.
class Softmax final : public Op {
    OP_NAME("Softmax", "theano.tensor.nnet.nnet");
    OP_RULES(outputTypes, sizesOfFirst, gradient, rop, cost, perform, prepare, onDevices, whyNotOnDevice);
};

class LogSoftmax final : public Op {
    OP_NAME("LogSoftmax", "theano.tensor.nnet.nnet");
    OP_RULES(outputTypes, sizesOfFirst, gradient, rop, cost, perform, prepare, onDevices, whyNotOnDevice);
};

/// Inputs: gradient of the softmax, the softmax; output: gradient of x.
class SoftmaxGrad final : public Op {
    OP_NAME("SoftmaxGrad", "theano.tensor.nnet.nnet");
    OP_RULES(outputTypes, sizesOfSecond, sizeRules, gradient, rop, cost, perform, prepare, onDevices, whyNotOnDevice);
};

/// softmax(x + b), b a vector added to each row.
class SoftmaxWithBias final : public Op {
    OP_NAME("SoftmaxWithBias", "theano.tensor.nnet.nnet");
    OP_RULES(outputTypes, sizesOfFirst, sizeRules, gradient, cost, perform, prepare, onDevices, whyNotOnDevice);
};

/// -log p[i, y[i]] for each row; inputs p (matrix), y (integer vector).
class CrossentropyCategorical1Hot final : public Op {
    OP_NAME("CrossentropyCategorical1Hot", "theano.tensor.nnet.nnet");
    OP_RULES(outputTypes, inferShape, sizeRules, gradient, rop, cost, perform, prepare, onDevices, whyNotOnDevice);
};

/// Inputs g (vector), p, y; zero except -g[i] / p[i, y[i]].
class CrossentropyCategorical1HotGrad final : public Op {
    OP_NAME("CrossentropyCategorical1HotGrad", "theano.tensor.nnet.nnet");
    OP_RULES(outputTypes, sizesOfSecond, sizeRules, gradient, rop, cost, perform, prepare, onDevices, whyNotOnDevice);
};

/// Which rows the classes of a cross-entropy belong to.
enum class Classes : std::uint8_t {
    EachRow,   ///< one for each
    FirstRows, ///< as [arange(len(y)), y] takes them: rows without a class have no loss
    OneOrEach, ///< as [arange(rows), y] takes them: a single one is that of all rows
};

/// How `given` classes belong to rows; throws where they do not.
struct ClassesOfRows {
    ClassesOfRows(const Op &op, Classes sort, std::int64_t rows, std::int64_t given);
    std::int64_t losses; ///< rows that have a class: the first ones
    bool repeats;        ///< there is one for all
};

/// Inputs x, b, y; outputs: -log softmax(x + b)[i, y[i]], the softmax, its argmax (dtype of y).
class CrossentropySoftmaxArgmax1HotWithBias final : public Op {
public:
    explicit CrossentropySoftmaxArgmax1HotWithBias(Classes classes = Classes::EachRow) : m_classes(classes) {}
    Classes classes() const { return m_classes; }
    OP_NAME("CrossentropySoftmaxArgmax1HotWithBias", "theano.tensor.nnet.nnet");
    OP_RULES(outputTypes, inferShape, gradient, rop, connectionPattern, cost, perform, prepare, onDevices, whyNotOnDevice);

protected:
    std::string identity() const override { return std::to_string(static_cast<int>(m_classes)); }

private:
    Classes m_classes;
};

/// Inputs g (vector, or 0-d for all rows), softmax, y; output: g[i]·(softmax - one-hot(y)).
class CrossentropySoftmax1HotWithBiasDx final : public Op {
public:
    explicit CrossentropySoftmax1HotWithBiasDx(Classes classes = Classes::EachRow) : m_classes(classes) {}
    Classes classes() const { return m_classes; }
    OP_NAME("CrossentropySoftmax1HotWithBiasDx", "theano.tensor.nnet.nnet");
    OP_RULES(outputTypes, sizesOfSecond, gradient, rop, cost, perform, prepare, onDevices, readsInputOnHost, whyNotOnDevice);

protected:
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
