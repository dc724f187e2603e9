#include "profiler/replay/captured.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <tuple>
#include <utility>

namespace profiler {

namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 33;
constexpr std::size_t kMostAxes = 12;
constexpr std::array<std::pair<const char *, std::size_t>, 14> kElementBytes{{{"bool", 1},
                                                                              {"int8", 1},
                                                                              {"int16", 2},
                                                                              {"int32", 4},
                                                                              {"int64", 8},
                                                                              {"uint8", 1},
                                                                              {"uint16", 2},
                                                                              {"uint32", 4},
                                                                              {"uint64", 8},
                                                                              {"float16", 2},
                                                                              {"float32", 4},
                                                                              {"float64", 8},
                                                                              {"complex64", 8},
                                                                              {"complex128", 16}}};

[[noreturn]] void damaged(const CapturedValue &value, const std::string &what)
{
    throw SessionError("the captured " + std::string(roleName(value.role)) + " " +
                           (value.name.empty() ? std::to_string(value.position) : value.name) + " is damaged: " + what,
                       "the rest of the session can be read; record again with --capture");
}

std::string nameOf(const FunctionInfo &function)
{
    return function.name.empty() ? "function " + std::to_string(raw(function.id)) : function.name;
}

bool isMeant(const CallView &view, const std::string &function)
{
    return view.functionName == function || std::to_string(raw(view.function.function)) == function;
}

int rank(const CapturedCall &call) { return call.reason == CaptureReason::Chosen ? 0 : call.reason == CaptureReason::Slowest ? 1 : 2; }

} // namespace

std::vector<CallView> capturedCalls(SessionReader &reader)
{
    std::map<FunctionId, CapturedFunction> functions;
    for (CapturedFunction &function : reader.capturedFunctions()) functions[function.function] = std::move(function);
    std::map<FunctionId, std::string> names;
    for (const FunctionInfo &function : reader.functions()) names[function.id] = nameOf(function);
    std::vector<CallView> views;
    std::map<std::pair<FunctionId, std::int64_t>, std::size_t> places;
    for (const CapturedCall &call : reader.capturedCalls()) {
        const auto function = functions.find(call.function);
        if (function == functions.end() || !names.contains(call.function)) continue;
        places[{call.function, call.call}] = views.size();
        views.push_back({function->second, names[call.function], call, {}});
    }
    for (CapturedValue &value : reader.capturedValues())
        if (const auto place = places.find({value.function, value.call}); place != places.end())
            views[place->second].values.push_back(std::move(value));
    for (CallView &view : views)
        std::ranges::stable_sort(view.values, {}, [](const CapturedValue &value) { return std::tuple(value.role, value.position); });
    return views;
}

CallView chooseCall(SessionReader &reader, const std::string &function, std::optional<std::int64_t> call)
{
    std::vector<CallView> views = capturedCalls(reader);
    if (views.empty() && reader.functions().empty())
        throw SessionError("no function was compiled in this session", "theano.function(inputs, outputs) compiles one");
    if (views.empty())
        throw SessionError("no call was captured in this session", "record it with: croton profile --capture FILE.py -o S.croton");
    std::map<FunctionId, std::int64_t> spent;
    for (const FunctionInfo &info : reader.functions()) spent[info.id] = info.run.totalNs;
    std::string names, calls;
    const CallView *best = nullptr;
    for (const CallView &view : views) {
        if (names.find("'" + view.functionName + "'") == std::string::npos)
            names += (names.empty() ? "'" : ", '") + view.functionName + "'";
        if (!function.empty() && !isMeant(view, function)) continue;
        calls += (calls.empty() ? "" : ", ") + std::to_string(view.call.call);
        if (call && view.call.call != *call) continue;
        const auto worth = [&](const CallView &one) {
            return std::tuple(-spent[one.function.function], raw(one.function.function), rank(one.call));
        };
        if (!best || worth(view) < worth(*best)) best = &view;
    }
    if (best) return *best;
    if (calls.empty()) throw SessionError("no call of '" + function + "' was captured", "there are calls of " + names);
    throw SessionError("call " + std::to_string(call.value_or(0)) + " was not captured", "those that were: " + calls);
}

std::vector<std::int64_t> sizesOf(const CapturedValue &value)
{
    std::vector<std::int64_t> sizes;
    std::int64_t count = 1;
    const char *at = value.shape.data(), *const end = at + value.shape.size();
    while (at != end) {
        std::int64_t size = 0;
        const auto [next, error] = std::from_chars(at, end, size);
        const bool isFine =
            error == std::errc() && size >= 0 && size <= kMostElements && (next == end || (*next == ',' && next + 1 != end));
        if (!isFine || sizes.size() == kMostAxes) damaged(value, "its shape is none");
        sizes.push_back(size);
        count *= std::max<std::int64_t>(size, 1);
        if (count > kMostElements) damaged(value, "its shape is too large");
        at = next == end ? end : next + 1;
    }
    return sizes;
}

CapturedArray readArray(SessionReader &reader, const CapturedValue &value)
{
    if (value.array.empty())
        throw SessionError("the " + std::string(roleName(value.role)) + " " +
                               (value.name.empty() ? std::to_string(value.position) : value.name) + " of call " +
                               std::to_string(value.call) + " was not kept: " + value.reason,
                           "record again with a larger --capture-limit");
    CapturedArray array{value.dtype, sizesOf(value), {}};
    std::size_t wanted = 0;
    for (const auto &[dtype, bytes] : kElementBytes)
        if (value.dtype == dtype) wanted = bytes;
    if (wanted == 0) damaged(value, "there is no dtype " + value.dtype);
    for (const std::int64_t size : array.shape) wanted *= static_cast<std::size_t>(size);
    array.bytes = reader.capturedArray(value.array);
    if (array.bytes.size() != wanted) damaged(value, "its bytes do not fit its shape");
    if (value.dtype == "bool")
        for (const std::uint8_t byte : array.bytes)
            if (byte > 1) damaged(value, "a truth value is neither 0 nor 1");
    return array;
}

} // namespace profiler
