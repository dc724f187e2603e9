#include "profiler/session/store/reader.h"

#include <algorithm>
#include <tuple>

namespace profiler {

namespace {

// Members that are beside each other, as groups.
void appendMember(std::vector<ApplyGroup> &groups, GraphId graph, int number, ApplyId apply)
{
    if (groups.empty() || groups.back().group != number) groups.push_back({graph, number, {}, {}});
    groups.back().applies.push_back(apply);
}

std::vector<ApplyGroup> groupsThatRan(std::span<const PlanItem> items) // the latest plan of each function first
{
    std::vector<PlanItem> grouped(items.begin(), items.end());
    std::erase_if(grouped, [](const PlanItem &item) { return item.group < 0; });
    std::ranges::stable_sort(grouped, {}, [](const PlanItem &item) { return std::tuple(item.plan, item.group, item.position); });
    std::vector<ApplyGroup> ran;
    for (const PlanItem &item : grouped)
        appendMember(ran, item.graph, std::clamp(item.group, 0, 0xffff) + std::clamp(item.plan, 0, 0x7fff) * 0x10000, item.apply);
    return ran;
}

} // namespace

std::vector<ApplyGroup> groupsOf(std::span<const GroupMember> members, std::span<const PlanItem> items)
{
    std::vector<ApplyGroup> groups;
    for (const GroupMember &one : members) {
        appendMember(groups, one.graph, one.group, one.apply);
        groups.back().rewrite = one.rewrite;
    }
    std::unordered_map<ApplyId, std::size_t> groupOf;
    const auto learn = [&](std::size_t index) {
        for (ApplyId id : groups[index].applies) groupOf.emplace(id, index);
    };
    for (std::size_t i = 0; i < groups.size(); ++i) learn(i);
    for (ApplyGroup &one : groupsThatRan(items)) {
        one.runsAsOne = true;
        const auto known = groupOf.find(one.applies.front());
        if (known != groupOf.end()) {
            groups[known->second].runsAsOne |= groups[known->second].applies == one.applies;
            continue;
        }
        one.group = static_cast<int>(groups.size());
        groups.push_back(std::move(one));
        learn(groups.size() - 1);
    }
    return groups;
}

} // namespace profiler
