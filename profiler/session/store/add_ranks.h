#pragma once
// A job of several ranks in one session: what each rank did, beside the graphs and times of one of them.

#include "profiler/session/model/model_job.h"

#include <string>

namespace profiler {

// Writes the job into the finished session `session`, in the place of one that is there. Throws SessionError.
void addRanks(const std::string &session, const Job &job);

} // namespace profiler
