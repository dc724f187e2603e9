// Runs the command in a folder of the test's own, on a recorded session.
#pragma once

#include "tests/app/cli/program.h"
#include "tests/profiler/session/scratch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

class Cli : public testing::Test {
protected:
    app::Result croton(std::vector<std::string> words, std::vector<std::string> environment = {})
    {
        words.insert(words.begin(), CROTON_PROGRAM);
        return app::run(words, m_scratch / ".", environment);
    }
    std::string session()
    {
        const std::string path = m_scratch / "s.croton";
        if (!std::filesystem::exists(path)) std::filesystem::copy_file(CROTON_REAL_SESSION, path);
        return path;
    }
    profiler::Scratch m_scratch;
};

// Scripts need Python support, which a build may leave out.
inline bool lacksPython(const app::Result &result) { return result.err.find("the Python part is not there") != std::string::npos; }

// Expects one sentence on stderr and nothing on stdout.
inline void expectComplaint(const app::Result &result, int status)
{
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err.rfind("croton: ", 0), 0u) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}
