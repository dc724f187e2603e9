#pragma once

#include "views/profile/cost_table_model.h"

/// Four ops with their applies, by hand: gemv has two applies, the others one.
inline std::vector<views::CostRow> fourOps()
{
    auto row = [](const char *name, double share, double cumulative, double seconds, std::int64_t calls,
                  std::vector<std::int64_t> members) {
        views::CostRow result;
        result.name = QString::fromLatin1(name);
        result.share = share;
        result.cumulative = cumulative;
        result.seconds = seconds;
        result.perCall = seconds / static_cast<double>(calls);
        result.shareOfLargest = share / 0.6;
        result.calls = calls;
        result.applies = static_cast<int>(members.size());
        result.where = QStringLiteral("CPU");
        result.quality = QStringLiteral("host clock");
        result.members = std::move(members);
        return result;
    };
    return {row("CGemv{inplace}", 0.6, 0.6, 0.6, 20, {17, 7}), row("Elemwise{exp,no_inplace}", 0.25, 0.85, 0.25, 10, {9}),
            row("Sum", 0.1, 0.95, 0.1, 1000, {16}), row("Shape_i{0}", 0.05, 1.0, 0.05, 2, {1})};
}
