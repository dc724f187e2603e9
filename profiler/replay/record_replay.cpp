#include "profiler/replay/record_replay.h"

#include "profiler/record/recorder.h"
#include "profiler/session/store/files.h"

namespace profiler {
namespace {

constexpr int kRecordedCalls = 20; // enough for times to be worth looking at

}

void recordReplay(SessionReader &reader, const ReplayRequest &request, const std::string &path)
{
    const LoadedCall call = loadCall(reader, request.function, request.call);
    checkSessionPlace(path);
    SessionStart start;
    start.script = reader.script();
    start.command = "croton replay -o " + path;
    Recorder recorder(path, start);
    try {
        const auto function = compileCaptured(call, modeOf(call.view.function, request.changes), true);
        for (int i = 0; i < kRecordedCalls; ++i) (void)callCaptured(call, *function);
    } catch (const std::exception &error) {
        recorder.finish(1, error.what());
        removeSession(path);
        throw;
    }
    recorder.finish(0);
}

} // namespace profiler
