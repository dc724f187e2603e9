#include "tests/profiler/session/fixture.h"

#include "tests/profiler/session/fixture_logreg.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace profiler::fixture {

namespace {

constexpr FunctionId kTrain{0};
constexpr FunctionId kPredict{1};
constexpr FunctionId kLayers{2};

struct Timed {
    ApplyId apply;
    double meanNs;
    ApplyStats stats;
};

double guessNs(const std::string &exact)
{
    if (exact.rfind("CGemv", 0) == 0) return 52000;
    if (exact.find("softplus") != std::string::npos) return 7400;
    if (exact.find("sigmoid") != std::string::npos) return 3100;
    if (exact.rfind("Sum", 0) == 0) return 420;
    if (exact.rfind("Elemwise", 0) == 0) return 650;
    return 90;
}

} // namespace

struct FixtureSession::State {
    FixtureOptions options;
    std::vector<FunctionInfo> functions;
    std::vector<std::vector<Timed>> timed; // by function
    std::uint64_t noise = 0x9e3779b97f4a7c15u;
    std::int64_t clockNs = 400'000'000;

    double random()
    { // 0..1, always the same sequence
        noise ^= noise << 13;
        noise ^= noise >> 7;
        noise ^= noise << 17;
        return static_cast<double>(noise >> 11) * 0x1p-53;
    }
};

FixtureSession::FixtureSession(const std::string &path, FixtureOptions options) : m_state(std::make_shared<State>())
{
    m_state->options = options;
    SessionStart start;
    start.crotonVersion = "0.1.0";
    start.label = kLabel;
    start.command = "croton profile logistic.py --rate 0.1 -o logistic.croton";
    start.script = {kScriptPath, kScript, {"--rate", "0.1"}};
    m_writer = SessionWriter::create(path, start, options.writer);
    describeRun();
    addGraphs();
    addCalls(options.calls);
    m_writer->addOutput(1, "[False False  True False  True  True False  True False False]\n");
    if (options.finish) {
        m_writer->finish(0);
        m_writer.reset();
    }
}

void FixtureSession::describeRun()
{
    SessionWriter &out = *m_writer;
    out.addSource({kScriptPath, kScript});
    out.setFlags({{"floatX", "float32", "THEANO_FLAGS"},
                  {"device", "cpu", "default"},
                  {"mode", "FAST_RUN", "default"},
                  {"allow_gc", "True", "default"}});
    out.setMachine({{"cpu", "made-up processor"}, {"cores", "2"}, {"memory_bytes", "8589934592"}});
    out.setEnvironment();
    out.setRoofs({{"cpu", "flops.float32", 9.6e10, "flop/s"}, {"cpu", "bandwidth.memory", 1.2e10, "B/s"}});
    out.setDevices(
        {{"cpu", "made-up processor", true, "", 8589934592}, {"cuda0", "", false, "no CUDA driver: libcuda.so.1 is missing", 0}});
    out.addRewrites(catalogue());
    out.addLanes({{0, LaneKind::Host, "cpu", "main thread"}, {1, LaneKind::Compiler, "cpu", "gcc"}});
    out.addMessage({1'000'000, Severity::Info, "device=cpu: no GPU was asked for", "", "", {}, {}, {}, {}});
    Message warning;
    warning.timeNs = 90'000'000;
    warning.severity = Severity::Warning;
    warning.text = "the loss of line 16 is returned but never used";
    warning.hint = "leave it out of the outputs to save one kernel";
    warning.source = {kScriptPath, 16};
    out.addMessage(warning);
}

