// A replica as text that is equal exactly when two graphs are: ids, names, ops, inputs, outputs, clients, sources.
#pragma once

#include "profiler/session/store/replica.h"

namespace profiler {

inline std::string quoted(const std::string &text)
{
    std::string result = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c == '\n' ? ' ' : c;
    }
    return result + '"';
}

inline std::string canonicalDump(const GraphReplica &replica)
{
    std::string out;
    const auto add = [&out](VariableId id) { out += " v" + std::to_string(raw(id)); };
    const auto addSources = [&](const auto &sources) {
        for (const SourceRef &source : sources) out += " @" + quoted(replica.text(source.file)) + ":" + std::to_string(source.line);
    };
    const auto addPairs = [&out](const char *what, const auto &pairs) {
        for (const PortPair &pair : pairs) out += std::string(" ") + what + std::to_string(pair.output) + "<" + std::to_string(pair.input);
    };
    out += "inputs";
    for (VariableId id : replica.inputs()) add(id);
    out += "\noutputs";
    for (VariableId id : replica.outputs()) add(id);
    out += '\n';
    for (VariableId id : replica.variables()) {
        const ReplicaVariable &node = *replica.variable(id);
        out += "v" + std::to_string(raw(id)) + " kind" + std::to_string(static_cast<int>(node.kind)) + " " +
               quoted(replica.text(node.name)) + " " + quoted(replica.text(node.type)) + " " + quoted(replica.text(node.value));
        if (node.owner != kNoApply) out += " of a" + std::to_string(raw(node.owner)) + "." + std::to_string(node.ownerPort);
        addSources(node.sources);
        out += " clients";
        for (const auto &[apply, port] : node.clients) out += " a" + std::to_string(raw(apply)) + "." + std::to_string(port);
        out += '\n';
    }
    for (ApplyId id : replica.applies()) {
        const ReplicaApply &node = *replica.apply(id);
        out += "a" + std::to_string(raw(id)) + " " + quoted(replica.text(node.op)) + " " + quoted(replica.text(node.friendly)) + " " +
               quoted(replica.text(node.opClass)) + " " + quoted(replica.text(node.device)) + " in";
        for (VariableId input : node.inputs) add(input);
        out += " out";
        for (VariableId output : node.outputs) add(output);
        addPairs("view", node.views);
        addPairs("destroy", node.destroys);
        addSources(node.sources);
        out += '\n';
    }
    return out;
}

} // namespace profiler
