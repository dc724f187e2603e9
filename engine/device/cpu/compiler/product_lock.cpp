#include "engine/device/cpu/compiler/product_lock.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace engine {

bool lockByte(int file, std::int64_t place, short kind)
{
    struct flock range {};
    range.l_type = kind;
    range.l_whence = SEEK_SET;
    range.l_start = place;
    range.l_len = 1;
    int result;
    do result = fcntl(file, F_OFD_SETLK, &range);
    while (result != 0 && errno == EINTR);
    return result == 0 || (errno != EAGAIN && errno != EACCES);
}

ProductLock::ProductLock(const std::filesystem::path &product)
{
    m_file = open((product.parent_path() / "lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
    m_place = 1 + static_cast<std::int64_t>(std::stoull("0" + product.stem().string().substr(0, 7), nullptr, 16));
}

ProductLock::~ProductLock()
{
    if (m_file < 0) return;
    if (m_taken) lockByte(m_file, m_place, F_UNLCK); // a child of fork may hold the file open
    close(m_file);
}

bool ProductLock::tryTake()
{
    if (m_file < 0) return true;
    if (!m_taken) m_taken = lockByte(m_file, m_place, F_WRLCK);
    return m_taken;
}

} // namespace engine
