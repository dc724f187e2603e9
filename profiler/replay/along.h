// The graph as it stood after a step, compiled as it stands and called: when it became fast, stable, large.
#pragma once

#include "profiler/replay/measure.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace profiler {

struct AlongRequest {
    TrialRequest trial;
    int every = 0; ///< steps; 0: the ends of passes
};

/// Behind what a busy machine did.
inline constexpr const char *kTimesMayBeOff = ", so the times may be off: run it again when it is quiet";

struct Along {
    CallView view;
    std::string mode, reference;
    std::vector<std::string> notes;
    std::string busy;           ///< what else the machine did; empty: nothing to speak of
    int tried = 0, all = 0;     ///< graphs; fewer are tried where time is up, or somebody ended it
    std::vector<AlongRow> rows; ///< the original graph first, the function as it is last
};

Along along(SessionReader &reader, const AlongRequest &request);
/// As a session keeps it.
TrialRow trialOf(const Along &along);
std::string alongText(const Along &along);
std::string alongJson(const Along &along);

/// The step that made it so: "time > 1.05 x" (of the step before), "error > 1e-6" (relative), "nan".
struct BisectRequest {
    std::string function;
    std::optional<std::int64_t> call;
    std::string until;
    Watch watch;
    bool judgesBusy = false; ///< on a busy machine, too
};

/// Throws SessionError where `until` says none of these.
void checkQuestion(const std::string &until);

struct Guilt {
    CallView view;
    std::string until; ///< the question in words
    int steps = 0;     ///< of the journal
    int tried = 0;     ///< graphs that were run
    int step = 0;      ///< the guilty one; 0: there is none
    std::string phase, rewrite, reason;
    std::vector<std::string> region, produced; ///< its applies before and after
    std::vector<std::string> lines;            ///< of the user's, "model.py:12  y = log(x)"
    std::string before, after;                 ///< what was measured on both sides
    std::string verdict;                       ///< one sentence
};

Guilt bisect(SessionReader &reader, const BisectRequest &request);
std::string guiltText(const Guilt &guilt);
std::string guiltJson(const Guilt &guilt);

/// A function's journal, and what the graph after one of its steps does.
class Journey {
public:
    Journey(const LoadedCall &call, engine::Mode mode);
    ~Journey();
    int steps() const;
    const engine::FunctionGraph &graph() const { return *m_graph; }
    /// After `step`; the last one is the function as it is. Throws UserError.
    std::shared_ptr<engine::Function> functionAt(int step);
    const engine::Function &whole() const { return *m_whole; }

private:
    const LoadedCall &m_call;
    engine::Mode m_mode;
    std::shared_ptr<engine::Function> m_whole, m_walked;
    engine::FunctionGraph *m_graph = nullptr; ///< of m_walked, which is never called
};

} // namespace profiler
