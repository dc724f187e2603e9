// OpenBLAS without threads hands the memory that products are packed into out of one table, without a lock: two threads of ours
// would get the same piece. Each thread keeps the piece that it had; the table is asked under a lock.
#include "engine/tensor/interrupt.h"

#include <mutex>
#include <utility>
#include <vector>

#include <pthread.h>

extern "C" {
void *croton_blas_make_buffer(int);
void croton_blas_drop_buffer(void *);
void *croton_lapack_make_buffer(int);
void croton_lapack_drop_buffer(void *);
}

namespace engine {
namespace {

// Guards both tables; no fork falls into it. Never destroyed: threads may end after the statics.
std::mutex &tables()
{
    static std::mutex *const mutex = [] {
        pthread_atfork([] { tables().lock(); }, [] { tables().unlock(); }, [] { tables().unlock(); });
        return new std::mutex;
    }();
    return *mutex;
}

template <auto make, auto drop>
class ThreadBuffer {
public:
    ~ThreadBuffer()
    {
        if (m_kept) dropNow(m_kept);
    }
    void *take()
    {
        void *buffer = std::exchange(m_kept, nullptr);
        if (!buffer) {
            std::lock_guard lock(tables());
            buffer = make(0);
        }
        m_taken.push_back(buffer);
        return buffer;
    }
    void give(void *buffer)
    {
        std::erase(m_taken, buffer);
        keepOrDrop(buffer);
    }
    /// Of routines that are left in their middle.
    void giveAll()
    {
        for (void *buffer : m_taken) keepOrDrop(buffer);
        m_taken.clear();
    }

private:
    void keepOrDrop(void *buffer)
    {
        if (m_kept) dropNow(buffer);
        else m_kept = buffer;
    }

    static void dropNow(void *buffer)
    {
        std::lock_guard lock(tables());
        drop(buffer);
    }
    void *m_kept = nullptr;
    std::vector<void *> m_taken;
};

thread_local ThreadBuffer<croton_blas_make_buffer, croton_blas_drop_buffer> s_blas;
thread_local ThreadBuffer<croton_lapack_make_buffer, croton_lapack_drop_buffer> s_lapack;

} // namespace
} // namespace engine

extern "C" {
[[gnu::visibility("hidden")]] void *croton_blas_take_buffer(int) { return engine::s_blas.take(); }
[[gnu::visibility("hidden")]] void croton_blas_give_buffer(void *buffer) { engine::s_blas.give(buffer); }
// A routine of LAPACK asks for memory again and again, and may take minutes: here it is left when its caller wants it to end. Its code is
// C and Fortran, which has nothing to tidy up but this memory.
[[gnu::visibility("hidden")]] void *croton_lapack_take_buffer(int)
{
    if (engine::isInterruptWanted()) {
        engine::s_lapack.giveAll();
        throw engine::Interrupted();
    }
    return engine::s_lapack.take();
}
[[gnu::visibility("hidden")]] void croton_lapack_give_buffer(void *buffer) { engine::s_lapack.give(buffer); }
}
