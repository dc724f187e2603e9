// One node of a model while its expression is built: its inputs, attributes and opset, and helpers that all ops share.
#pragma once

#include "engine/graph/ir/builders.h"
#include "engine/onnx/model/model.h"
#include "engine/onnx/model/proto.h"
#include "engine/ops/index/index.h"

#include <functional>
#include <optional>

namespace engine::onnx {

class Reader;
class Scope;

using Ints = std::vector<std::int64_t>;
using Vars = std::vector<VarRef>;

class Call {
public:
    Call(Reader &reader, Scope &scope, const proto::NodeProto &node, std::int64_t opset, std::string place);

    const proto::NodeProto &node() const { return m_node; }
    std::int64_t opset() const { return m_opset; }
    Reader &reader() const { return m_reader; }
    Scope &scope() const { return m_scope; }
    int inputCount() const { return static_cast<int>(m_inputs.size()); }
    int outputCount() const { return m_node.output_size(); }
    bool wants(int output) const { return output < outputCount() && !m_node.output(output).empty(); }
    bool has(int input) const { return input < inputCount() && m_inputs[static_cast<std::size_t>(input)]; }
    /// Throws where it is missing.
    const VarRef &in(int input) const;
    VarRef optional(int input) const { return has(input) ? in(input) : VarRef(); }
    const Vars &inputs() const { return m_inputs; }
    int rank(int input = 0) const { return in(input)->type().rank(); }
    DType dtype(int input = 0) const { return in(input)->type().dtype(); }

    bool hasAttribute(const char *name) const { return find(name) != nullptr; }
    std::int64_t integer(const char *name, std::int64_t otherwise) const;
    std::int64_t integer(const char *name) const; ///< throws where it is missing
    double number(const char *name, double otherwise) const;
    std::string text(const char *name, const std::string &otherwise) const;
    Ints integers(const char *name, const Ints &otherwise = {}) const;
    std::vector<double> numbers(const char *name) const;
    std::vector<std::string> texts(const char *name) const;
    Tensor tensor(const char *name) const;
    const proto::GraphProto &graph(const char *name) const;
    /// The dtype that an attribute names by ONNX's number.
    DType type(const char *name, DType otherwise) const;
    bool isBFloat16(const char *name) const;

    /// The value of an input while the model is read. Throws ValueNeeded where it depends on inputs of the model.
    Tensor constant(int input) const;
    Tensor constant(const VarRef &variable, const char *what) const;
    Ints constantInts(int input) const;
    std::optional<Tensor> known(const VarRef &variable) const;
    /// `name` as an attribute, or input `input` where newer opsets have it; nothing where neither is there.
    std::optional<Ints> intsOf(const char *name, int input) const;
    /// Counted from the front, and inside of the rank.
    int axis(std::int64_t axis, int rank) const;
    std::vector<int> axes(const Ints &axes, int rank) const;

    [[noreturn]] void fail(const std::string &why) const;
    /// "Conv \"layer1/conv\" (opset 13)"
    const std::string &place() const { return m_place; }

private:
    const proto::AttributeProto *find(const char *name) const;
    const proto::AttributeProto &need(const char *name) const;

    Reader &m_reader;
    Scope &m_scope;
    const proto::NodeProto &m_node;
    std::int64_t m_opset;
    std::string m_place;
    Vars m_inputs;
};

using OpFunction = Vars (*)(Call &);

/// The function that reads an op from an opset on, until a later row of the same op.
struct OpRow {
    const char *domain;
    const char *name;
    std::int64_t since;
    OpFunction function;
};
/// Each file of ops adds its rows before main() begins.
class OpRows {
public:
    OpRows(std::initializer_list<OpRow> rows);
    /// Null: the op is not known in that opset.
    static const OpRow *find(const std::string &domain, const std::string &name, std::int64_t opset);
    static const std::vector<OpRow> &all();
};

// --- what many ops are made of -------------------------------------------------------------------------------

/// Sizes that are known, kUnknownDim where one is not.
Ints sizesOf(const VarRef &a);
/// One size: a constant where it is known.
VarRef sizeOf(const VarRef &a, int axis);
Vars allSizes(const VarRef &a);
VarRef number(DType dtype, double value);
VarRef int64(std::int64_t value);
VarRef intVector(std::span<const std::int64_t> values);
/// With the sizes in the type that the rules of the ops know; those of 1 broadcast.
VarRef pinned(const VarRef &a);
VarRef pinned(const VarRef &a, std::span<const std::int64_t> sizes);
VarRef reshapeTo(const VarRef &a, const Vars &sizes);
VarRef permuted(const VarRef &a, std::vector<int> order);
/// New axes of size 1 at those places of the result.
VarRef withAxes(const VarRef &a, const std::vector<int> &axes);
/// A vector along axis 1 of `rank` axes: bias and scale of channels.
VarRef alongChannels(const VarRef &vector, int rank);
/// Elements [start, stop) of an axis.
VarRef sliced(const VarRef &a, int axis, std::int64_t start, std::int64_t stop, std::int64_t step = 1);
/// ONNX's (NumPy's) matrix product of any ranks.
VarRef matMul(const VarRef &a, const VarRef &b);
/// Over one axis.
VarRef softmaxOver(const VarRef &a, int axis, bool logarithm = false);
/// `value` before and after each axis.
VarRef padded(const VarRef &a, const Ints &before, const Ints &after, const VarRef &value);
/// Elements of an axis in another order, or some of them.
VarRef picked(const VarRef &a, int axis, const Ints &places);

/// NumPy's take_along_axis: places along `axis`, in the sizes of `places`.
VarRef gathered(const VarRef &a, const VarRef &places, int axis);
/// The index that takes (or sets) those: one array an axis.
std::vector<IndexItem> alongAxis(const VarRef &a, const VarRef &places, int axis);

} // namespace engine::onnx
