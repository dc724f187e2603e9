#include "engine/python/core/watch.h"

#include "engine/python/core/build.h"

#include <limits>
#include <map>
#include <string>

namespace python {
namespace {

/// Functions (variables that were built, id of the first node that the outermost builder at work made), by what they are for.
std::map<std::string, py::object> &watchers()
{
    static auto *all = new std::map<std::string, py::object>;
    return *all;
}
/// Of this thread: how many builders are at work, one within the other, and the first node of the outermost.
thread_local int s_depth = 0;
thread_local engine::NodeId s_first{};

/// What the watcher itself builds and runs is not watched, unless it calls builders of its own.
class Unwatched {
public:
    Unwatched() : m_depth(s_depth), m_first(s_first), m_previous(engine::watchApplies(nullptr)) { s_depth = 0; }
    ~Unwatched()
    {
        engine::watchApplies(m_previous);
        s_depth = m_depth;
        s_first = m_first;
    }
    Unwatched(const Unwatched &) = delete;
    Unwatched &operator=(const Unwatched &) = delete;

private:
    int m_depth;
    engine::NodeId m_first;
    engine::ApplyWatcher m_previous;
};

void show(const py::list &variables, const py::object &first)
{
    const std::map<std::string, py::object> asked = watchers(); // a watcher may change them
    for (const auto &[name, watcher] : asked) watcher(variables, first);
}

void showApply(const engine::ApplyRef &apply)
{
    const Gil lock;
    const py::int_ first(static_cast<std::uint64_t>(s_first));
    const Unwatched unwatched;
    py::list outputs;
    for (int i = 0; i < apply->outputCount(); ++i) outputs.append(engine::VarRef(apply->output(i)));
    show(outputs, first);
}

} // namespace

WatchScope::WatchScope() : m_isWatching(!watchers().empty())
{
    if (!m_isWatching) return;
    if (s_depth++ == 0) s_first = engine::nextNodeId();
    m_previous = engine::watchApplies(showApply);
}

WatchScope::~WatchScope()
{
    if (!m_isWatching) return;
    engine::watchApplies(m_previous);
    --s_depth;
}

void addWatching(py::module_ &module)
{
    module.def("watch", [](const std::string &name, py::object watcher) {
        if (watcher.is_none()) watchers().erase(name);
        else watchers()[name] = std::move(watcher);
    });
    // What is no result of an apply of the engine. All of it was there before the watcher looks.
    module.def("show", [](const py::list &variables) { show(variables, py::float_(std::numeric_limits<double>::infinity())); });
}

} // namespace python
