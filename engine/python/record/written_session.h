#pragma once
// croton._record.Session and Graph: what croton.session.Writer writes through.

#include "profiler/record/recorder.h"

#include <pybind11/pybind11.h>

#include <memory>

// `recorder`: the one that is at work, or none.
void addWrittenSessions(pybind11::module_ &module, const std::unique_ptr<profiler::Recorder> &recorder);
