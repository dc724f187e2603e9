// What the journal costs: the same graphs rewritten with and without it, in turns in one run. Expected: at most 5% of the
// compile time. The lineage that is traced from the journal afterwards is counted to it in the last column.
#include "engine/compile/function/function.h"
#include "engine/graph/ir/lineage.h"
#include "engine/rewrite/machine/driver.h"
#include "tests/bench/programs.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

using namespace bench;

namespace {

constexpr int kTurns = 15;

/// Milliseconds of the process; other work on the machine does not count.
double now() { return static_cast<double>(std::clock()) * 1e3 / CLOCKS_PER_SEC; }

Program logisticRegression(int)
{
    VarRef x = input(2, "x"), y = input(1, "y"), w = input(1, "w"), b = input(0, "b");
    const VarRef p = elementwise(ScalarCode::Sigmoid, {add(dot(x, w), b)});
    const VarRef one = constantOf(DType::Float64, 1);
    const VarRef entropy = neg(add(mul(y, engine::log(p)), mul(sub(one, y), engine::log(sub(one, p)))));
    const VarRef cost = add(sum(entropy), sum(sqr(w)));
    const std::vector<VarRef> wrt{w, b};
    std::vector<VarRef> outputs = grad(cost, wrt);
    outputs.push_back(cost);
    return {{x, y, w, b}, outputs};
}

struct Times {
    double rewriting = 1e9, lineage = 1e9;
};

void turn(const Program &program, bool keepJournal, Times &best)
{
    FunctionGraph graph(program.inputs, program.outputs);
    RewriteOptions options;
    options.keepJournal = keepJournal;
    const double start = now();
    const RewriteReport report = rewriteGraph(graph, Mode::named("FAST_RUN"), {}, options);
    const double rewritten = now();
    if (keepJournal) traceLineage(graph);
    best.rewriting = std::min(best.rewriting, rewritten - start);
    best.lineage = std::min(best.lineage, now() - rewritten);
}

double compileTime(const Program &program)
{
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
        FunctionSpec spec;
        for (const VarRef &one : program.inputs) spec.inputs.push_back({one});
        spec.outputs = program.outputs;
        spec.mode = Mode::named("FAST_RUN");
        spec.onUnusedInput = OnUnusedInput::Ignore;
        const double start = now();
        Function::compile(std::move(spec));
        best = std::min(best, now() - start);
    }
    return best;
}

} // namespace

int main()
{
    struct Row {
        const char *name;
        Program (*make)(int);
        int size, repeat;
    };
    const Row rows[] = {{"logistic regression", logisticRegression, 0, 200},
                        {"tanh of dots", tanhOfDots, 10000, 1},
                        {"tree of adds", treeOfAdds, 10000, 1},
                        {"unary chain", unaryChain, 10000, 1},
                        {"add, mul by constants", addMulByConstants, 10000, 1},
                        {"unrolled gradient", unrolledGradient, 10000, 1}};
    std::printf("%-22s %10s %10s %9s %10s %12s %18s\n", "CPU ms, best of 15", "off", "on", "on / off", "compile", "of compile",
                "with lineage");
    for (const Row &row : rows) {
        const Program program = row.make(row.size);
        Times off, on;
        for (int i = 0; i < kTurns * row.repeat; ++i) {
            turn(program, false, off);
            turn(program, true, on);
        }
        const double compile = compileTime(program), extra = on.rewriting - off.rewriting;
        std::printf("%-22s %10.3f %10.3f %9.3f %10.3f %11.1f%% %17.1f%%\n", row.name, off.rewriting, on.rewriting,
                    on.rewriting / off.rewriting, compile, 100 * extra / compile, 100 * (extra + on.lineage) / compile);
    }
}
