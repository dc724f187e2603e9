#include "engine/device/cpu/compiler/seal.h"

#include "engine/device/cpu/compiler/descriptor.h"
#include "engine/device/cpu/compiler/digest.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace engine {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kLargestProduct = std::uint64_t(64) << 20;

struct Seal {
    char mark[16];
    char digest[32];
};
constexpr char kMark[17] = "croton kernel 1\n";

bool readAll(int file, std::string &content)
{
    struct stat status;
    if (fstat(file, &status) != 0 || static_cast<std::uint64_t>(status.st_size) > kLargestProduct) return false;
    content.resize(static_cast<std::size_t>(status.st_size));
    std::size_t done = 0;
    while (done < content.size()) {
        const ssize_t n = read(file, content.data() + done, content.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += static_cast<std::size_t>(n);
    }
    return true;
}

bool writeAll(int file, const char *data, std::size_t bytes)
{
    while (bytes) {
        const ssize_t n = write(file, data, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        data += n;
        bytes -= static_cast<std::size_t>(n);
    }
    return true;
}

/// The loader trusts what the headers say: what lies behind the end of the file would be a bus error.
bool isWholeObject(const std::string &content)
{
    Elf64_Ehdr head;
    if (content.size() < sizeof head) return false;
    std::memcpy(&head, content.data(), sizeof head);
    if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64) return false;
    const auto fits = [&](std::uint64_t at, std::uint64_t bytes) { return at <= content.size() && bytes <= content.size() - at; };
    if (!fits(head.e_shoff, std::uint64_t(head.e_shnum) * head.e_shentsize)) return false;
    if (head.e_phentsize != sizeof(Elf64_Phdr) || !fits(head.e_phoff, std::uint64_t(head.e_phnum) * sizeof(Elf64_Phdr))) return false;
    for (std::uint64_t i = 0; i < head.e_phnum; ++i) {
        Elf64_Phdr part;
        std::memcpy(&part, content.data() + head.e_phoff + i * sizeof part, sizeof part);
        if (!fits(part.p_offset, part.p_filesz)) return false;
    }
    return true;
}

Seal sealOf(std::string_view object)
{
    Seal seal;
    std::memcpy(seal.mark, kMark, sizeof seal.mark);
    std::memcpy(seal.digest, digest(object).data(), sizeof seal.digest);
    return seal;
}

} // namespace

bool isSealed(int file)
{
    std::string content;
    if (!readAll(file, content) || content.size() <= sizeof(Seal)) return false;
    const Seal wanted = sealOf(std::string_view(content).substr(0, content.size() - sizeof(Seal)));
    return std::memcmp(&wanted, content.data() + content.size() - sizeof(Seal), sizeof(Seal)) == 0;
}

std::string sealProduct(const fs::path &temporary, const fs::path &target)
{
    Descriptor file(open(temporary.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    std::string content;
    if (!file.isOpen() || !readAll(file.get(), content)) return "the compiler ended well but left no file that can be read";
    if (!isWholeObject(content))
        return "the compiler ended well but what it left is no whole shared object (" + std::to_string(content.size()) + " bytes)";
    const Seal seal = sealOf(content);
    const auto cannot = [&] {
        return "the compiled kernel cannot be kept in " + target.parent_path().string() + ": " + std::generic_category().message(errno);
    };
    if (!writeAll(file.get(), reinterpret_cast<const char *>(&seal), sizeof seal) || fchmod(file.get(), 0700) != 0 || !file.close())
        return cannot();
    // Readers see the whole file or none.
    return rename(temporary.c_str(), target.c_str()) == 0 ? std::string() : cannot();
}

} // namespace engine
