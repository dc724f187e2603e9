// From the original graph to the optimized one: the passes in Theano's order, each step in the journal.
#pragma once

#include "engine/rewrite/machine/optimizer.h"
#include "engine/rewrite/machine/registry.h"
#include "engine/rewrite/machine/report.h"

#include <functional>
#include <memory>

namespace engine {

struct RewriteOptions {
    /// The last decline of every rewrite for every apply of the final graph.
    bool keepWhyNot = true;
    /// Steps, lineage and what observers record. Off only to measure what it costs.
    bool keepJournal = true;
};

/// Rewrites in place. `onPass` is called after each pass that ran. Deterministic: same graph, same steps.
RewriteReport rewriteGraph(FunctionGraph &graph, const Optimizer &optimizer, const std::function<void(const PassReport &)> &onPass = {},
                           const RewriteOptions &options = {});

/// Does that rewrite run?
bool runsIn(const RewriteInfo &info, const Optimizer &optimizer);

class Driver;

/// What a rewrite of the whole graph works with.
class WholeRun {
public:
    Editor &edit() { return m_edit; }
    const FunctionGraph &graph() const { return m_edit.graph(); }
    /// graph().toposort(), kept while no step changes the graph. Valid until then.
    const std::vector<ApplyId> &order() const;
    const Optimizer &optimizer() const;
    const RewriteOptions &options() const;
    /// One step under the name of this rewrite; false if it declined (or threw: reported and undone).
    bool step(ApplyId root, const std::function<RewriteResult(Editor &)> &body);
    /// For "why not?" without an attempt.
    void decline(ApplyId root, std::string_view reason, ApplyId because = kNoApply);
    /// Has these applies run together, in this order; the graph stays as it is.
    void group(std::vector<ApplyId> applies);
    /// So much of its time went into asking whether memory may be overwritten.
    void validated(std::uint64_t nanoseconds);
    /// Is a rewrite or tag switched off (for parts of a rewrite that have names of their own)?
    bool runs(std::string_view rewriteName) const;

private:
    friend class Driver;
    WholeRun(Driver &driver, Editor &edit, std::size_t entry) : m_driver(driver), m_edit(edit), m_entry(entry) {}
    Driver &m_driver;
    Editor &m_edit;
    std::size_t m_entry;
};

} // namespace engine
