// make_fixture OUT.croton [--nodes N] [--live SECONDS]: writes a made-up session, for work on the studio.

#include "tests/profiler/session/fixture.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

int main(int argc, char **argv)
{
    profiler::fixture::FixtureOptions options;
    const char *out = nullptr;
    int liveSeconds = 0;
    bool wrong = false;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--nodes" && i + 1 < argc) options.extraNodes = std::atoi(argv[++i]);
        else if (argument == "--live" && i + 1 < argc) liveSeconds = std::atoi(argv[++i]);
        else if (argument.rfind("-", 0) == 0 || out) wrong = true;
        else out = argv[i];
    }
    if (!out || wrong) {
        std::fprintf(stderr, "usage: make_fixture OUT.croton [--nodes N] [--live SECONDS]\n");
        return 2;
    }
    try {
        options.finish = liveSeconds == 0;
        profiler::fixture::FixtureSession session(out, options);
        for (int i = 0; i < liveSeconds * 10; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            session.addCalls(25);
        }
        if (session.writer()) session.writer()->finish(0);
    } catch (const profiler::SessionError &error) {
        std::fprintf(stderr, "make_fixture: %s (%s)\n", error.what(), error.hint().c_str());
        return 1;
    }
    return 0;
}