void FixtureSession::addGraphs()
{
    SessionWriter &out = *m_writer;
    const bool layers = m_state->options.extraNodes > 0;
    for (const FunctionId id : {kTrain, kPredict, kLayers}) {
        if (id == kLayers && !layers) continue;
        const GraphId graphId{raw(id) + 1};
        FunctionInfo function;
        function.id = id;
        function.name = id == kTrain ? "train" : id == kPredict ? "predict" : "layers";
        function.location = {kScriptPath, id == kTrain ? 20 : 22};
        function.mode = "FAST_RUN";
        function.linker = "croton";
        function.device = "cpu";
        function.graph = graphId;
        function.state = "compiling";
        function.createdNs = 60'000'000 + 40'000'000 * static_cast<std::int64_t>(raw(id));
        out.setFunction(function);
        GraphInfo info;
        info.id = graphId;
        info.function = id;
        info.label = function.name;
        FixtureGraph graph(out, info, kScriptPath);
        if (id == kLayers) buildLayers(graph, m_state->options.extraNodes);
        else buildLogisticRegression(graph, id == kTrain ? Part::Train : Part::Predict);

        function.appliesOriginal = graph.originalCount();
        function.appliesOptimized = graph.liveCount();
        function.stepCount = graph.stepCount();
        function.state = "ready";
        function.compile.graphNs = 700'000;
        function.compile.optimizerNs = graph.optimizerNs();
        function.compile.validateNs = graph.optimizerNs() / 20;
        function.compile.makeThunkNs = 900'000;
        function.compile.linkerNs = 38'000'000;
        function.compile.totalNs = function.compile.graphNs + function.compile.optimizerNs + function.compile.linkerNs;
        if (id == kTrain) function.updates = {{VariableId{1}, 2, "w"}, {VariableId{2}, 3, "b"}};
        function.inputs = {{VariableId{0}, "x", "TensorType(float32, matrix)", VariableKind::Shared},
                           {VariableId{1}, "w", "TensorType(float32, vector)", VariableKind::Shared},
                           {VariableId{2}, "b", "TensorType(float32, scalar)", VariableKind::Shared}};
        m_state->functions.push_back(function);
        out.setFunction(function);

        std::vector<Timed> timed;
        std::vector<PlanItem> items;
        std::vector<BufferRow> buffers;
        std::vector<Kernel> kernels;
        PlanInfo plan;
        plan.function = id;
        plan.key = "x float32 (400, 784) C";
        std::int64_t offset = 0;
        int position = 0;
        for (const ApplyId apply : graph.order()) {
            const std::string &exact = graph.exact(apply);
            Timed one{apply, guessNs(exact), {}};
            one.stats.function = id;
            one.stats.graph = graphId;
            one.stats.apply = apply;
            one.stats.tier = exact.rfind("CGemv", 0) == 0 ? "library" : "compiled";
            timed.push_back(one);
            const bool view = exact.rfind("InplaceDimShuffle", 0) == 0;
            const bool inplace = exact.find("[(0, ") != std::string::npos || exact == "CGemv{inplace}";
            items.push_back({id, 0, position, graphId, apply, -1, view ? "view" : exact.rfind("CGemv", 0) == 0 ? "library" : "kernel"});
            BufferRow buffer;
            buffer.function = id;
            buffer.graph = graphId;
            buffer.variable = graph.outputOf(apply);
            buffer.apply = apply;
            buffer.buffer = position;
            buffer.bytes = exact.find("{1,0}") != std::string::npos ? 400 * 784 * 4 : 1600;
            buffer.offset = view || inplace ? -1 : offset;
            buffer.device = "cpu";
            buffer.kind = view ? BufferKind::View : inplace ? BufferKind::Inplace : BufferKind::Created;
            buffer.from = position;
            buffer.to = position + 3;
            if (view || inplace) buffer.of = graph.inputsOf(apply).empty() ? kNoVariable : graph.inputsOf(apply)[0];
            else offset += 1600;
            buffer.shape = "(400,)";
            buffer.strides = "(4,)";
            buffers.push_back(buffer);
            if (exact.rfind("Elemwise{Composite", 0) == 0)
                kernels.push_back({id, graphId, apply, "C", "kernel_" + std::to_string(raw(apply)),
                                   "/* made up */\nvoid kernel_" + std::to_string(raw(apply)) +
                                       "(long n, const float *a, float *o)\n{\n    for (long i = 0; i < n; "
                                       "++i)\n        o[i] = a[i];\n}\n",
                                   "-O3 -march=native", "00000000", false, 21'000'000});
            ++position;
        }
        plan.arenaBytes = plan.peakBytes = offset;
        plan.peakNoInplaceBytes = offset * 2;
        plan.peakNoGcBytes = offset + 800;
        plan.noReuseBytes = offset * 3;
        plan.measuredPeakBytes = offset;
        if (id != kLayers) out.setPlan(plan, std::move(items), std::move(buffers));
        out.addKernels(std::move(kernels));

        // The body of the first fused apply, as a nested graph.
        for (const Timed &one : timed) {
            if (graph.exact(one.apply).rfind("Elemwise{Composite", 0) != 0) continue;
            GraphInfo inner;
            inner.id = GraphId{100 + raw(id)};
            inner.function = id;
            inner.parentGraph = graphId;
            inner.parentApply = one.apply;
            inner.kind = GraphKind::Composite;
            inner.label = "Composite body";
            FixtureGraph body(out, inner, kScriptPath);
            const int line = graph.linesOf(one.apply).empty() ? 14 : graph.linesOf(one.apply)[0];
            const VariableId i0 = body.input(VariableKind::Input, "i0", "Scalar(float32)");
            const VariableId t0 = body.add({"sigmoid", "sigmoid", "theano.scalar.basic.Sigmoid", {}, {}}, {i0}, "Scalar(float32)", line);
            const VariableId half = body.constant("0.5", "Scalar(float32)");
            body.output(body.add({"GT", "gt", "theano.scalar.basic.GT", {}, {}}, {t0, half}, "Scalar(bool)", line));
            out.addBodies({body.asBody({{ApplyId{4}}, {ApplyId{8}}})});
            break;
        }
        m_state->timed.push_back(std::move(timed));
    }
}

