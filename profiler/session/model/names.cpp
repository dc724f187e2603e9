#include "profiler/session/model/names.h"

namespace profiler {

const char *fateName(Fate fate) { return nameOf(fate); }
const char *variableKindName(VariableKind kind) { return nameOf(kind); }
const char *eventKindName(EventKind kind) { return nameOf(kind); }
const char *laneKindName(LaneKind kind) { return nameOf(kind); }
const char *reasonName(CaptureReason reason) { return nameOf(reason); }
const char *roleName(CapturedRole role) { return nameOf(role); }
const char *kindName(AblationKind kind) { return nameOf(kind); }
const char *severityName(Severity severity) { return nameOf(severity); }
const char *stateName(SessionState state) { return nameOf(state); }

} // namespace profiler
