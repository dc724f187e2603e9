#pragma once
// A folder of its own for a test, gone when the test ends.

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>

namespace profiler {

class Scratch {
public:
    Scratch()
    {
        static std::atomic<int> counter{0};
        m_path = std::filesystem::temp_directory_path() / ("croton-test-" + std::to_string(getpid()) + "-" + std::to_string(counter++));
        std::filesystem::create_directories(m_path);
    }
    ~Scratch()
    {
        std::error_code ignored; // a folder that stays in /tmp fails no test
        std::filesystem::permissions(m_path, std::filesystem::perms::owner_all, ignored);
        std::filesystem::remove_all(m_path, ignored);
    }
    Scratch(const Scratch &) = delete;
    Scratch &operator=(const Scratch &) = delete;
    std::string operator/(const std::string &name) const { return (m_path / name).string(); }
    const std::filesystem::path &path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

} // namespace profiler
