#pragma once

#include "profiler/session/codec/body_rows.h"
#include "views/session/session_data.h"

namespace views {

/// The body of a Composite as a session holds it; the graph is made when somebody asks for it. Any thread.
class BodyGraph {
public:
    BodyGraph(profiler::GraphInfo info, profiler::PackedBody body, std::shared_ptr<const std::vector<profiler::SourceLink>> links,
              std::shared_ptr<const profiler::StringTable> texts);

    /// The same at every call.
    std::shared_ptr<const GraphData> graph() const;
    std::shared_ptr<const Links> links() const;

private:
    profiler::GraphInfo m_info;
    profiler::PackedBody m_body;
    std::shared_ptr<const std::vector<profiler::SourceLink>> m_sourceLinks;
    std::shared_ptr<const profiler::StringTable> m_texts;
    mutable std::mutex m_mutex; // guards what is made
    mutable std::shared_ptr<const GraphData> m_graph;
    mutable std::shared_ptr<const Links> m_links;
};

} // namespace views
