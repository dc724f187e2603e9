#include "profiler/lessons/facts.h"

#include "profiler/lessons/words.h"
#include "profiler/session/codec/inlined.h"
#include "profiler/session/store/reader.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace profiler {

namespace {

std::optional<int> wholeNumber(const std::string &text)
{
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
    return number;
}

std::vector<std::string> parts(const std::string &text)
{
    std::vector<std::string> words;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t slash = std::min(text.find('/', at), text.size());
        words.push_back(text.substr(at, slash - at));
        at = slash + 1;
    }
    return words;
}

} // namespace

SessionFacts::SessionFacts(const ProfileData &data, const Costs &costs, std::string printed, ReplicaOf replicaOf)
    : m_data(data), m_costs(costs), m_printed(std::move(printed)), m_replicaOf(std::move(replicaOf))
{
    setFunction({});
}

SessionFacts::~SessionFacts() = default;

void SessionFacts::setFunction(const std::string &name)
{
    const FunctionInfo *found = nullptr;
    std::vector<std::string> names;
    for (const FunctionInfo &each : m_data.functions) {
        names.push_back(each.name);
        if (name.empty() ? !found || found->run.thunkNs < each.run.thunkNs : !found && each.name == name) found = &each;
    }
    if (!found && !name.empty()) throw FactError("there is no function '" + name + "' in the session; there are: " + listOf(names));
    m_function = found;
}

const FunctionInfo &SessionFacts::function() const
{
    if (!m_function) throw FactError("the session has no compiled function");
    return *m_function;
}

const FunctionCosts &SessionFacts::functionCosts() const
{
    const FunctionCosts *costs = m_costs.of(function().id);
    if (!costs) throw FactError("the function '" + function().name + "' was never called");
    return *costs;
}

const GraphReplica &SessionFacts::graphAt(int step)
{
    const GraphId graph = function().graph;
    auto found = m_replicas.find(graph);
    if (found == m_replicas.end()) {
        if (graph == kNoGraph) throw FactError("the graph of '" + function().name + "' was not recorded");
        found = m_replicas.emplace(graph, m_replicaOf(graph)).first;
    }
    found->second.goTo(std::clamp(step, 0, found->second.stepCount()));
    return found->second;
}

int SessionFacts::step(const std::string &place)
{
    const GraphReplica &graph = graphAt(0);
    const int last = graph.stepCount();
    if (place == "first") return 0;
    if (place == "last" || place.empty()) return last;
    if (const auto number = wholeNumber(place)) {
        if (*number > last) throw FactError("there is no step " + place + "; '" + function().name + "' has " + std::to_string(last));
        return *number;
    }
    std::vector<std::string> words = parts(place);
    const bool before = words[0] == "before", after = words[0] == "after";
    if (before || after) words.erase(words.begin());
    if (words.size() < 2 || words.size() > 3 || (words[0] != "phase" && words[0] != "rewrite"))
        throw FactError("'" + place +
                        "' names no step: write first, last, a number, phase/NAME or rewrite/NAME, with before/ or after/ in front");
    const bool isPhase = words[0] == "phase";
    std::optional<int> which;
    if (words.size() == 3 && !(which = wholeNumber(words[2]))) throw FactError("'" + words[2] + "' in '" + place + "' is no number");
    std::vector<int> steps;
    std::vector<std::string> names;
    for (int i = 1; i <= last; ++i) {
        const StepInfo &info = graph.stepInfo(i);
        const std::string &name = isPhase ? info.phase : info.rewrite;
        if (name == words[1]) steps.push_back(i);
        else if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    if (steps.empty())
        throw FactError("no step of '" + function().name + "' belongs to the " + words[0] + " '" + words[1] +
                        "'; there are: " + listOf(names));
    if (which && (*which < 1 || *which > static_cast<int>(steps.size())))
        throw FactError("'" + words[1] + "' has " + std::to_string(steps.size()) + " steps, there is no number " + words[2]);
    const int found = which ? steps[static_cast<std::size_t>(*which - 1)] : after ? steps.back() : steps.front();
    return before ? found - 1 : found;
}

bool SessionFacts::isDrawn(ApplyId apply, int step)
{
    const GraphReplica &graph = graphAt(step);
    const ReplicaApply *node = graph.apply(apply);
    return !node || !node->live || !isInlined(graph, *node);
}

ApplyId SessionFacts::node(const std::string &name, int step)
{
    const GraphReplica &graph = graphAt(step);
    std::string wanted = name;
    int which = 1;
    if (const std::size_t slash = name.rfind('/'); slash != std::string::npos)
        if (const auto number = wholeNumber(name.substr(slash + 1)); number && *number > 0) {
            wanted = name.substr(0, slash);
            which = *number;
        }
    std::vector<std::string> names;
    int seen = 0;
    for (const ApplyId id : graph.applies()) {
        const ReplicaApply &apply = *graph.apply(id);
        const std::string &friendly = graph.text(apply.friendly);
        if (isNamed(wanted, graph.text(apply.op), friendly, graph.text(apply.opClass)) && ++seen == which) return id;
        if (std::find(names.begin(), names.end(), friendly) == names.end()) names.push_back(friendly);
    }
    throw FactError("there is no node '" + name + "' in '" + function().name + "' at step " + std::to_string(graph.step()) +
                    "; its ops are: " + listOf(names));
}

bool isNamed(const std::string &name, const std::string &op, const std::string &friendly, const std::string &opClass)
{
    const std::size_t dot = opClass.rfind('.');
    // "neg" of "Elemwise{neg,no_inplace}", whose friendly name is a sign.
    const std::string inner = "Elemwise{" + name;
    return (op.starts_with(inner) && (op[inner.size()] == ',' || op[inner.size()] == '}')) || name == op || name == friendly ||
           name == (dot == std::string::npos ? opClass : opClass.substr(dot + 1)) ||
           (friendly.starts_with(name) && friendly[name.size()] == '{');
}

LessonSession::LessonSession(const std::string &path) : reader(SessionReader::open(path)), data(loadProfile(*reader))
{
    costs = std::make_unique<Costs>(data);
    std::string printed;
    for (const OutputText &output : reader->outputs())
        if (output.stream == 1) printed += output.text;
    facts = std::make_unique<SessionFacts>(data, *costs, std::move(printed), [this](GraphId graph) { return reader->replica(graph); });
}

LessonSession::~LessonSession() = default;

} // namespace profiler
