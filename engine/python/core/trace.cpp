#include "engine/python/core/trace.h"

#include "engine/python/core/core.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace python {
namespace {

/// What we know of a code object; the key holds a reference, so that its address is not used again.
struct SeenCode {
    bool own = false;
    std::string file, function;
};

struct PlaceHash {
    std::size_t operator()(const std::vector<std::uintptr_t> &chain) const
    {
        std::size_t hash = chain.size();
        for (std::uintptr_t part : chain) hash = hash * 0x9E3779B97F4A7C15ull + (part ^ (part >> 17));
        return hash;
    }
};

// All guarded by the interpreter lock.
std::vector<std::string> s_ownFolders;
int s_limit = 8;
std::unordered_map<PyCodeObject *, SeenCode> &codes()
{
    static auto *map = new std::unordered_map<PyCodeObject *, SeenCode>;
    return *map;
}
/// (code, instruction) pairs of the user's frames, innermost first.
std::unordered_map<std::vector<std::uintptr_t>, engine::TraceId, PlaceHash> &known()
{
    static auto *map = new std::unordered_map<std::vector<std::uintptr_t>, engine::TraceId, PlaceHash>;
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
    auto [place, fresh] = codes().try_emplace(object);
    if (fresh) {
        Py_INCREF(object);
        place->second.file = utf8(object->co_filename);
        place->second.function = utf8(object->co_name);
        for (const std::string &folder : s_ownFolders)
            if (place->second.file.starts_with(folder)) place->second.own = true;
        if (place->second.file.starts_with("<frozen ")) place->second.own = true;
    }
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

} // namespace

engine::TraceId captureTrace()
{
    thread_local std::vector<std::uintptr_t> chain;
    chain.clear();
    PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
    PyFrameObject *const first = frame;
    Py_XINCREF(first);
    int depth = 0;
    while (frame && depth < s_limit) {
        PyCodeObject *code = PyFrame_GetCode(frame);
        if (!lookUp(code).own) {
            chain.push_back(reinterpret_cast<std::uintptr_t>(code));
            chain.push_back(static_cast<std::uintptr_t>(PyFrame_GetLasti(frame)));
            ++depth;
        }
        Py_DECREF(code);
        PyFrameObject *back = PyFrame_GetBack(frame);
        Py_DECREF(frame);
        frame = back;
    }
    Py_XDECREF(frame);
    engine::TraceId result = engine::TraceId::None;
    if (!chain.empty()) {
        auto place = known().find(chain);
        if (place == known().end()) {
            std::vector<engine::SourceLine> trace;
            PyFrameObject *walk = first;
            Py_XINCREF(walk);
            while (walk && trace.size() * 2 < chain.size()) {
                PyCodeObject *object = PyFrame_GetCode(walk);
                const SeenCode &code = lookUp(object);
                Py_DECREF(object);
                if (!code.own) {
                    const int line = PyFrame_GetLineNumber(walk);
                    trace.push_back({code.file, line, code.function, lineText(code.file, line)});
                }
                PyFrameObject *back = PyFrame_GetBack(walk);
                Py_DECREF(walk);
                walk = back;
            }
            Py_XDECREF(walk);
            place = known().emplace(chain, engine::internTrace(std::move(trace))).first;
        }
        result = place->second;
    }
    Py_XDECREF(first);
    return result;
}

void addOwnFolder(const char *folder)
{
    s_ownFolders.emplace_back(folder);
    codes().clear();
}

void setTraceLimit(int lines)
{
    s_limit = lines;
    known().clear();
}

} // namespace python
