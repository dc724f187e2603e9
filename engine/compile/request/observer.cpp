#include "engine/compile/request/observer.h"

#include <atomic>

namespace engine {
namespace {

std::atomic<CompileObserver *> g_compile{nullptr};
std::atomic<RunObserver *> g_run{nullptr};

} // namespace

void setCompileObserver(CompileObserver *observer) { g_compile = observer; }
void setRunObserver(RunObserver *observer) { g_run = observer; }
CompileObserver *compileObserver() { return g_compile.load(std::memory_order_acquire); }
RunObserver *runObserver() { return g_run.load(std::memory_order_acquire); }

} // namespace engine
