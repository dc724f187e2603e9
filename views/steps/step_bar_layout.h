// Where segments, ticks and the scrubber of the step bar stand: pure geometry.
#pragma once

#include <QString>

#include <vector>

namespace views {

// How a phase is written for people: BLAS, in-place.
[[nodiscard]] QString phaseTitle(const QString &phase);

struct StepTick {
    QString phase; // canonical: of Theme::phase
    bool changed = true;
};

struct StepSegment {
    QString phase;
    int firstStep = 1;
    int count = 0;
    double left = 0;
    double width = 0;
};

struct StepBarGeometry {
    std::vector<StepSegment> segments; // runs of one phase, in order
    double width = 0;

    // Centre of a step's tick; step 0, as written, is the left end.
    [[nodiscard]] double xOf(int step) const;
    [[nodiscard]] int stepAt(double x) const;    // the nearest
    [[nodiscard]] int segmentOf(int step) const; // -1 for step 0
    [[nodiscard]] int stepCount() const;
    // Ticks of a segment would stand closer than 3 px: a density bar says it instead.
    [[nodiscard]] bool isDense(int segment) const;
};

// ticks[i] belongs to step i + 1. Width goes by the number of changes, at least 24 px, gap 2.
[[nodiscard]] StepBarGeometry layOutSteps(const std::vector<StepTick> &ticks, double width);

} // namespace views
