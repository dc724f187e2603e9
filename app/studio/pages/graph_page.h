#pragma once

#include "app/studio/window/view_host.h"
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "views/graph/scene_job.h"
#endif

#include <QWidget>

#include <memory>

class QCheckBox;
class QSplitter;
class QToolButton;

namespace views {
class GraphCanvas;
class GraphPane;
class LabeledCombo;
class SegmentedSwitch;
class StepBar;
class StepCard;
} // namespace views

namespace app {

class PictureWriter;

/// The page of the workspaces Graph and Steps: original | optimized over the step bar, or one canvas over what a step changed.
class GraphPage : public QWidget, public Settling, public HasPanes {
    Q_OBJECT
public:
    explicit GraphPage(views::SelectionHub &hub, QWidget *parent = nullptr);

    void feed(const views::ViewFeed &feed);
    void obey(const views::Request &request);
    views::GraphPane *originalPane() const { return m_original; }
    views::GraphPane *optimizedPane() const { return m_optimized; }
    /// The canvas a command (fit, search, export) is meant for.
    views::GraphPane *activePane() const;
    views::StepBar *stepBar() const { return m_stepBar; }
    int shownStep() const { return m_steps.shown; }
    /// The node of the optimized graph that takes longest; of a closed group what takes longest in it.
    views::NodeRef hottest() const;
    void setOverlay(views::Overlay overlay);
    /// As the command line and commands call what colours nodes.
    static QStringList overlayNames();
    void setFold(views::FoldChoice choice);
    bool isSettled() const override;
    void settle() override;
    std::vector<QWidget *> panes() const override;

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void connectPane(views::GraphPane *pane, views::Side side);
    void openMenu(views::GraphPane &pane, views::Side side, views::SceneKey key, const QPoint &at);
    void exportPicture(bool partOnly = false);
    void copyPicture(bool partOnly);
    void showGraph(const views::ViewFeed &feed);
    void showNothing(const QString &whyNot, const QString &action);
    /// What the page wants to see as it stands.
    views::SceneWish wishNow() const;
    void show(views::SceneAnswer answer);
    /// Follows the hub's selection: rings, counterparts, step.
    void follow(views::SelectionParts changed);
    void select(views::SelectionParts changed);
    void followLinked();
    void followMarks();
    void followNotes();
    void editNote(const views::NodeRef &node, const QString &title);
    /// One canvas and the before/after card instead of two canvases.
    void setStepsMode(bool on);
    void noteScale();
    void showColours();
    void rebuild();
    void toggleGroup(views::Side side, views::SceneKey key);
    /// Opens what hides a node.
    void openDownTo(views::Side side, views::SceneKey key);
    /// What a click on a node of a picture means: of a closed group what takes longest in it.
    views::NodeRef clicked(views::SceneKey key, views::Side side) const;
    views::GraphCanvas *canvasOf(views::Side side) const;
    /// A node as the picture shows it: itself, or the closed group that hides it.
    views::SceneKey seen(views::SceneKey key, views::Side side) const;
    void retitle();
    bool isCardShown() const;
    void showCard(const std::any &content);
    void arrange();
    void offerFolding();
    QSet<views::SceneKey> keysOf(const QSet<views::NodeRef> &nodes, views::Side side);

    views::SelectionHub &m_hub;
    std::shared_ptr<const views::SessionData> m_session;
    std::shared_ptr<const views::GraphData> m_graphData;
    profiler::GraphId m_graph = profiler::kNoGraph;
    std::shared_ptr<views::GraphScenes> m_scenes; ///< of what is shown; null: nothing, or not yet
    views::SceneJob m_job;
    PictureWriter *m_writer;
    QString m_function;
    QString m_mode;
    struct OpenGroups {
        QSet<views::SceneKey> original, optimized;
    };
    OpenGroups m_open;
    struct Added { ///< selected beside the hub's node, by shift
        QSet<views::SceneKey> original, optimized;
        views::Linked links;
    };
    Added m_added;
    views::SceneKey m_openedTo = views::kNoSceneKey; ///< a node or an opened group to be brought into view with the next picture
    struct Drawn {
        bool folded = false;
        int inlined = 0; ///< applies that are only seen in the titles of their readers
    };
    struct BothDrawn {
        Drawn original, optimized;
    };
    BothDrawn m_drawn;
    struct Steps {
        int wanted = views::Selection::kLastStep, shown = views::Selection::kLastStep;
        int applies = 0; ///< of the step that is shown
    };
    Steps m_steps;
    bool m_stepsMode = false;
    bool m_anew = false; ///< the next picture is laid out without regard to the one before
    bool m_narrow = false;
    bool m_worthFolding = false;
    views::GraphPane *m_original;
    views::GraphPane *m_optimized;
    QSplitter *m_canvases;
    views::StepBar *m_stepBar;
    views::StepCard *m_card;
    struct Choices { ///< what the bar over the pictures sets
        views::SegmentedSwitch *side = nullptr;
        QWidget *sideBar = nullptr;
        QCheckBox *linked = nullptr;
        QToolButton *ghosts = nullptr;
        views::LabeledCombo *overlay = nullptr, *fold = nullptr;
    };
    Choices m_choices;
};

} // namespace app
