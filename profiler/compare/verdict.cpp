#include "profiler/compare/verdict.h"

#include <algorithm>
#include <cmath>

namespace profiler {

Change changeOf(const ComparedRow &row)
{
    if (!row.significant || !row.isPaired()) return Change::Same;
    return row.relative > 0 ? Change::Worse : row.relative < 0 ? Change::Better : Change::Same;
}

Verdict verdictOf(const Comparison &comparison)
{
    Verdict verdict;
    for (const ComparedRow &row : comparison.functions) {
        if (!row.isPaired()) continue;
        const auto most = [](const ComparedRow &one) { return std::max(one.a.ns, one.b.ns); };
        if (!verdict.function || most(row) > most(*verdict.function)) verdict.function = &row;
    }
    for (const ComparedRow &row : comparison.applies) {
        if (row.isPaired()) {
            ++verdict.paired;
            verdict.largestNs = std::max(verdict.largestNs, std::abs(row.deltaNs));
        } else if (row.a.present != row.b.present) {
            ++(row.a.present ? verdict.onlyA : verdict.onlyB);
        }
    }
    if (!verdict.function) return verdict;
    verdict.change = changeOf(*verdict.function);
    const double a = verdict.function->a.nsPerCall, b = verdict.function->b.nsPerCall;
    if (a > 0 && b > 0) verdict.factor = std::max(a / b, b / a);
    return verdict;
}

} // namespace profiler
