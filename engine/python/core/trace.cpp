#include "engine/python/core/trace.h"

#include "engine/python/core/core.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace python {
namespace {

/// What we know of a code object; the key holds a reference, so that its address is not used again.
struct SeenCode {
    bool own = false;
    bool isOfOp = false; ///< a method of a script's op that builds its applies
    std::string file, function;
};

/// A frame of the user's program, which stands at one of its instructions.
struct Frame {
    PyCodeObject *code = nullptr;
    int instruction = 0;
    bool operator==(const Frame &) const = default;
};

struct KnownFrame {
    Frame frame;
    engine::TraceId trace = engine::TraceId::None;
};

/// A frame as it was reached.
using Place = std::pair<Frame, engine::TraceId>;

struct PlaceHash {
    std::size_t operator()(const Place &place) const
    {
        std::size_t hash = reinterpret_cast<std::uintptr_t>(place.first.code) >> 4;
        hash = hash * 0x9E3779B97F4A7C15ull + static_cast<std::size_t>(place.first.instruction);
        return hash * 0x9E3779B97F4A7C15ull + static_cast<std::size_t>(place.second);
    }
};

/// Of stacks that are deeper no more than what is shown is kept: each place in them would be a trace of its own.
constexpr std::size_t kDeepest = 1000;

// All guarded by the interpreter lock.
std::vector<std::string> s_ownFolders;
std::unordered_map<PyCodeObject *, SeenCode> &codes()
{
    static auto *map = new std::unordered_map<PyCodeObject *, SeenCode>;
    return *map;
}
/// Each with a reference, as in codes().
std::unordered_set<PyCodeObject *> &codesOfOps()
{
    static auto *set = new std::unordered_set<PyCodeObject *>;
    return *set;
}
unsigned s_limits = 0; // how many there were
/// Some of them, found at once: a stack is walked for each call that builds.
std::array<std::pair<PyCodeObject *, const SeenCode *>, 256> s_near;
std::unordered_map<Place, engine::TraceId, PlaceHash> &known()
{
    static auto *map = new std::unordered_map<Place, engine::TraceId, PlaceHash>;
    return *map;
}

std::string utf8(PyObject *text)
{
    const char *bytes = text ? PyUnicode_AsUTF8(text) : nullptr;
    if (!bytes) PyErr_Clear(); // a file name that is no text has no lines to show either
    return bytes ? bytes : "";
}

const SeenCode &lookUp(PyCodeObject *object)
{
    auto &[nearObject, nearCode] = s_near[reinterpret_cast<std::uintptr_t>(object) / 64 % s_near.size()];
    if (nearObject == object) return *nearCode;
    auto [place, fresh] = codes().try_emplace(object);
    if (fresh) {
        Py_INCREF(object);
        place->second.file = utf8(object->co_filename);
        place->second.function = utf8(object->co_name);
        for (const std::string &folder : s_ownFolders)
            if (place->second.file.starts_with(folder)) place->second.own = true;
        if (place->second.file.starts_with("<frozen ")) place->second.own = true;
        place->second.isOfOp = codesOfOps().contains(object);
    }
    nearObject = object;
    nearCode = &place->second;
    return place->second;
}

std::string lineText(const std::string &file, int line)
{
    static PyObject *getline = nullptr;
    if (!getline) {
        PyObject *module = PyImport_ImportModule("linecache");
        if (module) getline = PyObject_GetAttrString(module, "getline");
        Py_XDECREF(module);
    }
    PyObject *text = getline ? PyObject_CallFunction(getline, "si", file.c_str(), line) : nullptr;
    std::string result = utf8(text);
    Py_XDECREF(text);
    PyErr_Clear(); // a source that cannot be read leaves the text empty
    const std::size_t first = result.find_first_not_of(" \t");
    const std::size_t last = result.find_last_not_of(" \t\r\n");
    return first == std::string::npos ? std::string() : result.substr(first, last - first + 1);
}

engine::TraceId traceOf(const Frame &frame, engine::TraceId caller)
{
    if (const auto place = known().find({frame, caller}); place != known().end()) return place->second;
    const SeenCode &code = lookUp(frame.code);
    const int line = PyCode_Addr2Line(frame.code, frame.instruction);
    const engine::TraceId trace = engine::internCall({code.file, line, code.function, lineText(code.file, line)}, caller);
    known().emplace(Place{frame, caller}, trace);
    return trace;
}

} // namespace

engine::TraceId captureTrace()
{
    thread_local std::vector<Frame> frames; // innermost first
    frames.clear();
    PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
    while (frame && frames.size() < kDeepest) {
        PyCodeObject *code = PyFrame_GetCode(frame);
        const SeenCode &seen = lookUp(code);
        // What an op of a script does to make its apply, and all that it calls for that, is the work of the line that uses the op.
        if (seen.isOfOp) frames.clear();
        else if (!seen.own) frames.push_back({code, PyFrame_GetLasti(frame)});
        Py_DECREF(code); // the frame has it, and so has what we know of it
        PyFrameObject *back = PyFrame_GetBack(frame);
        Py_DECREF(frame);
        frame = back;
    }
    if (frame) frames.resize(std::min(frames.size(), static_cast<std::size_t>(engine::shownLines())));
    Py_XDECREF(frame);

    // One asks from where the one before asked, or from near it.
    thread_local std::vector<KnownFrame> last; // outermost first
    thread_local unsigned asked = 0;
    if (std::exchange(asked, s_limits) != s_limits) last.clear();
    engine::TraceId trace = engine::TraceId::None;
    std::size_t depth = 0;
    while (depth < frames.size() && depth < last.size() && last[depth].frame == frames[frames.size() - 1 - depth])
        trace = last[depth++].trace;
    if (depth == frames.size()) return trace;
    last.resize(depth);
    for (; depth < frames.size(); ++depth) {
        trace = traceOf(frames[frames.size() - 1 - depth], trace);
        last.push_back({frames[frames.size() - 1 - depth], trace});
    }
    return trace;
}

void addOwnFolder(const char *folder)
{
    s_ownFolders.emplace_back(folder);
    codes().clear();
    s_near = {};
}

void addCodeOfOp(PyObject *code)
{
    auto *object = reinterpret_cast<PyCodeObject *>(code);
    if (!PyCode_Check(code) || !codesOfOps().insert(object).second) return;
    Py_INCREF(code);
    if (const auto seen = codes().find(object); seen != codes().end()) seen->second.isOfOp = true;
}

void setTraceLimit(int lines)
{
    engine::setShownLines(lines);
    known().clear();
    ++s_limits;
}

} // namespace python
