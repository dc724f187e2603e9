// The list of all rewrites: phases → passes → rewrites, filtered and searched.
#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/model/model_rewrite.h"
#endif
#include "views/session/view_feed.h"

#include <QSortFilterProxyModel>
#include <QWidget>

#include <optional>
#include <set>

class QCheckBox;
class QLineEdit;
class QPushButton;
class QTreeView;

namespace views {

class EmptyState;
class PanelHeader;
class StepsModel;
struct StepRows;

// Hides what changed nothing, what does not match the search, and what did not touch the selected node.
class StepsFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit StepsFilter(QObject *parent = nullptr);
    void setOnlyChanges(bool on);
    void setSearch(const QString &text);
    // Nothing: all steps.
    void setSteps(std::optional<std::set<int>> steps);
    [[nodiscard]] const std::optional<std::set<int>> &steps() const { return m_steps; }

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex &parent) const override;

private:
    bool m_onlyChanges = true;
    QString m_search;
    std::optional<std::set<int>> m_steps;
};

class StepsView : public QWidget {
    Q_OBJECT
public:
    explicit StepsView(SelectionHub &hub, QWidget *parent = nullptr);

    void obey(const Request &request);
    void feed(const ViewFeed &feed);
    // Makes in the reading thread what the list shows.
    static void prepare(const SessionData &session);
    void setRows(std::shared_ptr<const StepRows> rows);
    void search(const QString &text);
    void setSteps(const std::vector<profiler::StepInfo> &steps, std::vector<profiler::PassInfo> passes);
    [[nodiscard]] StepsModel *model() const { return m_model; }
    [[nodiscard]] QTreeView *tree() const { return m_tree; }
    [[nodiscard]] StepsFilter *filter() const { return m_filter; }

protected:
    bool eventFilter(QObject *object, QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void follow();
    void refreshTitle();
    void filterChanged();
    void followLinked();
    void nameButton();
    void moveInList(int rows);
    [[nodiscard]] bool isStop(const QModelIndex &index) const;

    SelectionHub &m_hub;
    StepsModel *m_model;
    StepsFilter *m_filter;
    PanelHeader *m_header;
    QLineEdit *m_search;
    QCheckBox *m_onlyChanges;
    QTreeView *m_tree;
    EmptyState *m_empty;
    QPushButton *m_ofSelection;
    QWidget *m_keys;
    bool m_following = false;
};

} // namespace views
