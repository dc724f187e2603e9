// Walks a model's graphs and makes an expression of each node.
#pragma once

#include "engine/onnx/model/call.h"

#include <map>
#include <memory>
#include <set>
#include <unordered_map>

namespace engine::onnx {

/// Names and their values: of a graph, of a function, of a graph inside a node, which also sees those around it.
class Scope {
public:
    explicit Scope(Scope *outer = nullptr) : m_outer(outer) {}
    /// Null where no value has this name.
    VarRef find(const std::string &name);
    void put(const std::string &name, VarRef value) { m_values[name] = std::move(value); }
    bool hasOwn(const std::string &name) const { return m_values.contains(name); }
    Scope *outer() const { return m_outer; }

    /// The body of a loop takes what it reads from around it as inputs of its own.
    bool captures = false;
    Vars outside, inside;                                            ///< what it reads from around it, and what stands for that in the body
    std::map<std::string, const proto::AttributeProto *> attributes; ///< of the call of a function, for those that refer to them
    std::string path;                                                ///< "layers.0/": put before names

private:
    Scope *m_outer;
    std::unordered_map<std::string, VarRef> m_values;
};

class Reader {
public:
    Reader(const proto::ModelProto &model, const ReadOptions &options);

    Model read();
    /// Reads the nodes of a graph; its inputs are in the scope already. Gives its outputs.
    Vars readGraph(const proto::GraphProto &graph, Scope &scope);
    const ReadOptions &options() const { return m_options; }
    /// The value while the model is read, if it depends on constants alone.
    std::optional<Tensor> known(const VarRef &variable);
    /// The input of the model that it depends on; empty: there is none.
    std::string inputBelow(const VarRef &variable) const;
    Tensor tensorOf(const proto::TensorProto &message, const std::string &what) const;

private:
    void list(const google::protobuf::RepeatedPtrField<proto::NodeProto> &nodes, std::size_t depth);
    void readNode(const proto::NodeProto &node, Scope &scope);
    void readNodes(const google::protobuf::RepeatedPtrField<proto::NodeProto> &nodes, Scope &scope);
    void readInitializers(const proto::GraphProto &graph, Scope &scope);
    void addInput(const proto::ValueInfoProto &info, Scope &scope, Model &result);
    Vars callFunction(const Call &call, const proto::FunctionProto &function);
    std::int64_t opsetOf(const std::string &domain) const;

    const proto::ModelProto &m_model;
    const ReadOptions &m_options;
    std::map<std::string, std::int64_t> m_opsets;
    std::map<std::string, const proto::FunctionProto *> m_functions;
    std::unordered_map<const Variable *, std::string> m_inputs;
    std::unordered_map<const Variable *, Tensor> m_known;
    std::vector<std::string> m_lines; ///< of the text that stands for the model
    std::unordered_map<const proto::NodeProto *, int> m_lineOf;
    std::size_t m_nodes = 0; ///< read so far: functions count as often as they are called
    int m_depth = 0;
};

} // namespace engine::onnx
