#pragma once
// Starts the Python worker that runs a script, and waits for it.

#include <string>
#include <vector>

namespace app {

struct WorkerRequest {
    std::string mode;   // "run" or "profile"
    std::string script; // a file
    std::vector<std::string> arguments;
    std::string session; // profile: where it goes
    std::string command; // the command line that the session keeps
    std::string label;
    std::vector<std::string> flags; // "device=cpu": behind what the environment says, so they win
    bool launchBlocking = false;
    bool waitForKernels = false; // the first call of a function waits until they are compiled
    long repeat = 1;             // times that the script runs
    long warmup = 0;             // calls of each function that the steady state leaves out
    double timeLimit = 0;        // seconds; 0 = none
    long sizeLimitMb = 0;        // of the session; 0 = the default
    long capture = -1;           // calls of each function kept beside the first and the slowest; -1 = no values are kept
    long captureLimitMb = 0;     // of what is kept; 0 = the default
    std::string rank;            // "2/4": of a job; empty: of none
    int eventsFd = -1;
    int startCore = -1;          // of those that this process may use, by turns: where the worker begins; it may go elsewhere
    bool stdoutToStderr = false; // the command's own output is what stdout is for
    bool showProgress = false;   // a line on stderr while it runs
};

// Where the packages lie that scripts import, joined as PYTHONPATH is; empty where the Python part is not there.
[[nodiscard]] std::string pythonFolders();
// The folder that holds bin, lib, samples, docs and lessons.
[[nodiscard]] std::string programHome();

// Throws CliError for a script that is missing, or a folder.
void checkScript(const std::string &path);

// The script's exit status. A worker that a signal ended: a sentence on stderr, and 128 + its number. So if it was one of ours
// (Ctrl-C, SIGTERM, SIGHUP), which is handed on and ends a recording properly; whatever the script does about it, it has five
// seconds to end, what it started two more; they are killed then. A time limit that the script does not keep: a sentence, and 1.
// The worker and what it started end with this process (keeper.h says what does not).
[[nodiscard]] int runWorker(const WorkerRequest &request);

// Quotes words so that a shell reads them back.
[[nodiscard]] std::string shellQuoted(const std::vector<std::string> &words);

} // namespace app
