// The numbers that a session gives to texts, without looking at the texts again: a graph names few, each very often.
#pragma once

#include "engine/graph/ir/function_graph.h"
#include "engine/graph/ir/source.h"
#include "profiler/session/store/writer.h"

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace profiler {

/// Of one graph, whose ops and types stay where they are as long as it lives.
class TextNumbers {
public:
    /// `compiles`: the function runs what is compiled of its ops.
    TextNumbers(SessionWriter &writer, bool compiles) : m_writer(writer), m_compiles(compiles) {}

    struct OfOp {
        StringId exact, friendly, className, implementation, device;
        OpRole role;
    };
    const OfOp &of(const engine::Op &op);
    /// What builds it again; empty: it is too large for a session.
    StringId documentOf(const engine::Op &op);
    struct OfType {
        StringId text, dtype, shape; ///< the last two of tensors only
    };
    const OfType &of(engine::Type type);
    struct OfTrace {
        SourceRef line; ///< the innermost of the user's; line 0 where none is known
        ChainId chain = kNoChain;
    };
    const OfTrace &of(engine::TraceId trace);
    /// Of a text that stays where it is.
    StringId of(std::string_view text);
    /// Of a name of the graph.
    StringId ofName(const engine::FunctionGraph &graph, std::uint32_t name);

private:
    SessionWriter &m_writer;
    bool m_compiles;
    std::unordered_map<const engine::Op *, OfOp> m_ops;
    std::unordered_map<const engine::Op *, StringId> m_documents;
    std::unordered_map<const void *, OfType> m_types;
    std::unordered_map<engine::TraceId, OfTrace> m_traces;
    std::unordered_map<const char *, std::pair<std::size_t, StringId>> m_texts;
    std::unordered_map<std::uint32_t, StringId> m_names;
};

/// Texts of shapes, of which a graph has few, each many times one after the other.
class ShapeTexts {
public:
    const std::string &of(const engine::Dims &shape);

private:
    struct Known {
        engine::Dims shape;
        std::string text;
    };
    std::array<Known, 64> m_known;
};

} // namespace profiler
