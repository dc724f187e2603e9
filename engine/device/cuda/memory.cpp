#include "engine/device/cuda/memory.h"

#include "engine/device/cuda/api.h"

namespace engine {

void *CudaMemory::obtain(std::size_t room)
{
    void *address = nullptr;
    cudart().cudaSetDevice(m_index);
    if (cudart().cudaMalloc(&address, room) == cudaSuccess) return address;
    cudart().cudaGetLastError(); // heard of
    return nullptr;
}

void CudaMemory::release(void *address, std::size_t)
{
    cudart().cudaSetDevice(m_index);
    cudart().cudaDeviceSynchronize(); // what was given before may still use it
    cudart().cudaFree(address);
}

} // namespace engine
