// The callable that function() gives: a hand-written type, because a call of a tiny function is mostly entering it.
#pragma once

#include "engine/compile/function/function.h"
#include "engine/python/core/core.h"

#include <memory>
#include <string>
#include <vector>

namespace python {

/// One explicit input of a function.
struct InputSlot {
    engine::Type type;
    py::object name;         ///< str or None
    py::object storage;      ///< holds the value of now as item 0; functions may share it
    py::object defaultValue; ///< what comes back into the storage after each call; null: nothing does
    bool required = true;    ///< every call has to give it
    bool keeps = false;      ///< what a call gives stays in the storage
    bool strict = false;
    int allowDowncast = -1;     ///< -1: None
    bool refused = false;       ///< may not be given by position or name (implicit)
    bool isMutable = false;     ///< the function may overwrite it
    bool isOverwritten = false; ///< its next value goes into the array that a call gives, not into the storage
};

/// What a call returns.
enum class ResultShape { Bare, List, Dict };

struct FunctionParts {
    std::shared_ptr<engine::Function> function;
    std::vector<InputSlot> inputs;
    ResultShape result = ResultShape::List;
    std::size_t visibleOutputs = 0;
    std::vector<py::object> keys; ///< ResultShape::Dict
    /// Inputs that take the outputs behind the visible ones as their next value (In(update=…), and what is overwritten).
    std::vector<std::size_t> feedback;
    /// A Python function that computes all outputs from the arguments in place of the engine (checking modes).
    py::object runner;
};

void addFunctionObject(py::module_ &module);
py::object makeFunctionObject(FunctionParts parts);
const FunctionParts &partsOf(py::handle function);
bool isFunction(py::handle object);

} // namespace python
