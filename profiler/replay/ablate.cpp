#include "profiler/replay/ablate.h"

#include "engine/rewrite/machine/registry.h"
#include "engine/tensor/errors.h"
#include "profiler/compare/significance.h"
#include "profiler/replay/replay_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

namespace profiler {
namespace {

constexpr std::size_t kPaired = 5;           // of those that matter most, each with each
constexpr std::int64_t kCompiledTwice = 2e8; // ns of compiling, up to which it is done once more
constexpr std::size_t kCopies = 8;           // of the function as it is
constexpr std::size_t kCopiesOfOthers = 3;

// Those that matter most are measured once more with more copies: their order is what is read.
constexpr std::size_t kLeaders = 8;
constexpr std::size_t kCopiesOfLeaders = 10;
constexpr std::size_t kLeastCopiesOfLeaders = 4;
constexpr double kLeadersShare = 0.6; // of the time for measuring
constexpr double kTryingShare = 0.4;  // of all of the time: for compiling each variant once

struct Fired {
    std::int64_t times = 0;
    int firstStep = -1;
};

// What can be left out, and how often it fired: what steps the journal has of it.
std::map<std::string, Fired> firedIn(const engine::Function &function, AblateBy by)
{
    std::map<std::string, Fired> result;
    const auto &steps = function.graph().journal().steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const engine::RewriteInfo *info = engine::findRewrite(steps[i].rewrite);
        if (!info) continue; // an edit that every compile needs
        std::vector<std::string> names;
        if (by == AblateBy::Rewrite) names = {info->name};
        else if (by == AblateBy::Pass) names = {std::string(steps[i].phase)};
        else names = info->tags;
        for (const std::string &name : names) {
            Fired &fired = result[name];
            ++fired.times;
            if (fired.firstStep < 0) fired.firstStep = static_cast<int>(i) + 1;
        }
    }
    return result;
}

const char *nameOfBy(AblateBy by) { return by == AblateBy::Rewrite ? "rewrite" : by == AblateBy::Pass ? "pass" : "tag"; }

// Of copies of one graph, as they were called.
std::vector<double> inTurns(std::span<const std::vector<double>> copies)
{
    std::vector<double> all;
    for (std::size_t round = 0; round < copies.front().size(); ++round)
        for (const std::vector<double> &times : copies) all.push_back(times[round]);
    return all;
}

std::vector<double> middlesOf(std::span<const std::vector<double>> copies)
{
    std::vector<double> middles;
    for (const std::vector<double> &times : copies) middles.push_back(middleOf(times));
    return middles;
}

// Where its arrays and code happen to lie makes two copies of one graph differ, too. What a rewrite does, all copies without it show, by
// more than lies between those with it.
bool isApart(std::span<const std::vector<double>> copies, std::span<const std::vector<double>> bases)
{
    const auto [least, most] = std::ranges::minmax(middlesOf(copies));
    const auto [baseLeast, baseMost] = std::ranges::minmax(middlesOf(bases));
    return std::max(least - baseMost, baseLeast - most) > baseMost - baseLeast;
}

// The same of many copies: each of them is one value, however often it was called.
TimeDifference differenceOfCopies(std::span<const std::vector<double>> copies, std::span<const std::vector<double>> bases)
{
    const std::vector<double> own = middlesOf(copies), other = middlesOf(bases);
    TimeDifference one{middleOf(own), middleOf(other), mannWhitney(own, other), false};
    one.counts = one.p < kSignificantP && std::fabs(one.ns - one.otherNs) > kLeastTimeShare * one.otherNs;
    return one;
}

// Compiles variants, measures each graph once, and lets their calls take turns with those of the function as it is.
class VariantTrials {
public:
    VariantTrials(const LoadedCall &call, const AblateRequest &request)
        : m_call(call), m_request(request), m_watch(request.trial.watch), m_trying(m_watch), m_captured(call.view.function)
    {
        m_watch.say("computing what is right");
        m_reference = referenceOf(call);
        add(AblationKind::Nothing, {});
        // What all variants need is not theirs: on a slow machine the time would be up before the first.
        m_watch = m_request.trial.watch.within(request.trial.limit);
        m_trying = m_request.trial.watch.within(kTryingShare * request.trial.limit);
    }

    void expect(std::size_t variants) { m_expected += variants; }

    void add(AblationKind kind, std::vector<std::string> leftOut, Fired fired = {})
    {
        AblationRow row;
        row.function = m_captured.function;
        row.call = m_call.view.call.call;
        row.by = nameOfBy(m_request.by);
        row.position = static_cast<int>(m_rows.size());
        row.kind = kind;
        row.leftOut = leftOut;
        row.fired = fired.times;
        row.firstStep = fired.firstStep;
        row.reference = m_reference.text;
        const bool isLate = kind != AblationKind::Nothing && m_trying.ended();
        if (isLate) row.error = kNotTried;
        else tryOut(row, std::move(leftOut));
        m_rows.push_back(std::move(row));
        if (m_waiting.size() * kCopiesOfOthers >= m_together) measure();
    }

