#include "engine/python/core/watch.h"

#include "engine/python/core/build.h"

namespace python {
namespace {

PyObject *s_watcher = nullptr; ///< a function (apply, id of the first node that the outermost call made); null: nobody watches
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

void show(const engine::ApplyRef &apply)
{
    if (!s_watcher) return;
    const Gil lock;
    const auto first = static_cast<std::uint64_t>(s_first);
    const Unwatched unwatched;
    py::reinterpret_borrow<py::object>(s_watcher)(apply, first);
}

} // namespace

WatchScope::WatchScope() : m_isWatching(s_watcher != nullptr)
{
    if (!m_isWatching) return;
    if (s_depth++ == 0) s_first = engine::nextNodeId();
    m_previous = engine::watchApplies(show);
}

WatchScope::~WatchScope()
{
    if (!m_isWatching) return;
    engine::watchApplies(m_previous);
    --s_depth;
}

void addWatching(py::module_ &module)
{
    module.def("watch_applies", [](py::object watcher) {
        Py_CLEAR(s_watcher);
        if (!watcher.is_none()) s_watcher = watcher.release().ptr();
    });
}

} // namespace python
