#pragma once
// A question that many graphs of a captured call answer: asked, printed, and kept in the session.

#include "app/cli/shared/command.h"
#include "profiler/replay/turns.h"
#include "profiler/session/store/reader.h"

#include <functional>
#include <string>

namespace app {

struct TrialAnswer {
    std::string text;
    bool isWorthKeeping = false;
    std::function<void(const std::string &session)> store;
};

// Fills what of `request` the options say. Returns the exit status.
int runTrial(const Arguments &arguments, const std::string &commandName, profiler::TrialRequest &request,
             const std::function<TrialAnswer(profiler::SessionReader &)> &find);

} // namespace app
