#include "profiler/stats/advice.h"

#include "profiler/stats/scope.h"

namespace profiler {

namespace {

std::string flagOf(const ProfileData &data, const std::string &name) {
    for (const Flag &flag : data.flags)
        if (flag.name == name)
            return flag.value;
    return {};
}

bool endsWith(const std::string &text, const std::string &end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

} // namespace

std::vector<Advice> advise(const ProfileData &data) {
    std::vector<Advice> result;
    if (flagOf(data, "floatX") == "float64")
        result.push_back({"float32", "Try the Theano flag floatX=float32", "floatX is float64", {}});
    const auto functions = calledFunctionsByGraph(data, {});
    Advice dot{"dot", "a Dot of two matrices did not become BLAS: give both inputs the same float dtype",
               "", {}};
    Advice random{"random", "RandomFunction is slow: use MRG_RandomStreams", "", {}};
    for (const ApplyRow &apply : data.applies) {
        if (!apply.inOptimized || !functions.contains(raw(apply.graph)))
            continue;
        if (endsWith(apply.opClass, ".Dot")) {
            dot.evidence += (dot.evidence.empty() ? "" : ", ") + apply.label;
            dot.nodes.push_back({apply.graph, apply.apply});
        }
        if (endsWith(apply.opClass, ".RandomFunction")) {
            random.evidence += (random.evidence.empty() ? "" : ", ") + apply.label;
            random.nodes.push_back({apply.graph, apply.apply});
        }
    }
    if (!dot.nodes.empty())
        result.push_back(dot);
    if (!random.nodes.empty())
        result.push_back(random);
    return result;
}

} // namespace profiler
