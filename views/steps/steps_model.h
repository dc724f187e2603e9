// Phases → passes → rewrites of one graph, as a tree for any view.
#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/model_graph.h"
#endif

#include <QAbstractItemModel>

#include <memory>
#include <vector>

namespace views {

class StepsModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { NameColumn, TimeColumn, NodesColumn, ColumnCount };
    enum class Kind { Phase, Pass, Step };
    enum Role {
        KindRole = Qt::UserRole + 1, // Kind
        StepRole,                    // of a step: its number; of a pass or phase: its first step, -1 for none
        PhaseRole,                   // canonical phase
        SortRole,                    // number behind the text
        ChangesRole,                 // steps below
        ReasonRole,
    };

    explicit StepsModel(QObject *parent = nullptr);
    ~StepsModel() override;

    // steps[0] is the import. Replaces everything at once.
    void setSteps(std::vector<profiler::StepInfo> steps, std::vector<profiler::PassInfo> passes);
    [[nodiscard]] QModelIndex indexOfStep(int step) const; // O(1)
    [[nodiscard]] int stepCount() const;
    [[nodiscard]] std::int64_t totalNs() const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex &child) const override;
    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        Kind kind = Kind::Phase;
        QString name;
        QString phase;
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
    int add(Row row, int parent);

    std::vector<Row> m_rows;
    std::vector<int> m_top;
    std::vector<int> m_rowOfStep;
};

} // namespace views
