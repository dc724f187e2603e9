#include "views/session/body_graph.h"

#include "profiler/session/store/reader.h"
#include "views/session/links.h"

namespace views {

BodyGraph::BodyGraph(profiler::GraphInfo info, profiler::PackedBody body, std::shared_ptr<const std::vector<profiler::SourceLink>> links,
                     std::shared_ptr<const profiler::StringTable> texts)
    : m_info(std::move(info)), m_body(std::move(body)), m_sourceLinks(std::move(links)), m_texts(std::move(texts))
{}

std::shared_ptr<const GraphData> BodyGraph::graph() const
{
    const std::lock_guard lock(m_mutex);
    if (m_graph) return m_graph;
    auto graph = std::make_shared<GraphData>();
    graph->info = m_info;
    graph->sourceLinks = m_sourceLinks;
    try {
        const std::vector<profiler::Edit> edits = m_body.import.edits.all();
        std::vector<profiler::ApplyRow> applies = profiler::applyRows(m_info.id, edits, *m_texts);
        graph->origins = profiler::originRows(m_body, applies);
        graph->applies = std::move(applies);
        graph->variables = profiler::variableRows(m_info.id, edits, *m_texts);
        graph->replica = std::make_shared<const profiler::GraphReplica>(m_info.id, m_texts, std::vector{m_body.import});
        graph->final = graph->replica; // it has no other step
        graph->steps = std::vector{m_body.import.info};
        graph->lineage = profiler::lineageOf(std::span(&m_body.import, 1));
    } catch (const profiler::SessionError &) {
        graph->replica = graph->final = nullptr; // damaged: as one whose steps were not kept
    }
    m_graph = std::move(graph);
    return m_graph;
}

std::shared_ptr<const Links> BodyGraph::links() const
{
    const std::shared_ptr<const GraphData> of = graph();
    const std::lock_guard lock(m_mutex);
    if (!m_links) m_links = std::make_shared<const Links>(of);
    return m_links;
}

} // namespace views
