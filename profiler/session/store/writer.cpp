#include "profiler/session/store/writer.h"

#include "profiler/session/codec/edit_codec.h"
#include "profiler/session/store/files.h"
#include "profiler/session/store/reader.h"
#include "profiler/session/store/writer_impl.h"

#include <cstdlib>
#include <utility>

namespace profiler {

namespace {

constexpr std::size_t kPortionBytes = 1u << 20;     // of steps that are handed over at once
constexpr std::size_t kMostNumberedText = 1u << 20; // of what has a number

// Names of variables that change what a run does; nothing else of the environment is kept.
constexpr const char *kEnvironment[] = {
    "THEANO_FLAGS",
    "CROTON_FLAGS",
    "THEANORC",
    "CROTON_PYTHON",
    "OMP_NUM_THREADS",
    "OPENBLAS_CORETYPE",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "CROTON_CPU_LEVEL",
    "CROTON_BLAS_CORE",
    "CROTON_SGEMM",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "OCL_ICD_VENDORS",
    "POCL_DEVICES",
    "LANG",
    "LC_ALL",
};

std::string cut(std::string text, std::size_t limit)
{
    if (text.size() > limit) {
        text.resize(limit);
        text += "… (cut)";
    }
    return text;
}

template <class Impl>
void postSteps(Impl &impl, std::vector<StepFacts> steps, std::size_t bytes)
{
    const std::size_t handedOver = steps.size();
    std::erase_if(steps, [&impl](const StepFacts &step) { return impl.isCut(step.graph); });
    if (steps.size() < handedOver) impl.countDrop("steps", static_cast<std::int64_t>(handedOver - steps.size()), kSlowDisk);
    std::vector<GraphId> graphs;
    for (const StepFacts &step : steps)
        if (graphs.empty() || graphs.back() != step.graph) graphs.push_back(step.graph);
    const std::size_t count = steps.size();
    const bool isTaken = impl.post(
        [&impl, steps = std::move(steps)](Tables &tables) {
            std::size_t fitting = 0;
            bool fits = true; // none may follow one that does not
            for (const StepFacts &step : steps) {
                const bool alsoThis =
                    impl.admit(impl.kept.stepBytes, step.edits.size(), impl.options.maxStepBytes, "bytes of steps") == step.edits.size();
                fits = fits && alsoThis;
                fitting += fits;
            }
            tables.all<StepFacts>(std::span(steps).first(fitting));
        },
        bytes, "steps", count);
    for (GraphId graph : graphs)
        if (!isTaken) impl.cut(graph);
}

// A session that somebody is writing must not be pulled away from under them.
void refuseLive(const std::string &path)
{
    if (!fileExists(path)) return;
    bool live = false;
    try {
        live = SessionReader::open(path)->info().state == SessionState::Running;
    } catch (const SessionError &) {
        // not a readable session: it is replaced
    }
    if (live) throw SessionError(path + " is being written by another run", "wait for it, or record elsewhere with -o");
}

} // namespace

std::unique_ptr<SessionWriter> SessionWriter::create(const std::string &path, const SessionStart &start, WriterOptions options)
{
    refuseLive(path);
    const bool staged = options.forceStaging || onNetworkFileSystem(path);
    const std::string file = staged ? uniquePath(temporaryFolder(), "croton-session") : path;
    std::unique_ptr<SessionWriter> writer(new SessionWriter(std::make_unique<Impl>(path, file, start, std::move(options))));
    Impl &impl = *writer->m_impl;
    SessionWriter *self = writer.get();
    impl.thread = std::thread([&impl, self] { impl.loop(self); });
    return writer;
}

SessionWriter::SessionWriter(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}

SessionWriter::~SessionWriter()
{
    if (m_impl->isForeign()) {
        (void)m_impl.release(); // NOLINT(bugprone-unused-return-value)
        return;
    }
    finish(-1, "the process ended early");
}

const std::string &SessionWriter::path() const { return m_impl->path; }
std::int64_t SessionWriter::nowNs() const { return steadyNs() - m_impl->startNs; }
std::int64_t SessionWriter::toSessionNs(std::int64_t steadyClockNs) const { return steadyClockNs - m_impl->startNs; }

StringId SessionWriter::intern(std::string_view text)
{
    if (text.empty() || m_impl->isForeign()) return kEmptyString;
    text = text.substr(0, kMostNumberedText);
    const std::lock_guard lock(m_impl->mutex);
    return m_impl->numbers.ofText(text);
}

ChainId SessionWriter::chainOf(ChainId caller, const SourceRef &line, StringId function)
{
    if (m_impl->isForeign()) return kNoChain;
    const std::lock_guard lock(m_impl->mutex);
    return m_impl->numbers.ofChain(caller, line, function);
}

void SessionWriter::later(std::function<void(SessionWriter &)> work, std::size_t bytes)
{
    m_impl->post([this, work = std::move(work)](Tables &) { work(*this); }, bytes);
}

void SessionWriter::setMeta(const std::string &key, const std::string &value)
{
    m_impl->post([=](Tables &tables) { tables.meta(key, value); });
}

void SessionWriter::setFlags(std::vector<Flag> flags) { m_impl->postRows(std::move(flags)); }

void SessionWriter::setMachine(std::vector<NameValue> machine) { m_impl->postRows(std::move(machine), "machine"); }

void SessionWriter::setEnvironment()
{
    std::vector<NameValue> found;
    for (const char *name : kEnvironment)
        if (const char *value = std::getenv(name)) found.push_back({name, value});
    m_impl->postRows(std::move(found), "environment");
}

void SessionWriter::setRoofs(std::vector<Roof> roofs) { m_impl->postRows(std::move(roofs)); }

void SessionWriter::setDevices(std::vector<DeviceInfo> devices) { m_impl->postRows(std::move(devices)); }

void SessionWriter::setClocks(std::vector<Clock> clocks) { m_impl->postRows(std::move(clocks)); }

void SessionWriter::addSource(SourceFile source)
{
    source.text = cut(std::move(source.text), m_impl->options.maxSourceBytes);
    const std::size_t bytes = source.text.size();
    m_impl->post([source = std::move(source)](Tables &tables) { tables.insert(source); }, bytes);
}

void SessionWriter::addRewrites(std::vector<RewriteInfo> rewrites) { m_impl->postRows(std::move(rewrites)); }

void SessionWriter::setFunction(FunctionInfo function)
{
    m_impl->post([function = std::move(function)](Tables &tables) { tables.function(function); });
}

void SessionWriter::setGraph(GraphInfo graph)
{
    m_impl->post([graph = std::move(graph)](Tables &tables) { tables.insert(graph); });
}

void SessionWriter::addSteps(std::vector<StepFacts> steps)
{
    if (m_impl->silent()) return;
    std::vector<StepFacts> portion;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        bytes += sizeof(StepFacts) + 128 + steps[i].edits.size();
        portion.push_back(std::move(steps[i]));
        if (bytes < kPortionBytes && i + 1 < steps.size()) continue;
        postSteps(*m_impl, std::move(portion), bytes);
        portion.clear();
        bytes = 0;
    }
}