void FixtureSession::addCalls(int calls)
{
    State &state = *m_state;
    std::vector<Event> events;
    const auto one = [&](std::size_t index) {
        FunctionInfo &function = state.functions[index];
        const std::int64_t begin = state.clockNs;
        std::int64_t thunks = 0;
        const bool first = function.run.calls == 0;
        for (Timed &timed : state.timed[index]) {
            double ns = timed.meanNs * (0.85 + 0.3 * state.random());
            if (state.random() > 0.98) ns *= 2.5; // now and then something else ran on the core
            const auto took = static_cast<std::int64_t>(ns) + (first ? 5000 : 0);
            ApplyStats &stats = timed.stats;
            stats.minNs = stats.calls == 0 ? took : std::min(stats.minNs, took);
            stats.maxNs = std::max(stats.maxNs, took);
            stats.totalNs += took;
            stats.sumSquares += static_cast<double>(took) * static_cast<double>(took);
            stats.histogram.add(took);
            ++stats.calls;
            Event event;
            event.startNs = begin + 800 + thunks;
            event.durationNs = took;
            event.function = function.id;
            event.call = function.run.calls;
            event.graph = function.graph;
            event.apply = timed.apply;
            events.push_back(event);
            thunks += took;
        }
        Event call;
        call.kind = EventKind::Call;
        call.startNs = begin;
        call.durationNs = thunks + 2600;
        call.function = function.id;
        call.call = function.run.calls;
        events.push_back(call);
        FunctionCalls &run = function.run;
        if (first) run.firstCallNs = begin;
        ++run.calls;
        run.totalNs += call.durationNs;
        run.vmNs += thunks + 1500;
        run.thunkNs += thunks;
        state.clockNs = begin + call.durationNs + 3000;
        run.lastCallNs = state.clockNs;
    };
    for (int i = 0; i < calls; ++i) one(0);
    if (calls > 0)
        for (std::size_t index = 1; index < state.functions.size(); ++index) one(index);
    m_writer->addEvents(std::move(events));
    writeStats();
}

void FixtureSession::writeStats()
{
    std::vector<ApplyStats> rows;
    for (const auto &function : m_state->timed)
        for (const Timed &timed : function)
            if (timed.stats.calls > 0) rows.push_back(timed.stats);
    m_writer->setApplyStats(std::move(rows));
    for (const FunctionInfo &function : m_state->functions) m_writer->setCalls(function.id, function.run);
    const FunctionInfo &train = m_state->functions[0];
    Progress progress;
    progress.activity = "running";
    progress.function = train.id;
    progress.call = train.run.calls;
    progress.timeNs = m_writer->nowNs();
    m_writer->setProgress(progress);
}

} // namespace profiler::fixture
