// Phases → passes → rewrites of one graph as plain rows.
#pragma once

#include "profiler/session/model/model_rewrite.h"
#include "views/session/shared_words.h"

#include <QString>

#include <vector>

namespace views {

struct GraphData;

struct StepRow {
    enum class Kind { Phase, Pass, Step, Group }; // Group: the same rewrite several times in a row
    Kind kind = Kind::Phase;
    QString name;
    QString phase; // canonical
    int step = -1; // number, or first below
    int pass = -1;
    int changes = 0;
    int nodes = 0; // difference
    std::int64_t ns = 0;
    QString reason;
    int parent = -1;
    int place = 0; // among its siblings
    std::vector<int> children;
};

struct StepRows {
    explicit StepRows(const GraphData &graph);
    // steps[0] is the import.
    StepRows(const std::vector<profiler::StepInfo> &steps, std::vector<profiler::PassInfo> passes);

    std::vector<StepRow> rows;
    std::vector<int> top;
    std::vector<int> rowOfStep;
    int stepCount = 0; // that have a row

private:
    int add(StepRow row, int parent);
    int addStep(const profiler::StepInfo &step, int number, int holder, SharedWords &words);
};

} // namespace views
