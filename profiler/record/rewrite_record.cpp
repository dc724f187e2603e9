#include "profiler/record/rewrite_record.h"

#include "engine/rewrite/machine/registry.h"

#include <string_view>
#include <unordered_map>
#include <utility>

namespace profiler {

void recordCatalogue(SessionWriter &writer, std::unordered_set<const engine::RewriteInfo *> &known)
{
    const auto all = engine::allRewrites();
    if (known.size() == all.size()) return;
    std::vector<RewriteInfo> rows;
    for (const engine::RewriteInfo *from : all) {
        if (!known.insert(from).second) continue;
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
        row.code = {from->file, from->line};
        rows.push_back(std::move(row));
    }
    writer.addRewrites(std::move(rows));
}

namespace {

constexpr std::size_t kBookBytes = 1u << 20; // of what waits for the writing thread, about

ApplyId because(engine::ApplyId id) { return id == engine::kNoApply ? kNoApply : ApplyId{engine::raw(id)}; }

// Of an apply inside a kernel: that one stands in the way where no other is named.
ApplyId because(const engine::WhyNot &last)
{
    return because(last.because == engine::kNoApply && last.about != last.apply ? last.about : last.because);
}

// The last words on every apply, as many as are to be kept: a big graph has millions.
void recordLastWords(SessionWriter &writer, GraphId graph, int stepCount, const engine::WhyNotBook &book, std::size_t most)
{
    constexpr std::size_t kPortion = 1024;
    std::unordered_map<const char *, StringId> numbers; // the texts stay where they are
    const auto numberOf = [&](std::string_view text) {
        const auto [place, isNew] = numbers.try_emplace(text.data());
        if (isNew) place->second = writer.intern(text);
        return place->second;
    };
    std::vector<LastDeclines> rows;
    std::size_t words = 0;
    std::int64_t left = 0;
    bool fits = true;
    for (engine::ApplyId apply : book.applies()) {
        if (!fits) {
            ++left;
            continue;
        }
        LastDeclines &row = rows.emplace_back(LastDeclines{graph, ApplyId{engine::raw(apply)}, stepCount, {}});
        for (const engine::WhyNot &last : book.about(apply))
            row.words.push_back({numberOf(last.info->name), numberOf(last.reason), because(last)});
        words += row.words.size();
        if (row.words.empty()) rows.pop_back();
        if (rows.size() == kPortion || words >= most) fits = writer.addLastDeclines(std::exchange(rows, {})) && words < most;
    }
    if (!rows.empty()) writer.addLastDeclines(std::move(rows));
    if (left > 0)
        writer.countDrop("applies without their declines", left, "declines of its graph or of the session have reached their limit");
}

} // namespace

void recordDeclines(SessionWriter &writer, GraphId graph, int stepCount, const engine::RewriteReport &report, std::size_t mostDeclines)
{
    std::vector<DeclineReason> reasons;
    std::vector<Decline> samples;
    for (const engine::RewriteCounts &counts : report.rewrites) {
        for (const auto &[reason, count] : counts.declines)
            reasons.push_back({graph, counts.info->name, std::string(reason), static_cast<std::int64_t>(count)});
        for (const engine::DeclineSample &sample : counts.samples)
            samples.push_back({graph, counts.info->name, ApplyId{engine::raw(sample.apply)}, stepCount, std::string(sample.reason), false,
                               because(sample.because)});
    }
    writer.addDeclines(std::move(samples));
    if (report.whyNot)
        writer.later([graph, stepCount, book = report.whyNot,
                      mostDeclines](SessionWriter &out) { recordLastWords(out, graph, stepCount, *book, mostDeclines); },
                     kBookBytes);
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
