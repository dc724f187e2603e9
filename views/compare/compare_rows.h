#pragma once

#include "profiler/compare/device_pairs.h"
#include "profiler/compare/explanation.h"
#include "profiler/compare/text_diff.h"
#include "profiler/compare/verdict.h"
#include "views/common/text_table.h"
#include "views/session/session_data.h"

#include <QString>

namespace views {

/// What one side of a comparison is.
struct CompareSideText {
    QString path;
    QString title;  ///< "logistic_regression.py"
    QString apart;  ///< what is set otherwise there: "float32, FAST_COMPILE"
    QString detail; ///< "device cpu · FAST_RUN · 12 applies · 1 000 calls"
    QString figure; ///< per call of the function that speaks
};

enum class CompareTable : std::uint8_t { Applies, Functions, OnlyInOne, Settings, Script, Classes, Devices };

/// What makes the two comparable, or not.
struct CompareCheck {
    bool good = true;
    QString sentence;
};

/// Two sessions and what is said of them. Immutable; made in the reading thread.
struct CompareRows {
    CompareRows(const std::string &pathA, const std::string &pathB); ///< throws profiler::SessionError

    CompareSideText a, b;
    profiler::Comparison comparison;
    profiler::Verdict verdict;
    profiler::Explanation explanation;         ///< of the function that speaks
    std::vector<profiler::DevicePair> devices; ///< of it, too
    std::shared_ptr<const SessionData> sessionA, sessionB;
    std::vector<profiler::DiffLine> script;
    int scriptChanges = 0;

    QString headline() const; ///< "B is 2.22 × slower"
    QString sentence() const; ///< "train takes 194.4 µs more a call"
    QString reading() const;  ///< how it was judged, and what else is to know
    std::vector<CompareCheck> checks() const;
    int count(CompareTable table) const;
    /// A row's key is its place in the comparison.
    TextTable table(CompareTable table) const;
    const profiler::ComparedRow *row(CompareTable table, std::int64_t key) const;

private:
    TextTable settingsTable() const;
    TextTable scriptTable() const;
    TextTable classesTable() const;
    TextTable devicesTable() const;
    TextTable onlyInOneTable() const;
    TextTable measuredTable(CompareTable which) const;
};

} // namespace views
