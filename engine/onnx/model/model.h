// A model in ONNX's format as expressions: what it takes, what it gives, and what must be known to build it.
#pragma once

#include "engine/graph/ir/expression.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine::onnx {

/// What stands in the way of reading a model. The sentence names the node and its opset where there is one.
class ModelError : public UserError {
public:
    using UserError::UserError;
};

/// An op needs a number to build its expression, and that depends on inputs of the model: read it again with their values (ReadOptions).
class ValueNeeded : public ModelError {
public:
    ValueNeeded(const std::string &message, std::string input)
        : ModelError(message, "give the value of this input, or make it an initializer of the model"), m_input(std::move(input))
    {}
    const std::string &input() const { return m_input; }

private:
    std::string m_input;
};

struct ReadOptions {
    std::map<std::string, std::int64_t> dims;                ///< sizes of named dimensions: batch = 8
    std::map<std::string, std::vector<std::int64_t>> shapes; ///< sizes of inputs, which win over those of the model
    std::map<std::string, Tensor> values;                    ///< inputs that become constants
    std::string folder;                                      ///< where files with weights are; empty: there are none
    std::string source;                                      ///< what the sources of nodes name as their file; empty: the graph's name
    bool onlyInputs = false;                                 ///< reads no node
};

struct ModelInput {
    std::string name;
    VarRef variable;
    std::string dtype;
    std::vector<std::string> sizes; ///< as the model has them: "3", a name, or "?"; "..." alone: it does not say how many
};

struct ModelOutput {
    std::string name;
    VarRef variable;
};

struct Model {
    std::string name, producer, documentation;
    std::int64_t irVersion = 0;
    std::map<std::string, std::int64_t> opsets; ///< by domain; "" is ONNX's own
    std::map<std::string, std::string> metadata;
    std::vector<ModelInput> inputs;
    std::vector<ModelOutput> outputs;
    std::vector<std::string> nodes; ///< a line each, in the order of the file; graphs inside are indented, functions come last
};

/// Reads a file. Throws ModelError; files may be hostile.
Model readModelFile(const std::string &path, ReadOptions options);
/// Reads the bytes of one.
Model readModel(std::string_view bytes, const ReadOptions &options);
/// An array: a file of the message TensorProto, as ONNX's tests keep inputs.
Tensor readTensor(std::string_view bytes);
/// "Add 7-", one line an op, in alphabetic order: what the table has.
std::vector<std::string> knownOps();

/// What libcroton_onnx gives those who load it when they need it.
struct Library {
    Model (*readFile)(const std::string &path, ReadOptions options);
    Model (*read)(std::string_view bytes, const ReadOptions &options);
    Tensor (*tensor)(std::string_view bytes);
    std::vector<std::string> (*ops)();
};

} // namespace engine::onnx

extern "C" const engine::onnx::Library *crotonOnnxLibrary();