    // Those that wait, beside the function as it is: all have the same conditions.
    void measure()
    {
        if (m_waiting.empty()) return;
        std::vector<std::shared_ptr<engine::Function>> functions = m_bases;
        for (const Waiting &one : m_waiting) functions.insert(functions.end(), one.copies.begin(), one.copies.end());
        TurnOptions turns = m_request.trial.turns;
        turns.seconds *= (1 - kLeadersShare) *
                         std::min(1.0, static_cast<double>(m_waiting.size()) / static_cast<double>(std::max<std::size_t>(1, m_expected)));
        compare(timesInTurns(m_call, functions, turns, m_watch), m_bases.size());
        m_waiting.clear();
    }

    // What is read first is measured best: more copies of those that are worth most, and of the function as it is, none of them seen
    // before.
    void measureLeaders()
    {
        if (m_rows.front().compileNs >= kCompiledTwice) return;
        std::vector<std::size_t> leaders;
        for (const Measured &one : m_measured)
            if (m_rows[one.row].kind == AblationKind::Single) leaders.push_back(one.row);
        const double base = m_rows.front().ns;
        std::ranges::stable_sort(leaders, {}, [&](std::size_t row) { return -std::fabs(m_rows[row].ns - base); });
        if (leaders.size() > kLeaders) leaders.resize(kLeaders);
        if (leaders.empty()) return;
        const std::size_t copies = std::clamp(m_together / (leaders.size() + 1), kLeastCopiesOfLeaders, kCopiesOfLeaders);
        std::vector<std::shared_ptr<engine::Function>> functions = copiesWithout({}, copies);
        const std::size_t bases = functions.size();
        for (const std::size_t row : leaders) {
            if (m_watch.ended()) break;
            m_waiting.push_back({row, copiesWithout(m_rows[row].leftOut, copies)});
            functions.insert(functions.end(), m_waiting.back().copies.begin(), m_waiting.back().copies.end());
        }
        TurnOptions turns = m_request.trial.turns;
        turns.seconds *= kLeadersShare;
        const TurnTimes times = timesInTurns(m_call, functions, turns, m_watch);
        const auto least = static_cast<std::size_t>(turns.leastRounds);
        if (times.of.back().size() >= least) compare(times, bases); // else what was measured first stands
        m_waiting.clear();
    }

    void finish()
    {
        measure();
        // Leaders were chosen by what others said, and measured as if there were only they.
        std::vector<TimeDifference> leaders, others;
        for (const Measured &one : m_measured) (one.leads ? leaders : others).push_back(one.difference);
        correct(leaders);
        correct(others);
        for (std::size_t i = m_measured.size(); i-- > 0;) {
            std::vector<TimeDifference> &from = m_measured[i].leads ? leaders : others;
            m_rows[m_measured[i].row].p = from.back().p;
            m_rows[m_measured[i].row].counts = from.back().counts;
            from.pop_back();
        }
        for (AblationRow &row : m_rows) {
            if (row.sameAs < 0) continue;
            const AblationRow &same = m_rows[static_cast<std::size_t>(row.sameAs)];
            row.ns = same.ns;
            row.p = same.p;
            row.counts = same.counts;
            row.peakBytes = same.peakBytes;
            row.ulp = same.ulp;
            row.notFinite = same.notFinite;
            row.error = same.error;
        }
    }

    std::vector<AblationRow> &rows() { return m_rows; }
    const Reference &reference() const { return m_reference; }
    const std::string &busy() const { return m_busy; }
    bool isJudged() const { return m_isJudged; }
    const engine::Function &base() const { return *m_bases.front(); }

private:
    struct Waiting {
        std::size_t row;
        std::vector<std::shared_ptr<engine::Function>> copies;
    };

    struct Measured {
        std::size_t row;
        TimeDifference difference;
        bool leads = false;
    };

    std::vector<std::shared_ptr<engine::Function>> copiesWithout(std::vector<std::string> leftOut, std::size_t count) const
    {
        ModeChanges changes;
        changes.excluding = std::move(leftOut);
        const engine::Mode mode = modeOf(m_captured, changes);
        std::vector<std::shared_ptr<engine::Function>> copies;
        while (copies.size() < count) copies.push_back(compileCaptured(m_call, mode));
        return copies;
    }

