#include "engine/rewrite/machine/driver.h"

#include "engine/rewrite/machine/dispatch.h"
#include "engine/rewrite/machine/extensions.h"
#include "engine/rewrite/machine/view_trials.h"
#include "engine/tensor/clock.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <utility>

namespace engine {
namespace {

bool contains(const std::vector<std::string> &list, std::string_view what)
{
    return std::find(list.begin(), list.end(), what) != list.end();
}

bool namesPass(const std::vector<std::string> &list, const PassInfo &pass)
{
    return contains(list, pass.name) || contains(list, nameOf(pass.phase)) || (!pass.tag.empty() && contains(list, pass.tag));
}

std::string_view levelTag(OptimizerLevel level)
{
    switch (level) {
    case OptimizerLevel::None: return "";
    case OptimizerLevel::Merge: return "merge";
    case OptimizerLevel::FastCompile: return "fast_compile";
    case OptimizerLevel::FastRun: break;
    }
    return "fast_run";
}

bool listed(const std::vector<std::string> &list, const RewriteInfo &info)
{
    return contains(list, info.name) ||
           std::any_of(info.tags.begin(), info.tags.end(), [&](const std::string &tag) { return contains(list, tag); });
}

/// By the level, by its own name or by a tag of its own.
bool isChosen(const RewriteInfo &info, const Optimizer &optimizer)
{
    const std::string_view level = levelTag(optimizer.level);
    return (!level.empty() && info.hasTag(level)) || listed(optimizer.including, info);
}

bool belongsTo(const RewriteInfo &info, const PassInfo &pass)
{
    const bool own = info.phase == pass.phase && info.pass == pass.name;
    return own || (defaultPass(pass.phase).name == pass.name &&
                   std::find(info.alsoIn.begin(), info.alsoIn.end(), pass.phase) != info.alsoIn.end());
}

/// Whoever includes a pass or a phase has what runs there by default; what is off by default wants its own name.
bool comesWith(const RewriteInfo &info, const PassInfo &pass, const Optimizer &optimizer)
{
    return info.hasTag("fast_run") && belongsTo(info, pass) && namesPass(optimizer.including, pass);
}

/// What a mode asked for that wants to hear of the first rewrite that fails.
struct RewriteFailure : UserError {
    using UserError::UserError;
};

void (*g_rewritingEnded)(const FunctionGraph &) = nullptr;

struct EndOfRewriting {
    const FunctionGraph &graph;
    ~EndOfRewriting()
    {
        if (g_rewritingEnded) g_rewritingEnded(graph);
    }
};

constexpr int kMaxSweeps = 12;
constexpr std::size_t kSamples = 20;
constexpr std::size_t kMany = 32; // applies around one
// Readers that are looked at at once: the next sweep, which looks at every apply, finds the others. A sweep that changes nothing ends a
// pass.
constexpr std::size_t kReadersAhead = 16;

} // namespace

bool runsIn(const RewriteInfo &info, const Optimizer &optimizer)
{
    if (listed(optimizer.excluding, info)) return false;
    const auto passes = allPasses();
    return isChosen(info, optimizer) ||
           std::any_of(passes.begin(), passes.end(), [&](const PassInfo &pass) { return comesWith(info, pass, optimizer); });
}

class Driver {
public:
    Driver(FunctionGraph &graph, const Optimizer &optimizer, const RewriteOptions &options)
        : m_graph(graph), m_optimizer(optimizer), m_options(options), m_edit(graph), m_all(allRewrites())
    {
        m_counts.resize(m_all.size());
        m_declineTimes.resize(m_all.size());
        m_entryAnswers.resize(m_all.size());
        for (std::size_t i = 0; i < m_all.size(); ++i) m_counts[i].info = m_all[i];
        graph.setKeepsJournal(options.keepJournal);
    }

    RewriteReport run(const std::function<void(const PassReport &)> &onPass);

