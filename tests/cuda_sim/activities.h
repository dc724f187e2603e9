// Records of what the simulated card did, for CUPTI's functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cuda_sim {

std::uint64_t now();
/// A call of the runtime: what it asks for carries its number. `number` 0: nobody watched then.
struct Call {
    std::uint32_t number = 0, card = 0;
};
Call beginCall();
void kernelRan(Call call, const std::string &name, const unsigned *grid, const unsigned *block, std::uint64_t begin, std::uint64_t end);
/// `kind`: CUPTI's number for the direction.
void copied(Call call, int kind, std::size_t bytes, std::uint64_t begin, std::uint64_t end);

/// Memory of the card that somebody got, or gave back.
void moved(bool isTaken, const void *address, std::size_t bytes);
/// The host waited.
void waited(std::uint64_t begin);

} // namespace cuda_sim
