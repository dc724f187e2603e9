#pragma once
// The smallest reversible changes of a graph; a step is a list of them.

#include "profiler/session/codec/shared_text.h"
#include "profiler/session/model/ids.h"

#include <compare>
#include <string>
#include <variant>
#include <vector>

namespace profiler {

struct SourceLine {
    SharedText file;
    int line = 0; // 1-based; 0 = unknown
    auto operator<=>(const SourceLine &) const = default;
};

// Result: an output of an apply. The others stand on their own.
enum class VariableKind : std::uint8_t { Result, Input, Shared, Constant };

struct SourceRef {
    StringId file = kEmptyString;
    std::uint32_t line = 0;
    auto operator<=>(const SourceRef &) const = default;
};

struct OutputSpec {
    VariableId id = kNoVariable;
    StringId type = kEmptyString; // "TensorType(float32, matrix)"
    StringId name = kEmptyString;
    bool operator==(const OutputSpec &) const = default;
};

// Output `output` is a view of, or is written over, input `input`.
struct PortPair {
    std::uint32_t output = 0;
    std::uint32_t input = 0;
    bool operator==(const PortPair &) const = default;
};

struct AddVariable {
    VariableId id = kNoVariable;
    VariableKind kind = VariableKind::Input; // never Result
    StringId type = kEmptyString;
    StringId name = kEmptyString;
    StringId value = kEmptyString; // summary for constants and shared variables: "0.5", "float32 (784,)"
    std::vector<SourceRef> sources;
    bool operator==(const AddVariable &) const = default;
};

struct AddApply {
    ApplyId id = kNoApply;
    StringId op = kEmptyString;       // exact: "Elemwise{exp,no_inplace}"
    StringId friendly = kEmptyString; // "exp"
    StringId opClass = kEmptyString;  // "theano.tensor.elemwise.Elemwise"
    StringId device = kEmptyString;   // "cpu", "cuda0"
    std::vector<VariableId> inputs;
    std::vector<OutputSpec> outputs;
    std::vector<PortPair> views;
    std::vector<PortPair> destroys;
    std::vector<SourceRef> sources;
    bool operator==(const AddApply &) const = default;
};

struct SetInput {
    ApplyId apply = kNoApply;
    std::uint32_t port = 0;
    VariableId before = kNoVariable;
    VariableId after = kNoVariable;
    bool operator==(const SetInput &) const = default;
};

// before = kNoVariable: a new output is appended; after = kNoVariable: the last output is removed.
struct SetOutput {
    std::uint32_t index = 0;
    VariableId before = kNoVariable;
    VariableId after = kNoVariable;
    bool operator==(const SetOutput &) const = default;
};

struct Rename {
    VariableId variable = kNoVariable;
    StringId before = kEmptyString;
    StringId after = kEmptyString;
    bool operator==(const Rename &) const = default;
};

// The apply and its outputs leave the graph; nothing live may read them any more.
struct PruneApply {
    ApplyId apply = kNoApply;
    bool operator==(const PruneApply &) const = default;
};

struct PruneVariable {
    VariableId variable = kNoVariable;
    bool operator==(const PruneVariable &) const = default;
};

// Source lines that a surviving apply takes over (merge); only lines that it did not have.
struct AddSources {
    ApplyId apply = kNoApply;
    std::vector<SourceRef> sources;
    bool operator==(const AddSources &) const = default;
};

using Edit = std::variant<AddVariable, AddApply, SetInput, SetOutput, Rename, PruneApply, PruneVariable, AddSources>;

[[nodiscard]] const char *variableKindName(VariableKind kind);

} // namespace profiler
