// What tells C, CUDA C and OpenCL C apart in the text of a kernel for a device: a record each. All else is written in what they share, with
// i64 and u64 for whole numbers of 64 bits and th_NAME (th_NAMEf for floats) for functions.
#pragma once

#include "engine/device/device.h"

#include <map>
#include <string>

namespace engine {

enum class ItemsRun : std::uint8_t {
    InTurn,
    AtOnce,   ///< thousands of them, as on a GPU
    InStrips, ///< as loops of a processor, each over neighbouring elements
};

/// In patterns, @name and @type are those of a parameter and @at is its number.
struct DialectWords {
    std::string prologue;
    std::string doubles{};                                          ///< before units that compute with doubles
    std::string kernel;                                             ///< before the name of a kernel
    std::string function = "static inline";                         ///< before any other function
    std::string array{}, number{};                                  ///< patterns of parameters
    std::string lastParameters = "i64 n";                           ///< n is how many items there are
    std::string arrayLocal{}, numberLocal{};                        ///< patterns of what parameters become within the kernel
    std::string items;                                              ///< the loop over the items, i
    std::string beside{}, unrolled = "#pragma unroll\n", reading{}; ///< the line before a loop of that kind
    ItemsRun runs;
    std::string lane{}, shared{}, barrier{}; ///< the declaration of `lane`, before shared arrays, and to wait for a group; none: no groups
    std::string builtin{};                   ///< before the names of the C library
    bool oneNameForAllFloats = false;        ///< functions of float have the names of those of double
    bool callsPrimitives = false;            ///< what is not cheap is a call of the host's primitives, which a launch is given
    std::string ownFloats{};                 ///< functions of float as arithmetic; where there are some, kernels call them
    std::map<std::string, std::string, std::less<>> own; ///< what it knows under another name, or better than the library
};

const DialectWords &wordsOf(Dialect dialect);

} // namespace engine
