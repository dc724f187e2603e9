#include "app/studio/graph_page.h"

#include "app/studio/graph_pane.h"
#include "app/studio/side_panels.h"
#include "views/common/controls.h"
#include "views/common/formats.h"
#include "views/common/panels.h"
#include "views/profile/operations_view.h"
#include "views/steps/step_bar.h"
#include "views/steps/step_card.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace app {

using namespace views;

namespace {

constexpr int kNarrowWindow = 1240; // below: one canvas with a switch

struct OverlayChoice {
    const char *title;
    Overlay overlay;
};
constexpr OverlayChoice kOverlays[] = {
    {QT_TRANSLATE_NOOP("GraphPage", "Time"), Overlay::Time},
    {QT_TRANSLATE_NOOP("GraphPage", "Memory"), Overlay::Memory},
    {QT_TRANSLATE_NOOP("GraphPage", "Device"), Overlay::Device},
    {QT_TRANSLATE_NOOP("GraphPage", "Phase"), Overlay::Phase},
    {QT_TRANSLATE_NOOP("GraphPage", "Plain"), Overlay::None},
};

} // namespace

GraphPage::GraphPage(SelectionHub &hub, QWidget *parent) : QWidget(parent), m_hub(hub) {
    const Theme &theme = Theme::current();
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    m_sideBar = new QWidget;
    setSurface(m_sideBar, "panel");
    auto *sideLayout = new QHBoxLayout(m_sideBar);
    sideLayout->setContentsMargins(theme.px(12), theme.px(4), theme.px(12), theme.px(4));
    m_side = new SegmentedSwitch;
    m_side->setCompact(true);
    m_side->addChoice(QStringLiteral("original"), tr("Original"));
    m_side->addChoice(QStringLiteral("optimized"), tr("Optimized"));
    m_side->setCurrent(QStringLiteral("optimized"));
    sideLayout->addWidget(m_side);
    sideLayout->addStretch();
    m_sideBar->hide();
    outer->addWidget(m_sideBar);

    m_original = new GraphPane(tr("Original"));
    m_original->setObjectName(QStringLiteral("originalPane"));
    m_optimized = new GraphPane(tr("Optimized"));
    m_optimized->setObjectName(QStringLiteral("optimizedPane"));
    m_linked = new QCheckBox(tr("Linked"));
    m_linked->setChecked(true);
    m_linked->setToolTip(tr("Show on both sides what belongs to the selected node"));
    m_ghosts = new QToolButton;
    m_ghosts->setText(tr("Ghosts"));
    m_ghosts->setCheckable(true);
    m_ghosts->setChecked(true);
    m_ghosts->setToolTip(tr("Keep what the step removed, pale, at its old place"));
    m_ghosts->hide();
    m_overlay = new LabeledCombo;
    m_overlay->setCompact(true);
    m_overlay->setAccessibleName(tr("What colours the nodes"));
    for (const OverlayChoice &choice : kOverlays)
        m_overlay->addItem(tr(choice.title), static_cast<int>(choice.overlay));
    m_optimized->addHeaderWidget(m_linked);
    m_optimized->addHeaderWidget(m_ghosts);
    m_optimized->addHeaderWidget(m_overlay);
    m_canvases = new QSplitter(Qt::Horizontal);
    m_canvases->addWidget(m_original);
    m_canvases->addWidget(m_optimized);
    m_canvases->setChildrenCollapsible(false);
    m_canvases->setSizes({500, 500});

    m_strip = new BottomStrip;
    m_strip->addPanel(QStringLiteral("operations"), tr("Operations"), QStringLiteral("operations"));
    m_strip->addPanel(QStringLiteral("code"), tr("Code"), QStringLiteral("code"));
    m_bottom = new QStackedWidget;
    m_operations = new OperationsView(m_hub);
    m_code = new CodePanel;
    m_bottom->addWidget(m_operations);
    m_bottom->addWidget(m_code);
    m_bottom->hide();
    m_vertical = new QSplitter(Qt::Vertical);
    m_vertical->setChildrenCollapsible(false);
    auto *upper = new QWidget;
    m_upper = new QVBoxLayout(upper);
    m_upper->setContentsMargins(0, 0, 0, 0);
    m_upper->setSpacing(0);
    m_card = new StepCard;
    m_card->hide();
    auto *withCard = new QSplitter(Qt::Vertical);
    withCard->setChildrenCollapsible(false);
    withCard->addWidget(m_canvases);
    withCard->addWidget(m_card);
    withCard->setStretchFactor(0, 1);
    withCard->setStretchFactor(1, 0);
    m_upper->addWidget(withCard, 1);
    m_upper->addWidget(new Hairline);
    m_stepBar = new StepBar(m_hub);
    m_upper->addWidget(m_stepBar);
    m_upper->addWidget(new Hairline);
    m_upper->addWidget(m_strip);
    m_vertical->addWidget(upper);
    m_vertical->addWidget(m_bottom);
    m_vertical->setStretchFactor(0, 1);
    m_vertical->setStretchFactor(1, 0);
    outer->addWidget(m_vertical, 1);

    connectPane(m_original, Side::Original);
    connectPane(m_optimized, Side::Optimized);
    connect(m_strip, &BottomStrip::openChanged, this, &GraphPage::openBottom);
    connect(m_linked, &QCheckBox::toggled, this, &GraphPage::followLinked);
    connect(m_ghosts, &QToolButton::toggled, this, [this] { rebuild(false, m_step); });
    connect(m_side, &SegmentedSwitch::currentChanged, this, &GraphPage::arrange);
    connect(m_overlay, &QComboBox::activated, this, [this] {
        m_optimized->canvas()->setOverlay(static_cast<Overlay>(m_overlay->currentData().toInt()));
    });
    m_optimized->canvas()->setOverlay(Overlay::Time);
    connect(m_card, &StepCard::nodeClicked, this, [this](SceneKey key) {
        if (m_scenes)
            m_hub.selectNode(m_scenes->nodeOf(key, Side::Optimized));
    });
    connect(m_operations, &OperationsView::emptyActionTriggered, this, &GraphPage::runRequested);
    connect(m_original, &GraphPane::emptyActionTriggered, this, &GraphPage::runRequested);
    connect(m_optimized, &GraphPane::emptyActionTriggered, this, &GraphPage::runRequested);
}

