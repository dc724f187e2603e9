#include "engine/device/kept_binary.h"

#include "engine/device/cpu/compiler/digest.h"
#include "engine/device/cpu/compiler/kernel_cache.h"

#include <fstream>
#include <iterator>
#include <unistd.h>

namespace engine {

namespace fs = std::filesystem;

std::string binaryFile(const std::string &kind, const std::string &key)
{
    const fs::path folder = kernelCacheDirectory();
    if (folder.empty()) return {};
    return folder / (kind + "-" + digest(key) + ".bin");
}

std::vector<char> keptBinary(const std::string &file)
{
    std::error_code error;
    if (file.empty() || !fs::is_regular_file(file, error)) return {}; // a pipe would be waited for without end
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void keepBinary(const std::string &file, std::span<const char> bytes)
{
    if (file.empty() || !keepsKernels()) return;
    const std::string mine = file + "." + std::to_string(getpid());
    std::error_code error;
    {
        std::ofstream out(mine, std::ios::binary);
        out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        if (!out.flush()) {
            fs::remove(mine, error);
            return;
        }
    }
    fs::rename(mine, file, error);
}

} // namespace engine
