#pragma once
// `croton expr`: what was asked, what compiling and calling gave, and how it is told.

#include "app/cli/expr/expr_inputs.h"
#include "app/cli/shared/command.h"
#include "engine/compile/function/function.h"
#include "engine/text/notation.h"
#include "engine/text/print.h"
#include "profiler/record/recorder.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace app {

struct ExprRequest {
    std::string text;
    engine::DType floatX = engine::DType::Float64;
    engine::Mode mode;
    std::string format; // empty: everything, for people
    bool optimizedOnly = false;
    bool types = false;
    bool json = false;
    long calls = 1;
    bool timed = false;
    InputSource inputs;
    std::string session;
    std::string output;
};

struct ExprTiming {
    long calls = 0;
    double meanNs = 0;
    double fastestNs = 0;
};

struct ExprOutcome {
    engine::ParsedExpression parsed;
    std::vector<InputValue> inputs;
    std::optional<engine::FunctionGraph> original;
    engine::ExportedGraph optimized;
    engine::BigVector<engine::Step> steps;
    double optimizerNs = 0;
    std::size_t optimizedApplies = 0;
    std::string optimizedDocument; // for JSON only
    std::vector<engine::Value> values;
    ExprTiming timing;
};

// expr_request.cpp: throws UsageError for words that say nothing.
[[nodiscard]] ExprRequest exprRequest(const Arguments &arguments);
[[nodiscard]] std::vector<std::string> namesBetween(const std::string &text, char separator);
// Shows the place of an error on stderr and throws CliError.
[[nodiscard]] engine::ParsedExpression parsedExpression(const ExprRequest &request);
// What compiles it, and what its session begins with; `command`: the subcommand that was given.
[[nodiscard]] engine::FunctionSpec expressionSpec(const engine::ParsedExpression &parsed, const ExprRequest &request);
[[nodiscard]] profiler::SessionStart expressionStart(const char *command, const ExprRequest &request);

// expr_text.cpp: for people, and one graph in the format that was asked for.
[[nodiscard]] std::string prettyOf(const std::vector<engine::VarRef> &outputs, const ExprRequest &request);
[[nodiscard]] std::string graphInFormat(const engine::FunctionGraph &graph, std::span<const engine::ApplyId> order,
                                        const ExprRequest &request);
[[nodiscard]] std::string exprGraphsText(const ExprOutcome &outcome, const ExprRequest &request);
[[nodiscard]] std::string exprValuesText(const ExprOutcome &outcome, const ExprRequest &request);

// expr_json.cpp: everything as one object.
[[nodiscard]] std::string exprJson(const ExprOutcome &outcome, const ExprRequest &request);

} // namespace app
