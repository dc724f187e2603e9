// Memory of a card.
#pragma once

#include "engine/device/caching_memory.h"

namespace engine {

class CudaMemory final : public CachingMemory {
public:
    CudaMemory(std::string device, int index, std::size_t bytes) : CachingMemory(std::move(device), bytes, bytes), m_index(index) {}

protected:
    void *obtain(std::size_t room) override;
    void release(void *address, std::size_t room) override;

private:
    int m_index;
};

} // namespace engine
