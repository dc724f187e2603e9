#pragma once
// What a lesson can ask a session: facts by name, about one function of it, put together in small expressions.
//   applies(first)   share("CGemv") > 50   in("hungry", peak()) / peak()

#include "profiler/lessons/value.h"
#include "profiler/session/store/replica.h"
#include "profiler/stats/machine/costs.h"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>

namespace profiler {

// What cannot be answered, in one sentence: a word that is unknown, a step that is not there, an op that nobody used.
class FactError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class SessionReader;

class SessionFacts {
public:
    using ReplicaOf = std::function<GraphReplica(GraphId)>; // at any step
    // What is given must stay while it is asked.
    SessionFacts(const ProfileData &data, const Costs &costs, std::string printed, ReplicaOf replicaOf);
    ~SessionFacts();

    // The function that facts are about; empty: the one that took most time. Throws FactError when there is none of that name.
    void setFunction(const std::string &name);
    [[nodiscard]] const FunctionInfo &function() const;

    // The value of an expression. Throws FactError.
    [[nodiscard]] Value value(const std::string &expression);
    // Whether it is a number other than 0. Throws FactError.
    [[nodiscard]] bool holds(const std::string &expression);
    // The number of the step that a place names ("first", "12", "before/rewrite/local_log1p"). Throws FactError.
    [[nodiscard]] int step(const std::string &place);
    // The graph of the function at a step.
    [[nodiscard]] const GraphReplica &graphAt(int step);
    // False: the picture of a step writes it into the node that reads it, as it does with what only brings a constant into shape.
    [[nodiscard]] bool isDrawn(ApplyId apply, int step);
    // The apply of the graph at a step that a name means: an op's name, exact or friendly, or of its class; NAME/2 is the second.
    [[nodiscard]] ApplyId node(const std::string &name, int step);

    [[nodiscard]] const ProfileData &data() const { return m_data; }
    [[nodiscard]] const Costs &costs() const { return m_costs; }
    [[nodiscard]] const std::string &printed() const { return m_printed; }
    [[nodiscard]] const FunctionCosts &functionCosts() const;

private:
    const ProfileData &m_data;
    const Costs &m_costs;
    std::string m_printed;
    ReplicaOf m_replicaOf;
    std::map<GraphId, GraphReplica> m_replicas;
    const FunctionInfo *m_function = nullptr;
};

// A session from its file, with all that facts are made of. Throws SessionError.
struct LessonSession {
    explicit LessonSession(const std::string &path);
    ~LessonSession();
    std::unique_ptr<SessionReader> reader;
    ProfileData data;
    std::unique_ptr<Costs> costs;
    std::unique_ptr<SessionFacts> facts;
};

// One fact, for the page that lists them.
struct FactInfo {
    std::string call; // "applies(PLACE[, OP])"
    std::string says;
};
[[nodiscard]] std::vector<FactInfo> allFacts();

// One of them: its name, how it is written, what it says, and the function that answers.
struct Fact {
    const char *name;
    const char *call;
    const char *says;
    std::size_t least, most; // arguments
    Value (*answer)(SessionFacts &facts, const std::vector<Value> &arguments);
    const char *otherwise = ""; // of nodes: what is said of one that is not among them
};
[[nodiscard]] const Fact *findFact(std::string_view name); // nullptr: there is none
[[nodiscard]] std::span<const Fact> graphFacts();          // of graphs and steps
[[nodiscard]] std::span<const Fact> runFacts();            // of times, memory, flags and what was printed

// Whether an op is meant by a name: exact, friendly, or the last part of its class.
[[nodiscard]] bool isNamed(const std::string &name, const std::string &op, const std::string &friendly, const std::string &opClass);

} // namespace profiler
