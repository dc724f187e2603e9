// OpenBLAS without threads hands the memory that products are packed into out of one table, without a lock: two threads of ours
// would get the same piece. Each thread keeps the piece that it had; the table is asked under a lock.
#include <mutex>
#include <utility>

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
        if (m_kept) return std::exchange(m_kept, nullptr);
        std::lock_guard lock(tables());
        return make(0);
    }
    void give(void *buffer)
    {
        if (m_kept) dropNow(buffer);
        else m_kept = buffer;
    }

private:
    static void dropNow(void *buffer)
    {
        std::lock_guard lock(tables());
        drop(buffer);
    }
    void *m_kept = nullptr;
};

thread_local ThreadBuffer<croton_blas_make_buffer, croton_blas_drop_buffer> s_blas;
thread_local ThreadBuffer<croton_lapack_make_buffer, croton_lapack_drop_buffer> s_lapack;

} // namespace
} // namespace engine

extern "C" {
[[gnu::visibility("hidden")]] void *croton_blas_take_buffer(int) { return engine::s_blas.take(); }
[[gnu::visibility("hidden")]] void croton_blas_give_buffer(void *buffer) { engine::s_blas.give(buffer); }
[[gnu::visibility("hidden")]] void *croton_lapack_take_buffer(int) { return engine::s_lapack.take(); }
[[gnu::visibility("hidden")]] void croton_lapack_give_buffer(void *buffer) { engine::s_lapack.give(buffer); }
}
