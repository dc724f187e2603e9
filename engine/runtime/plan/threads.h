// The engine's own threads. The caller takes part: it claims parts of the work as the helpers do and waits at most for a part
// that a helper has begun. Idle helpers sleep. After fork the child works alone.
#pragma once

#include "engine/tensor/interrupt.h"

#include <cstdint>

namespace engine {

/// Threads that work together at most, the caller counted. Before the first setThreads(): OMP_NUM_THREADS, else the cores that
/// this process may use.
int threads();
/// 0: the default again. Takes effect with the next work.
void setThreads(int count);

/// Elements of a cheap elementwise function from which the work is shared among threads; dearer functions count their elements
/// several times. Below it one thread is done before another one has woken up.
std::int64_t sharedElements();
/// Theano's openmp_elemwise_minsize; 0: the measured default again.
void setSharedElements(std::int64_t count);
/// Multiply-adds from which a matrix product is shared, and bytes of a matrix from which its product with a vector is.
inline constexpr std::int64_t kSharedProduct = 1'000'000;
inline constexpr std::int64_t kSharedBytes = std::int64_t(4) << 20;

/// Would work begun now be shared? False with one thread, and inside a part of shared work.
bool canShare();

/// Runs body(part) for every part from 0 on, each once, on this thread and on helpers that are free; returns when all are done.
/// Between parts it looks for an interrupt.
/// The parts must be independent of one another. If other work is being shared already, all run on this thread. The first
/// exception of a part is thrown here, after all others are done.
template <class Body>
void shareParts(std::int64_t parts, const Body &body);

/// Pieces of [0, size) of `piece` elements, the last one shorter: body(first, end).
template <class Body>
void sharePieces(std::int64_t size, std::int64_t piece, const Body &body);

/// How long a piece of [0, size) should be: a multiple of `unit`, at most about `most`, several pieces a thread, so that a
/// thread that loses its core delays little.
std::int64_t pieceFor(std::int64_t size, std::int64_t unit, std::int64_t most);

namespace detail {
using PartFunction = void (*)(const void *body, std::int64_t part);
void share(std::int64_t parts, PartFunction function, const void *body);
} // namespace detail

template <class Body>
void shareParts(std::int64_t parts, const Body &body)
{
    if (parts > 1 && canShare()) {
        detail::share(
            parts, [](const void *context, std::int64_t part) { (*static_cast<const Body *>(context))(part); }, &body);
        return;
    }
    for (std::int64_t part = 0; part < parts; ++part) {
        if (parts > 1) checkInterrupt();
        body(part);
    }
}

template <class Body>
void sharePieces(std::int64_t size, std::int64_t piece, const Body &body)
{
    shareParts((size + piece - 1) / piece, [&](std::int64_t part) {
        const std::int64_t first = part * piece;
        body(first, first + piece < size ? first + piece : size);
    });
}

} // namespace engine