    // `times`: of the function as it is, then of those that wait.
    void compare(const TurnTimes &turns, std::size_t bases)
    {
        std::span<const std::vector<double>> times = turns.of;
        const bool isJudged = profiler::isJudged(turns.load, m_request.trial.turns);
        m_isJudged = m_isJudged && isJudged;
        if (const std::string busy = busyText(turns.load); !busy.empty()) m_busy = busy;
        const auto next = [&](std::size_t count) {
            const auto some = times.first(count);
            times = times.subspan(count);
            return some;
        };
        const auto ofBases = next(bases);
        const std::vector<double> baseTimes = inTurns(ofBases);
        AblationRow &base = m_rows.front();
        if (base.ns == 0) base.ns = middleOf(baseTimes);
        for (const Waiting &one : m_waiting) {
            AblationRow &row = m_rows[one.row];
            const auto own = next(one.copies.size());
            if (own.back().empty()) {
                row.error = kNotTried;
                continue;
            }
            TimeDifference difference;
            if (own.size() > kLeastCopiesOfLeaders) {
                difference = differenceOfCopies(own, ofBases);
            } else {
                difference = differenceOf(inTurns(own), baseTimes);
                difference.counts = difference.counts && isApart(own, ofBases);
            }
            difference.counts = difference.counts && isJudged;
            row.ns = difference.ns * (base.ns / difference.otherNs);
            const auto place = std::ranges::find(m_measured, one.row, &Measured::row);
            if (place == m_measured.end()) m_measured.push_back({one.row, difference});
            else *place = {one.row, difference, true};
        }
    }

    void tryOut(AblationRow &row, std::vector<std::string> leftOut)
    {
        std::string text;
        for (const std::string &name : leftOut) text += (text.empty() ? "without " : " and ") + name;
        if (row.kind == AblationKind::All) text = "without all of them";
        m_watch.say("compiling " + (text.empty() ? m_call.view.functionName : text), m_rows.size(), m_expected);
        try {
            ModeChanges changes;
            changes.excluding = std::move(leftOut);
            const engine::Mode mode = modeOf(m_captured, changes);
            const std::shared_ptr<engine::Function> function = compileCaptured(m_call, mode);
            row.compileNs = static_cast<std::int64_t>(function->times().totalNs);
            // What comes first loads what all of them need, and kernels come from the disk: no variant's time is that.
            std::vector<std::shared_ptr<engine::Function>> copies{function};
            const bool isBase = row.kind == AblationKind::Nothing;
            while (row.compileNs < kCompiledTwice && copies.size() < (isBase ? kCopies : kCopiesOfOthers) && !m_trying.ended()) {
                copies.push_back(compileCaptured(m_call, mode));
                row.compileNs = std::min(row.compileNs, static_cast<std::int64_t>(copies.back()->times().totalNs));
            }
            row.applies = static_cast<std::int64_t>(function->order().size());
            const auto [known, isNew] = m_structures.emplace(std::hash<std::string>()(structureOf(*function)), row.position);
            if (!isNew) {
                row.sameAs = known->second;
                return;
            }
            const ValueDifference worst = worstOf(callCaptured(m_call, *function), m_reference);
            row.ulp = worst.ulp;
            row.notFinite = worst.notFinite;
            row.peakBytes = peakOfCall(m_call, *function);
            if (isBase) {
                m_bases = std::move(copies);
                m_together = mostInTurns(function->order().size());
            } else {
                m_waiting.push_back({m_rows.size(), std::move(copies)});
            }
        } catch (const std::exception &error) { // one that fails is a row like others
            row.error = error.what();
        }
    }

    const LoadedCall &m_call;
    const AblateRequest &m_request;
    Watch m_watch;
    Watch m_trying; ///< ends when what is left is for measuring
    const CapturedFunction &m_captured;
    Reference m_reference;
    std::string m_busy;
    bool m_isJudged = true;
    std::size_t m_expected = 0;
    std::vector<AblationRow> m_rows;
    std::vector<std::shared_ptr<engine::Function>> m_bases; // the function as it is, more than once: they differ by chance alone
    std::size_t m_together = 1;
    std::vector<Waiting> m_waiting; // compiled, and not measured
    std::vector<Measured> m_measured;
    std::unordered_map<std::size_t, int> m_structures;
};

// Singles by what they are worth; the numbers that rows have of each other follow.
void sort(std::vector<AblationRow> &rows)
{
    const double base = rows.front().ns;
    std::stable_sort(rows.begin() + 1, rows.end(), [base](const AblationRow &a, const AblationRow &b) {
        const auto rank = [base](const AblationRow &row) {
            const bool isEqual = row.sameAs == 0 || !row.error.empty();
            const int sure = !row.counts ? 1 : row.ns > base ? 0 : 2; // what may be chance stands between what costs and what gains
            return std::tuple(row.kind, isEqual, sure, -(row.ns - base));
        };
        return rank(a) < rank(b);
    });
    std::map<int, int> places;
    for (std::size_t i = 0; i < rows.size(); ++i) places[rows[i].position] = static_cast<int>(i);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].position = static_cast<int>(i);
        if (rows[i].sameAs >= 0) rows[i].sameAs = places[rows[i].sameAs];
    }
}

} // namespace

