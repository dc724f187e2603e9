// The words of `croton expr`.

#include "app/cli/commands/worker.h"
#include "app/cli/expr/expr_parts.h"
#include "app/cli/shared/caret.h"
#include "app/cli/shared/output.h"
#include "app/cli/version.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <limits>

namespace app {

namespace {

[[noreturn]] void pointAt(const std::string &text, const engine::NotationError &error)
{
    printErr("%s", caretBelow(text, error.line, error.column).c_str());
    const std::string place = error.line > 1 ? "line " + std::to_string(error.line) + ", column " : "column ";
    throw CliError(place + std::to_string(error.column) + ": " + error.what(), error.hint);
}

} // namespace

std::vector<std::string> namesBetween(const std::string &text, char separator)
{
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        if (end > begin) parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

ExprRequest exprRequest(const Arguments &arguments)
{
    ExprRequest request;
    request.text = arguments.words[0];
    if (request.text == "-") request.text.assign(std::istreambuf_iterator<char>(std::cin), {});
    const auto floatX = engine::dtypeFromName(arguments.get("--floatX", "float64"));
    if (!floatX || !engine::isFloat(*floatX))
        throw UsageError("floatX is float64, float32 or float16, not '" + arguments.get("--floatX") + "'");
    request.floatX = *floatX;
    try {
        request.mode = engine::Mode::named(arguments.get("--mode", "FAST_RUN"));
    } catch (const engine::UserError &error) {
        throw UsageError(error.what(), error.hint());
    }
    request.mode.including = namesBetween(arguments.get("--including"), ':');
    request.mode.excluding = namesBetween(arguments.get("--excluding"), ':');
    request.format = arguments.get("--format");
    const std::vector<std::string> formats{"", "text", "pp", "dot", "json", "svg"};
    if (std::find(formats.begin(), formats.end(), request.format) == formats.end())
        throw UsageError("there is no format '" + request.format + "'", "text, pp, dot, json or svg");
    request.optimizedOnly = arguments.has("--optimized");
    request.types = arguments.has("--types");
    request.json = arguments.has("--json");
    request.timed = arguments.has("--run");
    request.calls = arguments.number("--run", 1, 1);
    request.inputs.values = arguments.get("--values");
    request.inputs.shapes = arguments.get("--shapes");
    request.inputs.size = arguments.number("--size", 4, 0);
    request.inputs.seed = static_cast<std::uint64_t>(arguments.number("--seed", 0, 0, std::numeric_limits<long>::max()));
    request.inputs.floatX = request.floatX;
    const std::string target = arguments.get("-o");
    if (target.ends_with(".croton")) request.session = target;
    else if (!target.empty() && request.format.empty())
        throw UsageError("-o wants a session, for example run.croton", "or say which --format goes into " + target);
    else request.output = target;
    return request;
}

engine::ParsedExpression parsedExpression(const ExprRequest &request)
{
    try {
        return engine::parseExpression(request.text, request.floatX);
    } catch (const engine::NotationError &error) {
        pointAt(request.text, error);
    }
}

engine::FunctionSpec expressionSpec(const engine::ParsedExpression &parsed, const ExprRequest &request)
{
    engine::FunctionSpec spec;
    for (const engine::VarRef &input : parsed.inputs) spec.inputs.push_back({input});
    spec.outputs = parsed.outputs;
    spec.mode = request.mode;
    spec.name = "expression";
    spec.onUnusedInput = engine::OnUnusedInput::Ignore;
    spec.profile = !request.session.empty();
    return spec;
}

profiler::SessionStart expressionStart(const char *command, const ExprRequest &request)
{
    profiler::SessionStart start;
    start.crotonVersion = kVersion;
    start.label = request.text.substr(0, 60);
    start.command = std::string("croton ") + command + " " + shellQuoted({request.text}) + " -o " + shellQuoted({request.session});
    start.script = {"<expression>", request.text, {}};
    return start;
}

} // namespace app
