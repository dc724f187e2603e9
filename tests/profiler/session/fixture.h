#pragma once
// A whole made-up session, written through SessionWriter: test data, and what the studio is developed on
// before a real run exists. Its label says so.

#include "profiler/session/writer.h"

#include <memory>
#include <string>

namespace profiler::fixture {

struct FixtureOptions {
    int calls = 100;    // of train
    int extraNodes = 0; // > 0: a further function "layers" with about so many applies
    bool finish = true; // false: the writer is handed over still open
    WriterOptions writer;
};

inline constexpr const char *kLabel = "made-up session for tests: no engine ran";

class FixtureSession {
public:
    explicit FixtureSession(const std::string &path, FixtureOptions options = {});
    // Null when it was finished.
    [[nodiscard]] SessionWriter *writer() { return m_writer.get(); }
    // More calls of train with their events and statistics (a session that is still open).
    void addCalls(int calls);

private:
    struct State;
    void describeRun();
    void addGraphs();
    void writeStats();

    std::shared_ptr<State> m_state;
    std::unique_ptr<SessionWriter> m_writer;
};

} // namespace profiler::fixture
