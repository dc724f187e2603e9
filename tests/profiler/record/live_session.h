// A session that grows while a test looks: the engine compiles a function, and calls it when it is told to.
#pragma once

#include <memory>
#include <string>

namespace profiler {

class LiveSession {
public:
    static constexpr int kFirstCalls = 10;
    explicit LiveSession(const std::string &path);
    ~LiveSession();
    /// They are in the file when it returns.
    void call(int times);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace profiler
