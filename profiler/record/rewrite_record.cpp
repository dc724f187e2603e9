#include "profiler/record/rewrite_record.h"

#include "engine/rewrite/registry.h"

#include <utility>

namespace profiler {

void recordCatalogue(SessionWriter &writer)
{
    std::vector<RewriteInfo> rows;
    for (const engine::RewriteInfo *from : engine::allRewrites()) {
        RewriteInfo row;
        row.name = from->name;
        row.phase = engine::nameOf(from->phase);
        row.position = from->position;
        for (const std::string &tag : from->tags) row.tags += (row.tags.empty() ? "" : ",") + tag;
        row.why = from->why;
        row.hurts = from->whenItHurts;
        if (!from->examples.empty()) {
            row.exampleBefore = from->examples.front().before;
            row.exampleAfter = from->examples.front().after;
        }
        rows.push_back(std::move(row));
    }
    writer.addRewrites(std::move(rows));
}

namespace {

ApplyId because(engine::ApplyId id) { return id == engine::kNoApply ? kNoApply : ApplyId{engine::raw(id)}; }

// Of an apply inside a kernel: that one stands in the way where no other is named.
ApplyId because(const engine::WhyNot &last)
{
    return because(last.because == engine::kNoApply && last.about != last.apply ? last.about : last.because);
}

} // namespace

void recordDeclines(SessionWriter &writer, GraphId graph, int stepCount, const engine::RewriteReport &report, std::size_t mostDeclines)
{
    constexpr std::size_t kPortion = 4096;
    std::vector<DeclineReason> reasons;
    std::vector<Decline> declines;
    for (const engine::RewriteCounts &counts : report.rewrites) {
        for (const auto &[reason, count] : counts.declines)
            reasons.push_back({graph, counts.info->name, std::string(reason), static_cast<std::int64_t>(count)});
        for (const engine::DeclineSample &sample : counts.samples)
            declines.push_back({graph, counts.info->name, ApplyId{engine::raw(sample.apply)}, stepCount, std::string(sample.reason), false,
                                because(sample.because)});
    }
    bool fits = true;
    std::size_t handedOver = 0;
    std::int64_t left = 0;
    for (engine::ApplyId apply : report.whyNot ? report.whyNot->applies() : std::vector<engine::ApplyId>()) {
        if (!fits) {
            ++left;
            continue;
        }
        for (const engine::WhyNot &last : report.whyNotFor(apply))
            declines.push_back({graph, last.info->name, ApplyId{engine::raw(last.apply)}, stepCount, std::string(last.reason), true, because(last)});
        if (declines.size() < kPortion) continue;
        handedOver += declines.size();
        fits = writer.addDeclines(std::exchange(declines, {})) && handedOver < mostDeclines;
    }
    if (!declines.empty()) writer.addDeclines(std::move(declines));
    if (left > 0) writer.countDrop("applies without their declines", left, "declines of its graph or of the session have reached their limit");
    std::vector<RewriteCount> rows;
    for (const engine::RewriteCounts &from : report.rewrites) {
        RewriteCount row;
        row.graph = graph;
        row.rewrite = from.info->name;
        row.tried = static_cast<std::int64_t>(from.tried);
        row.applied = static_cast<std::int64_t>(from.fired);
        row.failed = static_cast<std::int64_t>(from.failed);
        for (const auto &[reason, count] : from.declines) row.declined += static_cast<std::int64_t>(count);
        row.ns = static_cast<std::int64_t>(from.nanoseconds);
        row.nodesCreated = static_cast<std::int64_t>(from.nodesCreated);
        rows.push_back(std::move(row));
    }
    writer.setRewriteCounts(std::move(rows));
    writer.setDeclineReasons(std::move(reasons));
}

} // namespace profiler