Ablation ablate(SessionReader &reader, const AblateRequest &request)
{
    const LoadedCall call = loadCall(reader, request.trial.function, request.trial.call);
    Ablation result;
    result.view = call.view;
    result.notes = call.placeholders;
    std::string note;
    result.mode = inWords(modeOf(call.view.function, {}, &note));
    if (!note.empty()) result.notes.push_back(note);
    VariantTrials trials(call, request);
    if (const AblationRow &first = trials.rows().front(); !first.error.empty())
        throw SessionError(call.view.functionName + " cannot be run as it was recorded: " + first.error);
    const std::map<std::string, Fired> fired = firedIn(trials.base(), request.by);
    if (fired.empty())
        throw SessionError("no rewrite fired in " + call.view.functionName + ", so there is none to leave out",
                           "it was compiled as " + result.mode);
    std::vector<std::string> all;
    for (const auto &[name, times] : fired) all.push_back(name);
    trials.expect(all.size() + 1);
    trials.add(AblationKind::All, all);
    // Those that fired most come first, should time be up.
    std::ranges::stable_sort(all, {}, [&](const std::string &name) { return -fired.at(name).times; });
    for (const std::string &name : all) trials.add(AblationKind::Single, {name}, fired.at(name));
    trials.measure();
    trials.measureLeaders();
    if (request.pairs) {
        std::vector<AblationRow> singles;
        for (const AblationRow &row : trials.rows())
            if (row.kind == AblationKind::Single && row.error.empty() && row.sameAs < 0) singles.push_back(row);
        const double base = trials.rows().front().ns;
        std::ranges::stable_sort(singles, {}, [base](const AblationRow &row) { return -std::fabs(row.ns - base); });
        if (singles.size() > kPaired) singles.resize(kPaired);
        trials.expect(singles.size() * (singles.size() - 1) / 2);
        for (std::size_t i = 0; i < singles.size(); ++i)
            for (std::size_t k = i + 1; k < singles.size(); ++k)
                trials.add(AblationKind::Pair, {singles[i].leftOut[0], singles[k].leftOut[0]});
    }
    trials.finish();
    result.busy = trials.busy();
    result.isJudged = trials.isJudged();
    result.reference = trials.reference().text;
    result.notes.insert(result.notes.end(), trials.reference().notes.begin(), trials.reference().notes.end());
    for (const AblationRow &row : trials.rows()) {
        result.all += row.kind != AblationKind::Nothing;
        result.tried += row.kind != AblationKind::Nothing && row.error != kNotTried;
    }
    if (result.tried < result.all)
        result.notes.push_back(std::to_string(result.tried) + " of " + std::to_string(result.all) +
                               " were tried until the time was up: those that fired most come first");
    result.rows = std::move(trials.rows());
    sort(result.rows);
    return result;
}

TrialRow trialOf(const Ablation &ablation)
{
    const AblationRow &base = ablation.nothing();
    std::vector<std::string> notes = ablation.notes;
    if (!ablation.busy.empty()) notes.push_back(busyNote(ablation));
    return {base.function, base.call, base.by, ablation.mode, ablation.reference, notes, ablation.tried, ablation.all};
}

std::vector<Ablation> storedAblations(SessionReader &reader)
{
    std::vector<Ablation> result;
    const std::vector<CallView> views = capturedCalls(reader);
    const std::vector<TrialRow> trials = reader.trials();
    for (AblationRow &row : reader.ablations()) {
        const bool isNext = result.empty() || result.back().nothing().function != row.function ||
                            result.back().nothing().call != row.call || result.back().nothing().by != row.by;
        if (isNext) {
            result.emplace_back();
            for (const CallView &view : views)
                if (view.function.function == row.function && view.call.call == row.call) result.back().view = view;
            for (const TrialRow &trial : trials) {
                if (trial.function != row.function || trial.call != row.call || trial.question != row.by) continue;
                result.back().mode = trial.mode;
                result.back().notes = trial.notes;
                result.back().tried = trial.tried;
                result.back().all = trial.offered;
            }
            result.back().reference = row.reference;
        }
        result.back().rows.push_back(std::move(row));
    }
    return result;
}

} // namespace profiler
