#include "engine/device/cuda/staging.h"

#include <algorithm>
#include <cstring>

namespace engine {

CudaStaging::~CudaStaging()
{
    for (Piece &piece : m_pieces)
        if (piece.free) cudart().cudaEventDestroy(piece.free);
    if (m_pieces[0].memory) cudart().cudaFreeHost(m_pieces[0].memory);
}

cudaError_t CudaStaging::open()
{
    if (m_pieces.back().free) return cudaSuccess;
    if (!m_pieces[0].memory) {
        void *memory = nullptr;
        if (const cudaError_t error = cudart().cudaHostAlloc(&memory, kPieces * kPiece + kSmall, cudaHostAllocDefault);
            error != cudaSuccess)
            return error;
        for (std::size_t i = 0; i < kPieces; ++i) m_pieces[i].memory = static_cast<char *>(memory) + i * kPiece;
        m_beside = static_cast<char *>(memory) + kPieces * kPiece;
    }
    for (Piece &piece : m_pieces)
        if (!piece.free)
            if (const cudaError_t error = cudart().cudaEventCreateWithFlags(&piece.free, cudaEventDisableTiming); error != cudaSuccess)
                return error;
    return cudaSuccess;
}

cudaError_t CudaStaging::take(Piece *&piece)
{
    if (const cudaError_t error = open(); error != cudaSuccess) return error;
    piece = &m_pieces[m_next];
    m_next = (m_next + 1) % kPieces;
    if (piece == m_shared) return take(piece);
    return piece->isUsed ? cudart().cudaEventSynchronize(piece->free) : cudaSuccess;
}

cudaError_t CudaStaging::leave(Piece &piece)
{
    piece.isUsed = true;
    return cudart().cudaEventRecord(piece.free, m_stream);
}

cudaError_t CudaStaging::copySmallIn(void *to, const void *from, std::size_t bytes)
{
    if (!m_shared) {
        Piece *free = nullptr;
        if (const cudaError_t error = take(free); error != cudaSuccess) return error;
        m_shared = free;
        m_sharedUsed = 0;
    }
    char *const place = m_shared->memory + m_sharedUsed;
    std::memcpy(place, from, bytes);
    cudaError_t error = cudart().cudaMemcpyAsync(to, place, bytes, cudaMemcpyHostToDevice, m_stream);
    m_sharedUsed += kSmall;
    if (error != cudaSuccess || m_sharedUsed < kPiece) return error;
    error = leave(*m_shared);
    m_shared = nullptr;
    return error;
}

cudaError_t CudaStaging::copyIn(void *to, const void *from, std::size_t bytes)
{
    if (bytes && bytes <= kSmall) return copySmallIn(to, from, bytes);
    for (std::size_t done = 0; done < bytes; done += kPiece) {
        const std::size_t size = std::min(kPiece, bytes - done);
        Piece *piece = nullptr;
        cudaError_t error = take(piece);
        if (error != cudaSuccess) return error;
        std::memcpy(piece->memory, static_cast<const char *>(from) + done, size);
        error = cudart().cudaMemcpyAsync(static_cast<char *>(to) + done, piece->memory, size, cudaMemcpyHostToDevice, m_stream);
        if (error == cudaSuccess) error = leave(*piece);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

cudaError_t CudaStaging::copyBeside(const void *from, std::size_t bytes)
{
    if (const cudaError_t error = open(); error != cudaSuccess) return error;
    return cudart().cudaMemcpyAsync(m_beside, from, bytes, cudaMemcpyDeviceToHost, m_stream);
}

cudaError_t CudaStaging::copyOut(void *to, const void *from, std::size_t bytes)
{
    std::array<Piece *, 2> pieces{};
    const std::size_t count = (bytes + kPiece - 1) / kPiece;
    if (count == 1) { // what it waits for is all that was given
        Piece *piece = nullptr;
        cudaError_t error = take(piece);
        if (error == cudaSuccess) error = cudart().cudaMemcpyAsync(piece->memory, from, bytes, cudaMemcpyDeviceToHost, m_stream);
        if (error == cudaSuccess) error = cudart().cudaStreamSynchronize(m_stream);
        if (error == cudaSuccess) std::memcpy(to, piece->memory, bytes);
        return error;
    }
    for (std::size_t i = 0; i <= count; ++i) {
        if (i < count) {
            Piece *&piece = pieces[i % 2];
            cudaError_t error = take(piece);
            if (error != cudaSuccess) return error;
            error = cudart().cudaMemcpyAsync(piece->memory, static_cast<const char *>(from) + i * kPiece,
                                             std::min(kPiece, bytes - i * kPiece), cudaMemcpyDeviceToHost, m_stream);
            if (error == cudaSuccess) error = leave(*piece);
            if (error != cudaSuccess) return error;
        }
        if (i == 0) continue;
        const std::size_t at = (i - 1) * kPiece;
        const Piece &arrived = *pieces[(i - 1) % 2];
        if (const cudaError_t error = cudart().cudaEventSynchronize(arrived.free); error != cudaSuccess) return error;
        std::memcpy(static_cast<char *>(to) + at, arrived.memory, std::min(kPiece, bytes - at));
    }
    return cudart().cudaStreamSynchronize(m_stream);
}

} // namespace engine
