#include "profiler/record/text_numbers.h"

#include "engine/device/device.h"
#include "engine/graph/op/op_card.h"
#include "engine/text/graph_document.h"
#include "profiler/session/model/names.h"

#include <string>
#include <vector>

namespace profiler {

const TextNumbers::OfOp &TextNumbers::of(const engine::Op &op)
{
    const auto [place, isNew] = m_ops.try_emplace(&op);
    if (isNew)
        place->second = {m_writer.intern(op.name()),
                         m_writer.intern(op.friendlyName()),
                         m_writer.intern(op.shownModule() + "." + op.shownClass()),
                         m_writer.intern(op.runsCompiled(m_compiles) ? "C" : "Py"),
                         m_writer.intern(engine::deviceOf(op.worksOn()).info().name),
                         valueOf<OpRole>(engine::nameOf(op.card().role))};
    return place->second;
}

StringId TextNumbers::documentOf(const engine::Op &op)
{
    constexpr std::size_t kLargest = 1 << 20;
    const auto [place, isNew] = m_documents.try_emplace(&op, kEmptyString);
    if (!isNew) return place->second;
    const std::string document = engine::writeOpDocument(op);
    if (document.size() <= kLargest) place->second = m_writer.intern(document);
    return place->second;
}

const TextNumbers::OfType &TextNumbers::of(engine::Type type)
{
    const auto [place, isNew] = m_types.try_emplace(&type.text());
    if (!isNew) return place->second;
    place->second.text = m_writer.intern(type.text());
    if (type.isTensor()) {
        const std::string detailed = type.detailedText();
        place->second.dtype = m_writer.intern(engine::nameOf(type.dtype()));
        place->second.shape = m_writer.intern(std::string_view(detailed).substr(detailed.find(' ') + 1));
    }
    return place->second;
}

const TextNumbers::OfTrace &TextNumbers::of(engine::TraceId trace)
{
    if (const auto known = m_traces.find(trace); known != m_traces.end()) return known->second;
    std::vector<engine::TraceId> calls; // that are not known yet
    for (engine::TraceId call = trace; call != engine::TraceId::None && !m_traces.contains(call); call = engine::callerOf(call))
        calls.push_back(call);
    for (; !calls.empty(); calls.pop_back()) {
        const engine::SourceLine &line = engine::sourceLine(calls.back());
        const engine::TraceId caller = engine::callerOf(calls.back());
        const ChainId above = caller == engine::TraceId::None ? kNoChain : m_traces.at(caller).chain;
        OfTrace one{{}, above};
        if (line.line > 0) {
            one.line = {m_writer.intern(line.file), static_cast<std::uint32_t>(line.line)};
            one.chain = m_writer.chainOf(above, one.line, m_writer.intern(line.function));
        }
        m_traces.emplace(calls.back(), one);
    }
    return m_traces[trace];
}

StringId TextNumbers::of(std::string_view text)
{
    const auto [place, isNew] = m_texts.try_emplace(text.data());
    if (isNew || place->second.first != text.size()) place->second = {text.size(), m_writer.intern(text)};
    return place->second.second;
}

StringId TextNumbers::ofName(const engine::FunctionGraph &graph, std::uint32_t name)
{
    if (name == 0) return kEmptyString;
    const auto [place, isNew] = m_names.try_emplace(name);
    if (isNew) place->second = m_writer.intern(graph.nameById(name));
    return place->second;
}

const std::string &ShapeTexts::of(const engine::Dims &shape)
{
    std::uint64_t mixed = shape.size();
    for (const std::int64_t size : shape) mixed = mixed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(size);
    Known &known = m_known[mixed >> 32 & (m_known.size() - 1)];
    if (known.text.empty() || known.shape != shape) known = {shape, shape.text()};
    return known.text;
}

} // namespace profiler
