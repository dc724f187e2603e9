#include "profiler/compare/explanation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace profiler {
namespace {

using Classes = std::unordered_map<ApplyKey, std::string, ApplyKeyHash>;

Classes classesOf(const ProfileData &data)
{
    Classes classes;
    for (const ApplyRow &row : data.applies)
        classes.emplace(ApplyKey{row.graph, row.apply}, classNameOf(row.opClass.empty() ? row.op : row.opClass));
    return classes;
}

} // namespace

Explanation explain(const Comparison &comparison, const ProfileData &a, const ProfileData &b, const std::string &function)
{
    Explanation explanation;
    explanation.function = function;
    const auto whole = std::find_if(comparison.functions.begin(), comparison.functions.end(), [&](const ComparedRow &row) {
        return row.function == function && row.isPaired() && row.a.calls > 0 && row.b.calls > 0;
    });
    if (whole == comparison.functions.end()) return explanation;
    const Classes classesA = classesOf(a), classesB = classesOf(b);
    std::map<std::string, ExplainedPart> parts;
    const auto add = [&parts](const Classes &classes, const ApplyKey &key, double ns, double ExplainedPart::*side) {
        const auto found = classes.find(key);
        ExplainedPart &part = parts[found == classes.end() ? std::string("other") : found->second];
        part.*side += ns;
    };
    // Some applies do not run in each call.
    std::int64_t callsA = 1, callsB = 1;
    for (const ComparedRow &row : comparison.applies) {
        if (row.function != function) continue;
        callsA = std::max(callsA, row.a.calls);
        callsB = std::max(callsB, row.b.calls);
    }
    const auto nsOf = [](const ComparedSide &side, std::int64_t calls) {
        return side.nsPerCall * static_cast<double>(side.calls) / static_cast<double>(calls);
    };
    for (const ComparedRow &row : comparison.applies) {
        if (row.function != function) continue;
        if (row.a.present) add(classesA, row.applyA, nsOf(row.a, callsA), &ExplainedPart::a);
        if (row.b.present) add(classesB, row.applyB, nsOf(row.b, callsB), &ExplainedPart::b);
    }
    for (auto &[name, part] : parts) {
        part.name = name;
        explanation.a += part.a;
        explanation.b += part.b;
        explanation.parts.push_back(part);
    }
    std::stable_sort(explanation.parts.begin(), explanation.parts.end(),
                     [](const ExplainedPart &x, const ExplainedPart &y) { return std::abs(x.deltaNs()) > std::abs(y.deltaNs()); });
    return explanation;
}

} // namespace profiler