void GraphPage::connectPane(GraphPane *pane, Side side) {
    GraphCanvas *canvas = pane->canvas();
    canvas->setAccessibleName(side == Side::Original ? tr("Graph as written") : tr("Optimized graph"));
    connect(canvas, &GraphCanvas::nodeClicked, this, [this, side, canvas](SceneKey key, bool add) {
        if (!m_scenes)
            return;
        QSet<SceneKey> &added = side == Side::Original ? m_addedOriginal : m_addedOptimized;
        if (add) {
            added.unite(canvas->selected());
            m_addedLinks.nodes.unite(m_hub.linked().nodes);
        } else {
            m_addedOriginal.clear();
            m_addedOptimized.clear();
            m_addedLinks.nodes.clear();
        }
        m_hub.selectNode(m_scenes->nodeOf(key, side));
    });
    connect(canvas, &GraphCanvas::nodeHovered, this, [this, side](SceneKey key) {
        if (m_scenes)
            m_hub.setHovered(m_scenes->nodeOf(key, side));
    });
    connect(canvas, &GraphCanvas::groupToggled, this, [this, side](SceneKey key) {
        QSet<SceneKey> &open = side == Side::Original ? m_openOriginal : m_openOptimized;
        if (!open.remove(key))
            open.insert(key);
        rebuild(false, m_step);
    });
    connect(canvas, &GraphCanvas::contextMenuRequested, this, [this, side](SceneKey key, const QPoint &where) {
        if (m_scenes)
            Q_EMIT contextMenuRequested(m_scenes->nodeOf(key, side), where);
    });
    connect(canvas, &GraphCanvas::scaleChanged, this, &GraphPage::scaleChanged);
    connect(canvas, &GraphCanvas::settled, this, [this] {
        if (isSettled())
            Q_EMIT settled();
    });
}