    /// One attempt of rewrite `entry` with `root` as what it looks at.
    template <class Body>
    bool attempt(std::size_t entry, ApplyId root, Body &&body);
    /// Counts it; the number of the answer.
    std::uint16_t noteDecline(std::size_t entry, ApplyId root, std::string_view reason, ApplyId because);
    /// The same for a rewrite of the whole graph.
    void declineWhole(std::size_t entry, ApplyId root, std::string_view reason, ApplyId because)
    {
        m_lastBecause = because;
        m_lastAnswer = noteDecline(entry, root, reason, because);
        keepWhole(root);
    }
    /// Keeps the last answer.
    void keepWhole(ApplyId root)
    {
        if (m_options.keepWhyNot && root != kNoApply) m_whyNot->say(root, m_lastAnswer, m_lastBecause);
    }
    /// What the step made of `root` in the phase `inplace` is the same apply for whoever asks.
    void noteInPlace(ApplyId root)
    {
        if (!m_options.keepWhyNot || !m_options.keepJournal || m_pass->phase != Phase::Inplace) return;
        const auto produced = m_graph.journal().produced(m_graph.journal().steps.back());
        if (produced.size() == 1) m_whyNot->inPlace(root, produced[0]);
    }
    void noteGroup(std::size_t entry, std::vector<ApplyId> applies);
    void noteValidation(std::uint64_t nanoseconds) { m_validateNs += nanoseconds; }

    const Optimizer &optimizer() const { return m_optimizer; }
    const RewriteOptions &options() const { return m_options; }

    /// Passes that change nothing share one order.
    const std::vector<ApplyId> &order()
    {
        const std::size_t steps = m_graph.stepCount();
        if (m_orderSteps != steps) {
            m_order = m_graph.toposort();
            m_orderSteps = steps;
        }
        return m_order;
    }

private:
    void runPass(const PassInfo &pass, const std::vector<std::size_t> &entries);
    void equilibrium(const PassInfo &pass, const std::vector<std::size_t> &entries, PassReport &report);
    bool visit(ApplyId id, const Dispatch &dispatch);
    /// Counts it and does what the mode wants then.
    void noteFailure(std::size_t entry, const std::string &where, const std::exception &error);
    /// Who fired about as often in this pass as a rewrite that does not settle: they undo one another.
    std::string partners(std::size_t entry) const;
    void mergeDirty();
    std::size_t readerCount(ApplyId id) const;
    void finish();

    FunctionGraph &m_graph;
    const Optimizer &m_optimizer;
    const RewriteOptions &m_options;
    Editor m_edit;
    std::span<const RewriteInfo *const> m_all;
    /// The first decline of a rewrite runs cold, so it stands for itself; every 16th of the others stands for all of them.
    struct DeclineTimes {
        std::uint64_t firstNs = 0, sampledNs = 0, sampled = 0, count = 0;
        std::uint64_t estimatedNs() const
        {
            return firstNs + (sampled ? static_cast<std::uint64_t>(static_cast<double>(sampledNs) / static_cast<double>(sampled) *
                                                                   static_cast<double>(count - 1))
                                      : 0);
        }
    };
    void estimateDeclines();

    std::vector<RewriteCounts> m_counts;
    std::vector<DeclineTimes> m_declineTimes; // by rewrite
    std::vector<std::uint64_t> m_firedInPass;
    std::vector<bool> m_disabled;
    std::uint64_t m_budget = 0;
    const PassInfo *m_pass = nullptr;
    std::string_view m_phaseName;
    std::uint16_t m_lastAnswer = 0;
    ApplyId m_lastBecause = kNoApply;
    std::vector<ApplyId> m_dirty; // copied: merging starts new steps
    std::shared_ptr<WhyNotBook> m_whyNot = std::make_shared<WhyNotBook>();
    std::vector<std::vector<std::uint16_t>> m_entryAnswers; // by rewrite: of its counted declines
    std::size_t m_mergeEntry = 0;
    std::optional<std::size_t> m_viewsEntry; // from the pass on that runs it to the end of its phase
    std::vector<ApplyId> m_order;
    std::size_t m_orderSteps = SIZE_MAX;
    bool m_mergeAlong = false;
    RewriteReport m_report;
    std::uint64_t m_validateNs = 0; // of the pass at hand

