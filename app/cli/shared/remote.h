#pragma once
// A script profiled on another machine over ssh, with its sessions brought back.

#include <string>
#include <vector>

namespace app {

struct RemoteRequest {
    std::string host;                 // user@gpu, as ssh takes it
    std::vector<std::string> ssh;     // the program that reaches it, with its options
    std::string croton;               // the command over there
    std::vector<std::string> options; // of croton profile, but for -o
    std::string script;
    std::vector<std::string> arguments;
    std::vector<std::string> files; // to take along, beside the script
    std::string session;            // here
};

// The script's status there. Throws CliError with the way out, and where over there the sessions are if they could not be brought.
[[nodiscard]] int profileRemotely(const RemoteRequest &request);

} // namespace app
