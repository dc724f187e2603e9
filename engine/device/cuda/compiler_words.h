// What people write for nvcc, as NVRTC takes it.
#pragma once

#include <string>
#include <vector>

namespace engine {

struct CompilerWords {
    std::vector<std::string> taken; ///< one option each
    std::vector<std::string> left;  ///< "-O3: …", with the reason
};

CompilerWords compilerWords(const std::vector<std::string> &words);

} // namespace engine
