// What `croton expr` says to programs.

#include "app/cli/expr/expr_parts.h"
#include "engine/text/graph_document.h"
#include "profiler/export/json_text.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace app {

namespace {

using Json = nlohmann::ordered_json;

Json asJson(const engine::Tensor &tensor)
{
    Json data = Json::array();
    const std::int64_t count = std::min<std::int64_t>(tensor.size(), 100'000);
    for (std::int64_t i = 0; i < count; ++i) {
        if (tensor.dtype() == engine::DType::Bool) data.push_back(tensor.intAt(i) != 0);
        else if (engine::isInteger(tensor.dtype())) data.push_back(tensor.intAt(i));
        else if (const double value = tensor.at(i); std::isfinite(value)) data.push_back(value);
        else data.push_back(std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    }
    std::vector<std::int64_t> shape(tensor.shape().begin(), tensor.shape().end());
    return {{"dtype", engine::nameOf(tensor.dtype())}, {"shape", shape}, {"data", std::move(data)}};
}

Json lines(const std::string &text)
{
    Json list = Json::array();
    std::istringstream all(text);
    for (std::string line; std::getline(all, line);)
        if (!line.empty()) list.push_back(line);
    return list;
}

} // namespace

std::string exprJson(const ExprOutcome &outcome, const ExprRequest &request)
{
    Json all{{"expression", request.text}, {"mode", request.mode.name}};
    all["inputs"] = Json::array();
    for (std::size_t i = 0; i < outcome.inputs.size(); ++i) {
        Json one{{"name", outcome.parsed.inputs[i]->name()},
                 {"type", outcome.parsed.inputs[i]->type().text()},
                 {"random", outcome.inputs[i].random}};
        one["value"] = asJson(outcome.inputs[i].tensor);
        all["inputs"].push_back(std::move(one));
    }
    all["original"] = {{"applies", outcome.original->liveApplyCount()},
                       {"pp", lines(prettyOf(outcome.parsed.outputs, request))},
                       {"graph", Json::parse(engine::writeGraphDocument(*outcome.original))}};
    all["steps"] = Json::array();
    for (const engine::Step &step : outcome.steps)
        all["steps"].push_back({{"phase", step.phase},
                                {"pass", step.pass},
                                {"rewrite", step.rewrite},
                                {"reason", step.reason},
                                {"ns", step.nanoseconds},
                                {"before", step.appliesBefore},
                                {"after", step.appliesAfter}});
    all["optimized"] = {{"applies", outcome.optimizedApplies},
                        {"pp", lines(prettyOf(outcome.optimized.outputs, request))},
                        {"graph", Json::parse(outcome.optimizedDocument)}};
    all["values"] = Json::array();
    for (const engine::Value &value : outcome.values) all["values"].push_back(asJson(value.tensor()));
    all["calls"] = {{"count", outcome.timing.calls}, {"meanNs", outcome.timing.meanNs}, {"fastestNs", outcome.timing.fastestNs}};
    if (!request.session.empty()) all["session"] = request.session;
    return profiler::jsonText(all);
}

} // namespace app