void GraphPage::setScenes(std::shared_ptr<GraphScenes> scenes, const QString &function, const QString &mode,
                          const QString &whyNot) {
    m_scenes = std::move(scenes);
    m_addedOriginal.clear();
    m_addedOptimized.clear();
    m_addedLinks = {};
    m_function = function;
    m_mode = mode;
    m_openOriginal.clear();
    m_openOptimized.clear();
    if (!m_scenes || !m_scenes->hasGraph()) {
        m_scenes.reset();
        m_original->showEmpty(QStringLiteral("graph"), whyNot);
        m_optimized->showEmpty(QStringLiteral("graph"), whyNot);
        m_original->canvas()->clear();
        m_optimized->canvas()->clear();
        m_stepBar->setSteps({});
        retitle();
        refreshCard();
        return;
    }
    m_stepBar->setSteps(m_scenes->graph().steps);
    m_step = m_hub.selection().step;
    m_original->showCanvas();
    m_optimized->showCanvas();
    rebuild(true, m_step);
    followLinked();
}

void GraphPage::refreshScenes(std::shared_ptr<GraphScenes> scenes) {
    if (!scenes || !scenes->hasGraph() || !m_scenes) {
        setScenes(std::move(scenes), m_function, m_mode, tr("The graph is not recorded yet."));
        return;
    }
    const bool sameSteps = m_scenes->stepCount() == scenes->stepCount();
    m_scenes = std::move(scenes);
    if (!sameSteps) {
        m_stepBar->setSteps(m_scenes->graph().steps);
        rebuild(false, m_step);
        return;
    }
    m_optimized->canvas()->refreshScene(m_scenes->at(m_step, m_openOptimized, m_ghosts->isChecked() && m_stepsMode));
    retitle();
}

void GraphPage::rebuild(bool fresh, int fromStep) {
    if (!m_scenes)
        return;
    GraphCanvas *optimized = m_optimized->canvas();
    const bool ghosts = m_ghosts->isChecked() && !m_scenes->isLast(m_step);
    if (fresh) {
        m_original->setBusy(true);
        m_optimized->setBusy(true);
        m_original->canvas()->setScene(m_scenes->original(m_openOriginal), GraphCanvas::Change::Fresh);
        optimized->setScene(m_scenes->at(m_step, m_openOptimized, ghosts), GraphCanvas::Change::Fresh);
    } else {
        if (!(fromStep == m_step))
            optimized->setScene(m_scenes->at(m_step, m_openOptimized, ghosts), GraphCanvas::Change::Step,
                                m_scenes->heirs(fromStep, m_step));
        else {
            m_original->canvas()->setScene(m_scenes->original(m_openOriginal), GraphCanvas::Change::Step);
            optimized->setScene(m_scenes->at(m_step, m_openOptimized, ghosts), GraphCanvas::Change::Step);
        }
    }
    retitle();
    refreshCard();
}

void GraphPage::retitle() {
    if (!m_scenes) {
        m_original->setTitles(tr("Original"), QString());
        m_optimized->setTitles(tr("Optimized"), QString());
        return;
    }
    const int before = m_scenes->graph().info.appliesOriginal;
    const int after = m_scenes->isLast(m_step) ? m_scenes->graph().info.appliesOptimized
                                               : m_scenes->replicaAt(m_step).applyCount();
    m_original->setTitles(tr("Original"), tr("as written · %1").arg(formats::applies(before)));
    if (m_scenes->isLast(m_step))
        m_optimized->setTitles(m_stepsMode ? tr("%1 optimized").arg(m_function) : tr("Optimized"),
                               tr("%1 · %2").arg(m_mode, formats::applies(after)));
    else
        m_optimized->setTitles(m_stepsMode ? tr("%1 after step %2").arg(m_function).arg(m_step)
                                           : tr("After step %1").arg(m_step),
                               formats::applies(after));
}

QSet<SceneKey> GraphPage::keysOf(const QSet<NodeRef> &nodes, Side side) {
    QSet<SceneKey> keys;
    if (!m_scenes)
        return keys;
    for (const NodeRef &node : nodes) {
        const SceneKey key = m_scenes->keyOf(node, side);
        if (key != kNoSceneKey)
            keys.insert(key);
    }
    return keys;
}