void SessionWriter::addPasses(std::vector<PassInfo> passes, std::vector<PassRewrite> rewrites)
{
    m_impl->postRows(std::move(passes));
    m_impl->postRows(std::move(rewrites));
}

void SessionWriter::setRewriteCounts(std::vector<RewriteCount> rows) { m_impl->postRows(std::move(rows)); }

void SessionWriter::setApplies(std::vector<ApplyFacts> rows) { m_impl->postRows(std::move(rows)); }

void SessionWriter::setApplyCosts(std::vector<CostFacts> rows) { m_impl->postPages(std::move(rows)); }

void SessionWriter::setApplyGroups(GraphId graph, std::vector<ApplyGroup> groups)
{
    const std::size_t bytes = bytesOf(groups);
    m_impl->post([graph, groups = std::move(groups)](Tables &tables) { tables.groups(graph, groups); }, bytes);
}

void SessionWriter::setVariables(std::vector<VariableFacts> rows) { m_impl->postPages(std::move(rows)); }

void SessionWriter::setVariableSizes(std::vector<VariableSize> rows) { m_impl->postPages(std::move(rows)); }

void SessionWriter::addBodies(std::vector<BodyFacts> bodies)
{
    std::vector<GraphInfo> graphs;
    std::vector<StepFacts> imports;
    std::vector<BodyOrigins> origins;
    for (BodyFacts &body : bodies) {
        if (!body.origins.empty()) origins.push_back({body.info.id, encodeOrigins(body.origins)});
        graphs.push_back(std::move(body.info));
        imports.push_back(std::move(body.import));
    }
    m_impl->postRows(std::move(graphs));
    addSteps(std::move(imports));
    m_impl->postRows(std::move(origins));
}

