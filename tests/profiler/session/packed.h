// A step as a session keeps it.
#pragma once

#include "profiler/session/codec/edit_codec.h"
#include "profiler/session/store/writer.h"

namespace profiler {

inline StepFacts packed(SessionWriter &writer, const Step &step)
{
    StepFacts facts;
    facts.graph = step.info.graph;
    facts.index = step.info.index;
    facts.phase = writer.intern(step.info.phase.str());
    facts.pass = step.info.pass;
    facts.rewrite = writer.intern(step.info.rewrite.str());
    facts.reason = writer.intern(step.info.reason.str());
    facts.ns = step.info.ns;
    facts.nodesBefore = step.info.nodesBefore;
    facts.nodesAfter = step.info.nodesAfter;
    facts.matched = encodeApplies(step.info.matched);
    facts.produced = encodeApplies(step.info.produced);
    facts.lineage = encodeLineage(step.lineage);
    const std::vector<Edit> edits = step.edits.all();
    facts.editCount = static_cast<int>(edits.size());
    facts.edits = encodeEdits(edits);
    return facts;
}

} // namespace profiler