void GraphPage::follow(SelectionParts changed) {
    const Selection &selection = m_hub.selection();
    if (changed & SelectionPart::Step && selection.step != m_step) {
        const int from = m_step;
        m_step = selection.step;
        rebuild(false, from);
    }
    if (!m_scenes)
        return;
    for (Side side : {Side::Original, Side::Optimized}) {
        GraphCanvas *canvas = (side == Side::Original ? m_original : m_optimized)->canvas();
        const SceneKey key = m_scenes->keyOf(selection.node, side);
        QSet<SceneKey> selected = side == Side::Original ? m_addedOriginal : m_addedOptimized;
        if (key != kNoSceneKey)
            selected.insert(key);
        canvas->setSelected(selected);
        if (key != kNoSceneKey && changed & SelectionPart::Node)
            canvas->reveal(key);
    }
    if (m_narrow && changed & SelectionPart::Node && selection.node.isValid())
        m_side->setCurrent(selection.node.side == Side::Original ? QStringLiteral("original") : QStringLiteral("optimized"));
}

void GraphPage::followLinked() {
    const bool on = m_linked->isChecked();
    for (Side side : {Side::Original, Side::Optimized}) {
        GraphCanvas *canvas = (side == Side::Original ? m_original : m_optimized)->canvas();
        QSet<NodeRef> nodes = m_hub.linked().nodes;
        nodes.unite(m_addedLinks.nodes);
        canvas->setLinked(on ? keysOf(nodes, side) : QSet<SceneKey>{});
    }
}

void GraphPage::refreshCard() {
    m_card->setVisible(m_stepsMode && m_scenes && window()->height() >= Theme::current().px(640));
    if (m_card->isHidden())
        return;
    if (std::optional<StepCardContent> content = m_scenes->stepCard(m_step))
        m_card->setContent(std::move(*content));
    else
        m_card->setEmpty(tr("This is the graph as written. Go to a step to see what it replaced."));
}

void GraphPage::setStepsMode(bool on) {
    m_stepsMode = on;
    m_ghosts->setVisible(on);
    m_linked->setVisible(!on);
    setOverlay(on ? Overlay::Phase : Overlay::Time);
    arrange();
    retitle();
    refreshCard();
}

void GraphPage::arrange() {
    m_narrow = window()->width() < Theme::current().px(kNarrowWindow);
    m_sideBar->setVisible(m_narrow && !m_stepsMode);
    const bool originalOnly = m_narrow && m_side->current() == "original" && !m_stepsMode;
    m_original->setVisible(!m_stepsMode && (!m_narrow || originalOnly));
    m_optimized->setVisible(!originalOnly);
    m_stepBar->setLow(window()->height() < Theme::current().px(760));
}

void GraphPage::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    arrange();
}

GraphPane *GraphPage::activePane() const {
    if (m_original->isVisible() && (m_original->canvas()->hasFocus() || !m_optimized->isVisible()))
        return m_original;
    return m_optimized;
}

void GraphPage::openBottom(const QString &id) {
    m_strip->setOpen(id);
    m_bottom->setVisible(!id.isEmpty());
    if (id.isEmpty())
        return;
    m_bottom->setCurrentWidget(id == "code" ? static_cast<QWidget *>(m_code) : m_operations);
    const int height = Theme::current().size(Size::BottomDock);
    m_vertical->setSizes({std::max(200, m_vertical->height() - height), height});
}

void GraphPage::setOverlay(Overlay overlay) {
    m_overlay->setCurrentIndex(m_overlay->findData(static_cast<int>(overlay)));
    m_optimized->canvas()->setOverlay(overlay);
}

bool GraphPage::isSettled() const {
    return m_optimized->canvas()->isSettled() && (!m_original->isVisible() || m_original->canvas()->isSettled());
}

void GraphPage::settle() {
    m_original->canvas()->settle();
    m_optimized->canvas()->settle();
}

int GraphPage::shownStep() const { return m_step; }

} // namespace app