void SessionWriter::setLineShares(std::vector<LineShare> rows) { m_impl->postPages(std::move(rows)); }

void SessionWriter::setChainShares(std::vector<ChainShare> rows) { m_impl->postPages(std::move(rows)); }

void SessionWriter::setDocuments(GraphDocuments documents)
{
    m_impl->postPages(std::move(documents.ops));
    m_impl->postPages(std::move(documents.leaves));
}
void SessionWriter::setVariableChains(std::vector<VariableChain> rows) { m_impl->postPages(std::move(rows)); }

void SessionWriter::setDeclineReasons(std::vector<DeclineReason> reasons) { m_impl->postRows(std::move(reasons)); }

void SessionWriter::addDeclines(std::vector<Decline> samples)
{
    samples.resize(m_impl->admit(m_impl->kept.declines, samples.size(), m_impl->options.maxDeclines, "declines"));
    if (samples.empty()) return;
    const std::size_t bytes = bytesOf(samples), count = samples.size();
    m_impl->post(
        [impl = m_impl.get(), samples = std::move(samples)](Tables &tables) {
            if (impl->hasRoom("declines", samples.size())) tables.all<Decline>(samples);
        },
        bytes, "declines", count);
}

bool SessionWriter::addLastDeclines(std::vector<LastDeclines> rows)
{
    std::size_t wanted = 0;
    for (const LastDeclines &row : rows) wanted += row.words.size();
    const std::size_t count = m_impl->admit(m_impl->kept.declines, wanted, m_impl->options.maxDeclines, "declines");
    std::size_t left = count;
    for (LastDeclines &row : rows) {
        row.words.resize(std::min(row.words.size(), left));
        left -= row.words.size();
    }
    std::erase_if(rows, [](const LastDeclines &row) { return row.words.empty(); });
    const std::size_t bytes = bytesOf(rows) + count * sizeof(LastWord);
    if (!rows.empty())
        m_impl->post(
            [impl = m_impl.get(), count, rows = std::move(rows)](Tables &tables) {
                if (impl->hasRoom("declines", count)) tables.all<LastDeclines>(rows);
            },
            bytes, "declines", count);
    return count == wanted;
}

void SessionWriter::addKernels(std::vector<Kernel> kernels)
{
    std::size_t bytes = bytesOf(kernels);
    const std::size_t count = kernels.size();
    for (Kernel &kernel : kernels) {
        kernel.source = cut(std::move(kernel.source), m_impl->options.maxSourceBytes);
        bytes += kernel.source.size();
    }
    m_impl->post(
        [impl = m_impl.get(), kernels = std::move(kernels)](Tables &tables) {
            if (impl->hasRoom("kernels", kernels.size())) tables.all<Kernel>(kernels);
        },
        bytes, "kernels", count);
}

void SessionWriter::setPlan(PlanInfo plan, std::vector<PlanItem> items, std::vector<BufferRow> buffers)
{
    const std::size_t bytes = bytesOf(items) + bytesOf(buffers);
    m_impl->post(
        [plan = std::move(plan), items = std::move(items), buffers = std::move(buffers)](Tables &tables) {
            tables.insert(plan);
            tables.pages<PlanItem>(items, 0, true);
            tables.pages<BufferRow>(buffers, 0, true);
        },
        bytes);
}

void SessionWriter::setPlanUse(const PlanInfo &plan)
{
    m_impl->post([plan](Tables &tables) { tables.update<PlanUse>(plan, "WHERE function=? AND plan=?", plan.function, plan.plan); });
}

} // namespace profiler
