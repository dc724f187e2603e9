#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "app/studio/costs.h"
#include "app/studio/graph_scenes.h"
#endif
#include "views/common/selection_hub.h"

#include <QWidget>

#include <memory>

class QCheckBox;
class QSplitter;
class QStackedWidget;
class QToolButton;
class QVBoxLayout;

namespace views {
class EmptyState;
class LabeledCombo;
class NoticeStrip;
class OperationsView;
class SegmentedSwitch;
class StepBar;
class StepCard;
} // namespace views

namespace app {

class BottomStrip;
class CodePanel;
class GraphPane;

/// Centre of the Graph workspace: original | optimized over the step bar, the strip and what opens below it.
class GraphPage : public QWidget {
    Q_OBJECT
public:
    explicit GraphPage(views::SelectionHub &hub, QWidget *parent = nullptr);

    /// Shows a graph; null shows why there is none.
    void setScenes(std::shared_ptr<GraphScenes> scenes, const QString &function, const QString &mode,
                   const QString &whyNot);
    /// The same graph with new numbers.
    void refreshScenes(std::shared_ptr<GraphScenes> scenes);
    /// Follows the hub's selection: rings, counterparts, step.
    void follow(views::SelectionParts changed);
    void followLinked();
    /// One canvas and the before/after card instead of two canvases.
    void setStepsMode(bool on);
    bool stepsMode() const { return m_stepsMode; }

    GraphPane *originalPane() const { return m_original; }
    GraphPane *optimizedPane() const { return m_optimized; }
    /// The canvas a command (fit, search, export) is meant for.
    GraphPane *activePane() const;
    views::StepBar *stepBar() const { return m_stepBar; }
    BottomStrip *strip() const { return m_strip; }
    views::OperationsView *operations() const { return m_operations; }
    CodePanel *code() const { return m_code; }
    void openBottom(const QString &id);
    void setOverlay(views::Overlay overlay);
    bool isSettled() const;
    void settle();
    int shownStep() const;

Q_SIGNALS:
    void scaleChanged(double scale);
    void contextMenuRequested(const views::NodeRef &node, const QPoint &globalPos);
    void settled();
    void runRequested();

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void connectPane(GraphPane *pane, views::Side side);
    void rebuild(bool fresh, int fromStep);
    void retitle();
    void refreshCard();
    void arrange();
    QSet<views::SceneKey> keysOf(const QSet<views::NodeRef> &nodes, views::Side side);

    views::SelectionHub &m_hub;
    std::shared_ptr<GraphScenes> m_scenes;
    QString m_function;
    QString m_mode;
    QSet<views::SceneKey> m_openOriginal;
    QSet<views::SceneKey> m_openOptimized;
    QSet<views::SceneKey> m_addedOriginal, m_addedOptimized; ///< selected beside the hub's node, by shift
    views::Linked m_addedLinks;
    int m_step = views::Selection::kLastStep;
    bool m_stepsMode = false;
    bool m_narrow = false;
    GraphPane *m_original;
    GraphPane *m_optimized;
    QSplitter *m_canvases;
    QSplitter *m_vertical;
    QVBoxLayout *m_upper;
    views::StepBar *m_stepBar;
    views::StepCard *m_card;
    views::SegmentedSwitch *m_side;
    QWidget *m_sideBar;
    QCheckBox *m_linked;
    QToolButton *m_ghosts;
    views::LabeledCombo *m_overlay;
    BottomStrip *m_strip;
    QStackedWidget *m_bottom;
    views::OperationsView *m_operations;
    CodePanel *m_code;
};

} // namespace app
