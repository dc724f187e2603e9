// `croton expr`: an expression in the small notation, what the compiler makes of it, and its value.

#include "app/cli/expr/expr_parts.h"
#include "app/cli/shared/output.h"
#include "engine/tensor/errors.h"
#include "engine/text/graph_document.h"
#include "profiler/record/recorder.h"
#include "profiler/session/store/files.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace app {

namespace {

class Expression {
public:
    explicit Expression(ExprRequest request) : m_request(std::move(request)) {}

    int run()
    {
        engine::setFloatX(m_request.floatX);
        m_outcome.parsed = parsedExpression(m_request);
        const bool compiles = m_request.format.empty() || m_request.optimizedOnly || !m_request.session.empty() || m_request.json ||
                              m_request.timed || !m_request.inputs.values.empty();
        if (!compiles) {
            const engine::FunctionGraph graph(m_outcome.parsed.inputs, m_outcome.parsed.outputs);
            writeOutput(m_request.output, graphInFormat(graph, graph.toposort(), m_request));
            return 0;
        }
        // Values are looked at before anything is written.
        m_outcome.inputs = inputValues(m_outcome.parsed.inputs, m_request.inputs);
        std::optional<profiler::Recorder> recorder;
        if (!m_request.session.empty()) {
            profiler::checkSessionPlace(m_request.session);
            recorder.emplace(m_request.session, expressionStart("expr", m_request));
        }
        try {
            compile();
            show();
            if (!m_request.format.empty() && !m_request.timed && m_request.session.empty() && !m_request.json) return 0;
            call();
        } catch (const std::exception &error) {
            if (recorder) recorder->finish(1, error.what());
            throw;
        }
        m_function.reset();
        if (recorder) recorder->finish(0);
        if (m_request.json) writeOutput({}, exprJson(m_outcome, m_request));
        else if (m_request.format.empty()) writeOutput({}, exprValuesText(m_outcome, m_request));
        return 0;
    }

private:
    void compile()
    {
        m_outcome.original.emplace(m_outcome.parsed.inputs, m_outcome.parsed.outputs);
        m_function = engine::Function::compile(expressionSpec(m_outcome.parsed, m_request));
        const engine::FunctionGraph &graph = m_function->graph();
        m_outcome.optimized = engine::exportGraph(graph, m_function->order());
        m_outcome.optimizerNs = static_cast<double>(m_function->times().optimizerNs);
        m_outcome.steps = graph.journal().steps;
        m_outcome.optimizedApplies = graph.liveApplyCount();
        if (m_request.json) m_outcome.optimizedDocument = engine::writeGraphDocument(graph);
        for (const std::string &warning : m_function->warnings()) printErr("croton: %s\n", warning.c_str());
    }

    void show() const
    {
        if (m_request.json) return;
        if (m_request.format.empty()) writeOutput({}, exprGraphsText(m_outcome, m_request));
        else if (m_request.optimizedOnly) writeOutput(m_request.output, graphInFormat(m_function->graph(), m_function->order(), m_request));
        else writeOutput(m_request.output, graphInFormat(*m_outcome.original, m_outcome.original->toposort(), m_request));
    }

    void call()
    {
        std::vector<engine::Value> inputs;
        for (const InputValue &input : m_outcome.inputs) inputs.emplace_back(input.tensor);
        using Clock = std::chrono::steady_clock;
        double total = 0;
        for (long i = 0; i < m_request.calls; ++i) {
            const auto start = Clock::now();
            m_function->call(inputs, m_outcome.values);
            const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
            m_outcome.timing.fastestNs = i == 0 ? ns : std::min(m_outcome.timing.fastestNs, ns);
            total += ns;
        }
        m_outcome.timing.calls = m_request.calls;
        m_outcome.timing.meanNs = total / static_cast<double>(m_request.calls);
    }

    ExprRequest m_request;
    ExprOutcome m_outcome;
    std::shared_ptr<engine::Function> m_function;
};

int expr(const Arguments &arguments)
{
    try {
        return Expression(exprRequest(arguments)).run();
    } catch (const engine::UserError &error) {
        std::fflush(stdout);
        throw CliError(error.what(), error.hint());
    } catch (const engine::NotationError &error) {
        throw CliError(error.what(), error.hint);
    }
}

} // namespace

Command exprCommand()
{
    Command command;
    command.name = "expr";
    command.words = "'EXPRESSION' | -";
    command.summary = "compile a small expression: both graphs, every rewrite, its value";
    command.details = "The notation: statements end with ';' or a new line. 'x: fmatrix' declares an input, 'y = …' gives a name,\n"
                      "a bare expression is an output; a name that was never declared is a matrix of floatX. Operators are Python's.\n"
                      "    croton expr 'x: fmatrix; y = log(1 + exp(x)); sum(y, axis=0)'\n"
                      "    croton expr 'log(1 + exp(x))' --values 'x = [[1, 2], [3, 1000]]'";
    command.options = {{"--optimized", "", "only the optimized graph"},
                       {"--format", "FORMAT", "only the graph: text, pp, dot, json or svg"},
                       {"--types", "", "types in the text"},
                       {"--values", "VALUES", "values of inputs: 'x = [[1, 2], [3, 4]]; b = 0.5' (others are random)"},
                       {"--shapes", "SHAPES", "sizes of random inputs: 'x = 3x4; b = 4'"},
                       {"--size", "N", "of every axis of a random input that nothing else says (4)"},
                       {"--seed", "N", "of the random inputs (0)"},
                       {"--run", "N", "call it N times and say how long a call takes"},
                       {"--floatX", "DTYPE", "float64 (default), float32 or float16"},
                       {"--mode", "MODE", "FAST_RUN (default), FAST_COMPILE …"},
                       {"--including", "TAGS", "tags or names of rewrites, separated by ':'"},
                       {"--excluding", "TAGS", "the same, to leave out"},
                       {"--json", "", "everything as one JSON object"},
                       {"-o", "FILE", "S.croton: record a session; another name: the output of --format"}};
    command.leastWords = 1;
    command.mostWords = 1;
    command.run = expr;
    return command;
}

} // namespace app
