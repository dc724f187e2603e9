// What each rewrite is worth: a captured call compiled with and without it.
#pragma once

#include "profiler/replay/measure.h"
#include "profiler/stats/machine/worth.h"

#include <string>
#include <vector>

namespace profiler {

enum class AblateBy { Rewrite, Pass, Tag };

struct AblateRequest {
    TrialRequest trial;
    AblateBy by = AblateBy::Rewrite;
    bool pairs = false;
};

struct Ablation {
    CallView view;
    std::string mode, reference; ///< in words
    std::vector<std::string> notes;
    std::string busy;       ///< what else the machine did; empty: nothing to speak of
    bool isJudged = true;   ///< false: it was too busy to say what counts
    int tried = 0, all = 0; ///< graphs; fewer are tried where time is up, or somebody ended it
    /// Nothing left out first; then one each, those first whose absence costs most; pairs; all of them.
    std::vector<AblationRow> rows;

    const AblationRow &nothing() const { return rows.front(); }
    /// Nanoseconds that leaving it out costs: what it is worth.
    double worth(const AblationRow &row) const { return worthOf(rows, row); }
    double sumOfSingles() const { return profiler::sumOfSingles(rows); }
    double total() const { return worthOfAll(rows); } ///< of all of them left out at once
    /// What a pair costs beyond its two: what no single one explains.
    double interaction(const AblationRow &pair) const { return interactionOf(rows, pair); }
};

Ablation ablate(SessionReader &reader, const AblateRequest &request);
/// As a session keeps it.
TrialRow trialOf(const Ablation &ablation);
/// From the rows of a session; empty where there are none.
std::vector<Ablation> storedAblations(SessionReader &reader);
/// That the machine was busy, and what that means for the table; empty where it was not.
std::string busyNote(const Ablation &ablation);
std::string ablationText(const Ablation &ablation);
std::string ablationJson(const Ablation &ablation);

} // namespace profiler
