// Copies between the card and ordinary memory of the host go through pinned memory, in pieces: one travels while the next is filled.
#pragma once

#include "engine/device/cuda/api.h"

#include <array>
#include <cstddef>

namespace engine {

class CudaStaging {
public:
    explicit CudaStaging(cudaStream_t stream) : m_stream(stream) {}
    ~CudaStaging();
    /// `from` may be reused when it returns.
    cudaError_t copyIn(void *to, const void *from, std::size_t bytes);
    /// Waits for the bytes.
    cudaError_t copyOut(void *to, const void *from, std::size_t bytes);
    /// Few of them, which are in beside() when a copyOut() that was called next is over.
    cudaError_t copyBeside(const void *from, std::size_t bytes);
    const void *beside() const { return m_beside; }

private:
    static constexpr std::size_t kPieces = 8, kPiece = std::size_t(512) << 10, kSmall = 256;
    struct Piece {
        char *memory = nullptr;
        cudaEvent_t free = nullptr; ///< reached when its last copy is over
        bool isUsed = false;
    };
    cudaError_t open();
    /// The next one, when it is free.
    cudaError_t take(Piece *&piece);
    /// What is small shares a piece with its neighbours, which is left as a whole: an event for each would cost more than the copy.
    cudaError_t copySmallIn(void *to, const void *from, std::size_t bytes);
    /// Copies through it are all given.
    cudaError_t leave(Piece &piece);

    cudaStream_t m_stream;
    std::array<Piece, kPieces> m_pieces{};
    std::size_t m_next = 0;
    Piece *m_shared = nullptr;    ///< of small copies
    std::size_t m_sharedUsed = 0; ///< its bytes
    char *m_beside = nullptr;     ///< of kSmall bytes
};

} // namespace engine