    friend RewriteReport rewriteGraph(FunctionGraph &, const Optimizer &, const std::function<void(const PassReport &)> &,
                                      const RewriteOptions &);
};

std::uint16_t Driver::noteDecline(std::size_t entry, ApplyId root, std::string_view reason, ApplyId because)
{
    RewriteCounts &counts = m_counts[entry];
    if (counts.samples.size() < kSamples) counts.samples.push_back({root, reason, because});
    for (std::size_t i = 0; i < counts.declines.size(); ++i)
        if (counts.declines[i].first.data() == reason.data()) {
            ++counts.declines[i].second;
            return m_entryAnswers[entry][i];
        }
    counts.declines.emplace_back(reason, 1);
    m_entryAnswers[entry].push_back(m_whyNot->answer(entry, reason));
    return m_entryAnswers[entry].back();
}

void Driver::noteGroup(std::size_t entry, std::vector<ApplyId> applies)
{
    ++m_counts[entry].tried;
    ++m_counts[entry].fired;
    m_graph.groups.push_back({std::move(applies), m_all[entry]->name});
}

template <class Body>
bool Driver::attempt(std::size_t entry, ApplyId root, Body &&body)
{
    RewriteCounts &counts = m_counts[entry];
    const RewriteInfo &info = *counts.info;
    const std::uint64_t place = counts.tried++ & 15u;
    const bool timed = place == 1 || counts.tried == 1;
    const std::uint64_t start = timed ? nowNs() : 0;
    m_edit.beginStep(m_phaseName, m_pass->name, info.name);
    m_lastBecause = kNoApply;
    try {
        const std::size_t before = m_graph.applyCount();
        const RewriteResult result = body(m_edit);
        if (!result.isReplaced()) {
            m_edit.abandonStep();
            m_lastBecause = result.because();
            m_lastAnswer = noteDecline(entry, root, result.reason(), result.because());
            DeclineTimes &times = m_declineTimes[entry];
            if (timed) {
                const std::uint64_t spent = nowNs() - start;
                if (times.count == 0) {
                    times.firstNs = spent;
                } else {
                    times.sampledNs += spent;
                    ++times.sampled;
                }
            }
            ++times.count;
            return false;
        }
        if (m_edit.commitStep(result.reason())) {
            ++counts.fired;
            ++m_firedInPass[entry];
            counts.nodesCreated += m_graph.applyCount() - before;
            counts.nanoseconds += m_edit.stepNs();
            if (m_firedInPass[entry] == m_budget) {
                m_disabled[entry] = true;
                m_report.warnings.push_back("the pass " + std::string(m_pass->name) + " does not settle: " + info.name + " fired " +
                                            std::to_string(m_budget) + " times and was stopped" + partners(entry));
            }
            return true;
        }
        m_lastAnswer = noteDecline(entry, root, "it would change nothing", kNoApply);
        return false;
    } catch (const std::exception &error) {
        if (m_edit.inStep()) m_edit.abandonStep();
        noteFailure(entry, root == kNoApply ? "" : " on " + m_graph.apply(root).op->name(), error);
        m_lastBecause = kNoApply;
        m_lastAnswer = noteDecline(entry, root, "it failed (see the warnings)", kNoApply);
        return false;
    }
}

void Driver::noteFailure(std::size_t entry, const std::string &where, const std::exception &error)
{
    const std::string sentence = "the rewrite " + m_all[entry]->name + " failed" + where;
    if (m_optimizer.onRewriteError == OnRewriteError::Raise) throw RewriteFailure(sentence + ": " + error.what());
    if (++m_counts[entry].failed <= 3 && m_optimizer.onRewriteError == OnRewriteError::Warn)
        m_report.warnings.push_back(sentence + " and was skipped: " + error.what());
}

std::string Driver::partners(std::size_t entry) const
{
    std::string text;
    for (std::size_t i = 0; i < m_all.size(); ++i)
        if (i != entry && 2 * m_firedInPass[i] > m_budget)
            text += (text.empty() ? "; in turns with " : ", ") + m_all[i]->name + " (" + std::to_string(m_firedInPass[i]) + " times)";
    return text;
}

bool Driver::visit(ApplyId id, const Dispatch &dispatch)
{
    const Bucket &bucket = dispatch.find(*m_graph.apply(id).op);
    if (bucket.empty()) return false;
    WhyNotBook::Note *const notes = m_options.keepWhyNot ? m_whyNot->notes(id, bucket.size(), m_graph.applyCount()) : nullptr;
    const NodeHandle node(m_graph, id);
    std::optional<Kinds> inputs; // for all rules alike
    for (std::size_t k = 0; k < bucket.size(); ++k) {
        const std::size_t entry = bucket[k];
        if (m_disabled[entry]) continue;
        const RewriteInfo &info = *m_all[entry];
        if (info.rule) {
            if (!inputs) inputs = kindsOf(node);
            if (const auto answer = info.rule->declines(node, *inputs)) {
                ++m_counts[entry].tried;
                const std::uint16_t said = noteDecline(entry, id, answer->reason(), answer->because());
                if (notes) m_whyNot->write(notes[k], id, said, answer->because());
                continue;
            }
        }
        if (attempt(entry, id, [&](Editor &edit) { return info.run(node, edit); })) return true;
        if (notes) m_whyNot->write(notes[k], id, m_lastAnswer, m_lastBecause);
    }
    return false;
}

std::size_t Driver::readerCount(ApplyId id) const
{
    std::size_t count = 0;
    for (VarId out : m_graph.apply(id).outputs) count += m_graph.var(out).clients.size();
    return count;
}

/// Hash-consing goes along: an apply whose inputs changed may now be equal to another one.
void Driver::mergeDirty()
{
    for (ApplyId id : m_dirty) m_edit.prefetchTwin(id);
    for (std::size_t i = 0; i < m_dirty.size(); ++i) {
        const ApplyId id = m_dirty[i];
        if (!m_graph.apply(id).live) continue;
        const std::optional<ApplyId> twin = m_edit.findTwin(id);
        if (!twin) continue;
        ApplyId kept = std::min(id, *twin), removed = std::max(id, *twin);
        // Where one after the other goes into one of them, its readers are not moved again and again.
        if (readerCount(removed) > readerCount(kept) + kMany) std::swap(kept, removed);
        const bool merged = attempt(m_mergeEntry, removed, [&](Editor &edit) {
            for (std::size_t out = 0; out < m_graph.apply(removed).outputs.size(); ++out) {
                const VarHandle from = edit.node(removed).output(out), to = edit.node(kept).output(out);
                if (!from.name().empty()) edit.rename(to.id(), from.name());
                edit.replace(from, to, FateKind::Merged);
            }
            return replaced("the same op on the same inputs");
        });
        if (merged) m_dirty.insert(m_dirty.end(), m_edit.dirty().begin(), m_edit.dirty().end());
    }
}

void Driver::equilibrium(const PassInfo &pass, const std::vector<std::size_t> &entries, PassReport &report)
{
    Dispatch dispatch;
    for (std::size_t entry : entries) dispatch.add(entry, *m_all[entry]);
    m_whyNot->beginPass(pass.name);
    // Who reads many is looked at again when they have settled, not after each of them; likewise many readers of one.
    std::vector<ApplyId> stack, later;
    std::vector<bool> queued;
    const auto push = [&](ApplyId id, bool isOneOfMany) {
        if (!m_graph.apply(id).live) return;
        if (raw(id) >= queued.size()) queued.resize(m_graph.applyCount());
        if (queued[raw(id)]) return;
        queued[raw(id)] = true;
        (isOneOfMany || m_graph.apply(id).inputs.size() > kMany ? later : stack).push_back(id);
    };
    bool settled = false;
    for (int sweep = 0; sweep < kMaxSweeps && !settled; ++sweep) {
        ++report.sweeps;
        // All of the order is in the graph: it is not looked at to be put on the stack.
        stack.assign(order().begin(), order().end());
        queued.assign(m_graph.applyCount(), false);
        for (ApplyId id : stack) queued[raw(id)] = true;
        std::uint64_t fired = 0;
        while (!stack.empty() || !later.empty()) {
            if (stack.empty()) stack.swap(later);
            checkInterrupt();
            const ApplyId id = stack.back();
            stack.pop_back();
            // What comes soon is fetched while this one is looked at.
            if (stack.size() > 8) m_graph.prefetch(stack[stack.size() - 8]);
            if (stack.size() > 4) m_graph.prefetchInputs(stack[stack.size() - 4]);
            queued[raw(id)] = false;
            if (!m_graph.apply(id).live) continue;
            if (!visit(id, dispatch)) continue;
            ++fired;
            m_dirty.assign(m_edit.dirty().begin(), m_edit.dirty().end());
            m_dirty.push_back(id);
            if (m_mergeAlong) mergeDirty();
            // Patterns reach two applies deep: look at the readers of what changed as well.
            const std::size_t count = m_dirty.size();
            for (std::size_t i = 0; i < count; ++i) {
                if (!m_graph.apply(m_dirty[i]).live) continue;
                for (VarId out : m_graph.apply(m_dirty[i]).outputs) {
                    const auto &clients = m_graph.var(out).clients;
                    for (std::size_t c = 0; c < std::min(clients.size(), kReadersAhead); ++c)
                        if (!clients[c].isGraphOutput()) m_dirty.push_back(clients[c].apply);
                }
            }
            std::sort(m_dirty.begin(), m_dirty.end());
            m_dirty.erase(std::unique(m_dirty.begin(), m_dirty.end()), m_dirty.end());
            for (ApplyId dirty : m_dirty) push(dirty, m_dirty.size() > kMany);
        }
        if (fired == 0 && m_viewsEntry) {
            const ViewTrials trials(m_graph, dispatch, *m_viewsEntry, m_disabled,
                                    [this](std::size_t entry, ApplyId root, const auto &body) { return attempt(entry, root, body); });
            // Applies closer to the outputs hold larger patterns, so they come first.
            const std::vector<ApplyId> all(order().rbegin(), order().rend());
            for (const ApplyId id : all) fired += trials.visit(id);
        }
        settled = fired == 0;
    }
    if (!settled) {
        std::string names;
        for (std::size_t entry : entries)
            if (m_firedInPass[entry] && !m_disabled[entry])
                names += (names.empty() ? "" : ", ") + m_all[entry]->name + " (" + std::to_string(m_firedInPass[entry]) + ")";
        m_report.warnings.push_back("the pass " + std::string(pass.name) + " did not settle in " + std::to_string(kMaxSweeps) +
                                    " sweeps; these keep firing: " + names);
    }
}

void Driver::runPass(const PassInfo &pass, const std::vector<std::size_t> &entries)
{
    PassReport report;
    report.phase = nameOf(pass.phase);
    report.pass = pass.name;
    report.firstStep = m_graph.journal().steps.size();
    const std::uint64_t start = nowNs();
    m_pass = &pass;
    m_phaseName = nameOf(pass.phase);
    m_firedInPass.assign(m_all.size(), 0);
    m_disabled.assign(m_all.size(), false);
    const double budget = m_optimizer.firingsANode * static_cast<double>(m_graph.liveApplyCount() + 16);
    m_budget = budget < 1e18 ? static_cast<std::uint64_t>(std::max(budget, 1.0)) : UINT64_MAX;

    std::vector<std::size_t> locals;
    if (pass.phase != Phase::Stabilize) m_viewsEntry.reset();
    for (std::size_t entry : entries) {
        checkInterrupt();
        if (m_all[entry]->whole) {
            // A rewrite of the whole graph that throws outside of its steps is reported like any other.
            try {
                WholeRun run(*this, m_edit, entry);
                m_all[entry]->whole(run);
            } catch (const RewriteFailure &) {
                throw;
            } catch (const std::exception &error) {
                if (m_edit.inStep()) m_edit.abandonStep();
                noteFailure(entry, "", error);
            }
        } else if (m_all[entry]->movesViews) {
            m_viewsEntry = entry;
        } else {
            locals.push_back(entry);
        }
    }
    report.isEquilibrium = !locals.empty();
    if (!locals.empty()) equilibrium(pass, locals, report);

    report.validateNs = std::exchange(m_validateNs, 0);
    report.lastStep = m_graph.journal().steps.size();
    report.nanoseconds = nowNs() - start;
    m_report.passes.push_back(report);
}

/// An interruption that falls into a sample counts many times: all estimates together never exceed the time that there was.
void Driver::estimateDeclines()
{
    std::uint64_t there = 0, fired = 0;
    for (const PassReport &pass : m_report.passes) there += pass.nanoseconds;
    double estimated = 0;
    for (std::size_t i = 0; i < m_counts.size(); ++i) {
        fired += m_counts[i].nanoseconds;
        estimated += static_cast<double>(m_declineTimes[i].estimatedNs());
    }
    const double left = there > fired ? static_cast<double>(there - fired) : 0;
    const double share = estimated > left ? left / estimated : 1;
    for (std::size_t i = 0; i < m_counts.size(); ++i)
        m_counts[i].nanoseconds += static_cast<std::uint64_t>(static_cast<double>(m_declineTimes[i].estimatedNs()) * share);
}

void Driver::finish()
{
    estimateDeclines();
    for (RewriteCounts &counts : m_counts)
        if (counts.tried || counts.failed || counts.fired) m_report.rewrites.push_back(std::move(counts));
    if (!m_options.keepWhyNot) return;
    m_whyNot->close(m_graph);
    m_report.whyNot = m_whyNot;
}

RewriteReport Driver::run(const std::function<void(const PassReport &)> &onPass)
{
    const std::uint64_t start = nowNs();
    std::vector<bool> active(m_all.size());
    for (std::size_t i = 0; i < m_all.size(); ++i) {
        active[i] = runsIn(*m_all[i], m_optimizer);
        if (m_all[i]->name == "MergeOptimizer") {
            m_mergeEntry = i;
            m_mergeAlong = active[i];
        }
    }
    std::vector<double> startsAt(m_all.size(), -1e9);
    for (std::size_t i = 0; i < m_all.size(); ++i) {
        if (m_all[i]->waitsFor.empty()) continue;
        for (std::size_t k = 0; k < m_all.size(); ++k)
            if (active[k] && m_all[k]->name == m_all[i]->waitsFor)
                for (const PassInfo &pass : allPasses())
                    if (pass.name == m_all[k]->pass && !namesPass(m_optimizer.excluding, pass)) startsAt[i] = pass.position;
    }
    for (const PassInfo &pass : allPasses()) {
        if (namesPass(m_optimizer.excluding, pass)) continue;
        std::vector<std::size_t> entries;
        for (std::size_t i = 0; i < m_all.size(); ++i) {
            if (!active[i] || pass.position < startsAt[i]) continue;
            const RewriteInfo &info = *m_all[i];
            const bool merge = pass.tag == "merge" && i == m_mergeEntry && m_mergeAlong;
            const bool runs = isChosen(info, m_optimizer) ? belongsTo(info, pass) : comesWith(info, pass, m_optimizer);
            if (runs || merge) entries.push_back(i);
        }
        if (entries.empty()) continue;
        runPass(pass, entries);
        if (onPass) onPass(m_report.passes.back());
    }
    finish();
    m_report.nanoseconds = nowNs() - start;
    return std::move(m_report);
}

RewriteReport rewriteGraph(FunctionGraph &graph, const Optimizer &optimizer, const std::function<void(const PassReport &)> &onPass,
                           const RewriteOptions &options)
{
    const EndOfRewriting end{graph};
    return Driver(graph, optimizer, options).run(onPass);
}

void setRewritingEnded(void (*hook)(const FunctionGraph &)) { g_rewritingEnded = hook; }

// --- rewrites of the whole graph --------------------------------------------------------------------------

const Optimizer &WholeRun::optimizer() const { return m_driver.optimizer(); }
const std::vector<ApplyId> &WholeRun::order() const { return m_driver.order(); }
const RewriteOptions &WholeRun::options() const { return m_driver.options(); }

bool WholeRun::step(ApplyId root, const std::function<RewriteResult(Editor &)> &body)
{
    const bool done = m_driver.attempt(m_entry, root, body);
    if (done) m_driver.noteInPlace(root);
    else m_driver.keepWhole(root);
    return done;
}

void WholeRun::decline(ApplyId root, std::string_view reason, ApplyId because) { m_driver.declineWhole(m_entry, root, reason, because); }

void WholeRun::group(std::vector<ApplyId> applies) { m_driver.noteGroup(m_entry, std::move(applies)); }

void WholeRun::validated(std::uint64_t nanoseconds) { m_driver.noteValidation(nanoseconds); }

bool WholeRun::runs(std::string_view rewriteName) const
{
    if (contains(optimizer().excluding, rewriteName)) return false;
    const RewriteInfo *info = findRewrite(rewriteName);
    return !info || runsIn(*info, optimizer());
}

} // namespace engine
