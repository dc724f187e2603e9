#include "engine/codegen/temporary.h"

#include <cstdlib>
#include <string>

namespace engine {
namespace {

const std::string kRandomPart(6, 'X'); // mkstemps and mkdtemp put letters of their own there

} // namespace

int makeTemporaryFile(const std::filesystem::path &prefix, std::filesystem::path &path)
{
    const std::string end = ".tmp";
    std::string name = prefix.string() + "." + kRandomPart + end;
    const int file = mkstemps(name.data(), static_cast<int>(end.size()));
    if (file >= 0) path = name;
    return file;
}

std::filesystem::path makeTemporaryFolder(const std::filesystem::path &prefix)
{
    std::string name = prefix.string() + "-" + kRandomPart;
    return mkdtemp(name.data()) ? std::filesystem::path(name) : std::filesystem::path();
}

} // namespace engine
