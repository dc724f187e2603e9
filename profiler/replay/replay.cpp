#include "profiler/replay/replay.h"

#include "engine/compile/debug/debug_walk.h"
#include "engine/compile/request/shared_values.h"
#include "engine/device/offers.h"
#include "engine/tensor/clock.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <utility>

namespace profiler {
namespace {

engine::Tensor tensorOf(const CapturedArray &array)
{
    engine::Tensor tensor = engine::Tensor::empty(*engine::dtypeFromName(array.dtype), engine::Dims(array.shape));
    if (!array.bytes.empty()) std::memcpy(tensor.data(), array.bytes.data(), array.bytes.size());
    return tensor;
}

// Numbers with the statistics of what was left out.
engine::Tensor placeholderOf(const CapturedValue &value, engine::DType dtype)
{
    engine::Tensor numbers = engine::Tensor::empty(engine::DType::Float64, engine::Dims(sizesOf(value)));
    std::mt19937_64 random(static_cast<std::uint64_t>(value.seed));
    std::normal_distribution<double> normal(value.mean, std::max(value.deviation, 1e-300));
    for (std::int64_t i = 0; i < numbers.size(); ++i) {
        double number = std::clamp(normal(random), std::min(value.min, value.max), std::max(value.min, value.max));
        if (engine::isDiscrete(dtype)) number = std::round(number);
        numbers.as<double>()[i] = number;
    }
    return numbers.converted(dtype);
}

std::string named(const CapturedValue &value)
{
    return std::string(roleName(value.role)) + " " + (value.name.empty() ? std::to_string(value.position) : value.name);
}

const CapturedValue *find(const CallView &view, CapturedRole role, std::size_t position)
{
    for (const CapturedValue &value : view.values)
        if (value.role == role && value.position == static_cast<int>(position)) return &value;
    return nullptr;
}

engine::Value valueFor(SessionReader &reader, const CallView &view, CapturedRole role, std::size_t position, const engine::VarRef &variable,
                       std::vector<std::string> &placeholders)
{
    const CapturedValue *value = find(view, role, position);
    if (!value)
        throw SessionError("the capture of call " + std::to_string(view.call.call) + " of " + view.functionName + " has no " +
                               roleName(role) + " " + std::to_string(position),
                           "the session is damaged; record it again with --capture");
    const engine::Type type = variable->type();
    const auto dtype = engine::dtypeFromName(value->dtype);
    if (!type.isTensor() || !dtype)
        throw SessionError("the " + named(*value) + " of " + view.functionName + " is an object of the script's and no array",
                           "only the script can call this function");
    if (*dtype != type.dtype() || sizesOf(*value).size() != static_cast<std::size_t>(type.rank()))
        throw SessionError("the captured " + named(*value) + " does not fit its variable, a " + type.text(),
                           "the session is damaged; record it again with --capture");
    if (!value->array.empty()) return engine::Value(tensorOf(readArray(reader, *value)));
    placeholders.push_back(named(*value) + ": " + value->reason + ", so random numbers of the same mean, deviation and range stand for it");
    return engine::Value(placeholderOf(*value, *dtype));
}

engine::OptimizerLevel levelNamed(const std::string &name)
{
    if (name == "None") return engine::OptimizerLevel::None;
    if (name == "Merge") return engine::OptimizerLevel::Merge;
    if (name == "FastCompile") return engine::OptimizerLevel::FastCompile;
    return engine::OptimizerLevel::FastRun;
}

engine::DeviceId deviceNamed(const std::string &name)
{
    if (const engine::Device *known = engine::findDevice(name)) return known->id();
    return engine::openDevice(name).id();
}

} // namespace

LoadedCall loadCall(SessionReader &reader, const std::string &function, std::optional<std::int64_t> call)
{
    LoadedCall loaded;
    loaded.view = chooseCall(reader, function, call);
    const CapturedFunction &captured = loaded.view.function;
    if (!captured.problem.empty())
        throw SessionError(loaded.view.functionName + " cannot be compiled without its script: " + captured.problem);
    for (const Flag &flag : reader.flags())
        if (const auto floatX = engine::dtypeFromName(flag.value); flag.name == "floatX" && floatX) engine::setFloatX(*floatX);
    const std::vector<std::uint8_t> text = reader.capturedArray(captured.document);
    try {
        loaded.graph = engine::readGraphDocument({reinterpret_cast<const char *>(text.data()), text.size()}, std::int64_t{1} << 31);
    } catch (const engine::UserError &error) {
        throw SessionError(loaded.view.functionName + " cannot be compiled without its script: " + error.what(), error.hint());
    }
    for (const engine::VarRef &input : loaded.graph.inputs)
        (input->kind() == engine::Variable::Kind::Shared ? loaded.shared : loaded.explicitInputs).push_back(input);
    for (std::size_t i = 0; i < loaded.explicitInputs.size(); ++i)
        loaded.inputs.push_back(valueFor(reader, loaded.view, CapturedRole::Input, i, loaded.explicitInputs[i], loaded.placeholders));
    for (std::size_t i = 0; i < loaded.shared.size(); ++i)
        loaded.sharedValues.push_back(valueFor(reader, loaded.view, CapturedRole::Shared, i, loaded.shared[i], loaded.placeholders));
    const std::size_t all = loaded.graph.outputs.size();
    if (captured.outputs < 0 || static_cast<std::size_t>(captured.outputs) > all)
        throw SessionError("the capture of " + loaded.view.functionName + " has more outputs than its graph",
                           "the session is damaged; record it again with --capture");
    loaded.returned = static_cast<std::size_t>(captured.outputs);
    for (std::size_t i = 0; i < all; ++i) {
        const bool isUpdate = i >= loaded.returned;
        const CapturedValue *value =
            find(loaded.view, isUpdate ? CapturedRole::Update : CapturedRole::Output, isUpdate ? i - loaded.returned : i);
        std::string name = value ? value->name : "";
        if (name.empty()) name = loaded.graph.outputs[i]->name();
        loaded.outputNames.push_back(name.empty() ? "output " + std::to_string(i) : (isUpdate ? "new " : "") + name);
        // With a stand-in among the inputs the record says nothing about what comes out.
        if (value && !value->array.empty() && loaded.placeholders.empty())
            loaded.outputs.emplace_back(engine::Value(tensorOf(readArray(reader, *value))));
        else loaded.outputs.emplace_back();
    }
    return loaded;
}

engine::Mode modeOf(const CapturedFunction &function, const ModeChanges &changes, std::string *note)
{
    engine::Mode mode;
    if (changes.mode) {
        mode = engine::Mode::named(*changes.mode);
    } else {
        mode.name = function.mode;
        mode.level = levelNamed(function.level);
        mode.linker = engine::linkerNamed(function.linker);
    }
    mode.allowGc = function.allowGc;
    mode.including = function.including;
    mode.excluding = function.excluding;
    mode.including.insert(mode.including.end(), changes.including.begin(), changes.including.end());
    mode.excluding.insert(mode.excluding.end(), changes.excluding.begin(), changes.excluding.end());
    if (changes.device) {
        mode.device = deviceNamed(*changes.device);
        return mode;
    }
    try {
        mode.device = deviceNamed(function.device);
    } catch (const engine::UserError &) {
        mode.device = engine::DeviceId::Host;
        if (note) *note = "it was recorded on " + function.device + ", which this machine does not have: it runs on the CPU";
    }
    return mode;
}

std::shared_ptr<engine::Function> compileCaptured(const LoadedCall &call, const engine::Mode &mode, bool profile)
{
    engine::FunctionSpec spec;
    spec.name = call.view.functionName;
    spec.mode = mode;
    spec.profile = profile;
    spec.onUnusedInput = engine::OnUnusedInput::Ignore;
    for (const engine::VarRef &input : call.explicitInputs) spec.inputs.push_back({input});
    std::map<std::size_t, engine::VarRef> targets(call.graph.updates.begin(), call.graph.updates.end());
    // An update of a variable that the function does not read is an output here: nobody sees the difference.
    for (std::size_t i = 0; i < call.graph.outputs.size(); ++i) {
        if (const auto target = targets.find(i); target != targets.end()) spec.updates.emplace_back(target->second, call.graph.outputs[i]);
        else spec.outputs.push_back(call.graph.outputs[i]);
    }
    return engine::Function::compile(std::move(spec));
}

std::vector<engine::Value> valuesFor(const engine::FunctionGraph &graph, const LoadedCall &call)
{
    std::map<const engine::Variable *, const engine::Value *> known;
    for (std::size_t i = 0; i < call.explicitInputs.size(); ++i) known[call.explicitInputs[i].get()] = &call.inputs[i];
    for (std::size_t i = 0; i < call.shared.size(); ++i) known[call.shared[i].get()] = &call.sharedValues[i];
    std::vector<engine::Value> values;
    for (engine::VarId id : graph.inputs()) {
        const auto found = known.find(graph.var(id).leaf.get());
        values.push_back(found == known.end() ? engine::Value() : *found->second);
    }
    return values;
}

void setShared(const LoadedCall &call)
{
    for (std::size_t i = 0; i < call.shared.size(); ++i)
        engine::setSharedValue(*call.shared[i]->container(), engine::Value(call.sharedValues[i].tensor().copy()));
}

void setUpdated(const LoadedCall &call)
{
    for (const auto &[output, target] : call.graph.updates)
        for (std::size_t i = 0; i < call.shared.size(); ++i)
            if (call.shared[i] == target) engine::setSharedValue(*target->container(), engine::Value(call.sharedValues[i].tensor().copy()));
}

std::vector<engine::Value> callCaptured(const LoadedCall &call, engine::Function &function)
{
    setShared(call);
    std::vector<engine::Value> returned;
    function.call(call.inputs, returned);
    std::map<std::size_t, engine::VarRef> targets(call.graph.updates.begin(), call.graph.updates.end());
    std::vector<engine::Value> all;
    auto next = returned.begin();
    for (std::size_t i = 0; i < call.graph.outputs.size(); ++i) {
        const auto target = targets.find(i);
        all.push_back(target == targets.end() ? *next++ : engine::sharedValue(*target->second->container()));
    }
    return engine::seen(all);
}

std::int64_t timeCaptured(const LoadedCall &call, engine::Function &function)
{
    setUpdated(call);
    std::vector<engine::Value> returned;
    const std::uint64_t begin = engine::nowNs();
    function.call(call.inputs, returned);
    return static_cast<std::int64_t>(engine::nowNs() - begin);
}

} // namespace profiler
