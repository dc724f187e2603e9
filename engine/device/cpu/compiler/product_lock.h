// Who of several processes compiles a product.
#pragma once

#include <cstdint>
#include <filesystem>

namespace engine {

/// `kind` (F_WRLCK, F_UNLCK) for one byte of the cache's lock file. False: another process has it.
bool lockByte(int file, std::int64_t place, short kind);

/// Only one process compiles a product at a time. Let go by the system when a process is killed.
class ProductLock {
public:
    explicit ProductLock(const std::filesystem::path &product);
    ~ProductLock();
    ProductLock(const ProductLock &) = delete;
    ProductLock &operator=(const ProductLock &) = delete;
    /// False: another process has it. (Where no lock can be had at all, there is nothing to wait for.)
    bool tryTake();

private:
    int m_file = -1;
    std::int64_t m_place = 0;
    bool m_taken = false;
};

} // namespace engine
