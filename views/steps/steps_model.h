// Phases → passes → rewrites of one graph, as a tree for any view.
#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/steps/step_rows.h"
#endif

#include <QAbstractItemModel>

#include <memory>
#include <vector>

namespace views {

class StepsModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { NameColumn, TimeColumn, NodesColumn, ColumnCount };
    using Kind = StepRow::Kind;
    enum Role {
        KindRole = Qt::UserRole + 1, // Kind
        StepRole,                    // of a step: its number; of a pass or phase: its first step, -1 for none
        PhaseRole,                   // canonical phase
        SortRole,                    // number behind the text
        ChangesRole,                 // steps below
        ReasonRole,
        StepCountRole,
    };

    explicit StepsModel(QObject *parent = nullptr);
    ~StepsModel() override;

    // Replaces everything at once.
    void setRows(std::shared_ptr<const StepRows> rows);
    void setSteps(const std::vector<profiler::StepInfo> &steps, std::vector<profiler::PassInfo> passes);
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
    std::shared_ptr<const StepRows> m_rows;
};

} // namespace views
