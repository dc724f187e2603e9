#include "app/studio/pages/graph_page.h"

#include "app/studio/pages/picture_writer.h"
#include "views/common/background.h"
#include "views/common/controls.h"
#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/node_notes.h"
#include "views/common/source_place.h"
#include "views/common/text.h"
#include "views/common/view_words.h"
#include "views/common/window_sizes.h"
#include "views/graph/find_bar.h"
#include "views/graph/graph_pane.h"
#include "views/session/function_name.h"
#include "views/session/value_marks.h"
#include "views/steps/step_bar.h"
#include "views/steps/step_card_content.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSplitter>
#include <QStandardItemModel>
#include <QVBoxLayout>

namespace app {

using namespace views;

namespace {

constexpr int kImportanceOfColours = 2; // more important than what stands beside it
constexpr int kLowPage = 150;           // below: no step bar, whose keys go on to work

struct OverlayChoice {
    const char *name; // of the command line
    const char *title;
    Overlay overlay;
};
constexpr OverlayChoice kOverlays[] = {
    {"time", QT_TRANSLATE_NOOP("GraphPage", "Time"), Overlay::Time},
    {"memory", QT_TRANSLATE_NOOP("GraphPage", "Memory"), Overlay::Memory},
    {"device", QT_TRANSLATE_NOOP("GraphPage", "Device"), Overlay::Device},
    {"phase", QT_TRANSLATE_NOOP("GraphPage", "Phase"), Overlay::Phase},
    {"dtype", QT_TRANSLATE_NOOP("GraphPage", "Dtype"), Overlay::Dtype},
    {"digits", QT_TRANSLATE_NOOP("GraphPage", "Digits"), Overlay::Digits},
    {"magnitude", QT_TRANSLATE_NOOP("GraphPage", "Magnitude"), Overlay::Magnitude},
    {"plain", QT_TRANSLATE_NOOP("GraphPage", "Plain"), Overlay::None},
};

struct FoldRow {
    const char *title;
    const char *tip;
    FoldChoice choice;
};
constexpr FoldRow kFolds[] = {
    {QT_TRANSLATE_NOOP("GraphPage", "Fold large graphs"),
     QT_TRANSLATE_NOOP("GraphPage", "Equal parts are one node each, from %1 applies on"), FoldChoice::Automatic},
    {QT_TRANSLATE_NOOP("GraphPage", "Fold repeated parts"),
     QT_TRANSLATE_NOOP("GraphPage", "Iterations, layers, updates: equal parts are one node"), FoldChoice::Repetition},
    {QT_TRANSLATE_NOOP("GraphPage", "Fold by line"), QT_TRANSLATE_NOOP("GraphPage", "One node for each line of the script"),
     FoldChoice::Line},
    {QT_TRANSLATE_NOOP("GraphPage", "Fold by scope"), QT_TRANSLATE_NOOP("GraphPage", "One node for each function and loop of the script"),
     FoldChoice::Scope},
    {QT_TRANSLATE_NOOP("GraphPage", "Fold nothing"), QT_TRANSLATE_NOOP("GraphPage", "Every apply is a node"), FoldChoice::Nothing},
};

} // namespace

GraphPage::GraphPage(SelectionHub &hub, QWidget *parent)
    : QWidget(parent), m_hub(hub), m_job(*this, [this](SceneAnswer answer) { show(std::move(answer)); }),
      m_writer(new PictureWriter(hub, this))
{
    const Theme &theme = Theme::current();
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    m_choices.sideBar = new QWidget;
    setSurface(m_choices.sideBar, "panel");
    auto *sideLayout = new QHBoxLayout(m_choices.sideBar);
    sideLayout->setContentsMargins(theme.px(12), theme.px(4), theme.px(12), theme.px(4));
    m_choices.side = new SegmentedSwitch;
    m_choices.side->setCompact(true);
    m_choices.side->addChoice(QStringLiteral("original"), tr("Original"));
    m_choices.side->addChoice(QStringLiteral("optimized"), tr("Optimized"));
    m_choices.side->setCurrent(QStringLiteral("optimized"));
    sideLayout->addWidget(m_choices.side);
    sideLayout->addStretch();
    m_choices.sideBar->hide();
    outer->addWidget(m_choices.sideBar);

    m_original = new GraphPane(tr("Original"));
    m_original->setObjectName(QStringLiteral("originalPane"));
    m_optimized = new GraphPane(tr("Optimized"));
    m_optimized->setObjectName(QStringLiteral("optimizedPane"));
    m_choices.linked = new QCheckBox(tr("Linked"));
    m_choices.linked->setChecked(true);
    m_choices.linked->setToolTip(tr("Show on both sides what belongs to the selected node"));
    m_choices.ghosts = new QToolButton;
    m_choices.ghosts->setText(tr("Ghosts"));
    m_choices.ghosts->setCheckable(true);
    m_choices.ghosts->setChecked(true);
    m_choices.ghosts->setToolTip(tr("Keep what the step removed, pale, at its old place"));
    m_choices.ghosts->hide();
    m_choices.overlay = new LabeledCombo;
    m_choices.overlay->setCompact(true);
    m_choices.overlay->setAccessibleName(tr("What colours the nodes"));
    for (const OverlayChoice &choice : kOverlays) m_choices.overlay->addItem(tr(choice.title), static_cast<int>(choice.overlay));
    m_choices.fold = new LabeledCombo;
    m_choices.fold->setCompact(true);
    m_choices.fold->setAccessibleName(tr("What is folded"));
    for (const FoldRow &row : kFolds) {
        m_choices.fold->addItem(tr(row.title), static_cast<int>(row.choice));
        m_choices.fold->setItemData(m_choices.fold->count() - 1, tr(row.tip).replace(QStringLiteral("%1"), formats::count(kFoldFrom)),
                                    Qt::ToolTipRole);
    }
    m_optimized->addHeaderWidget(m_choices.linked);
    m_optimized->addHeaderWidget(m_choices.ghosts);
    m_optimized->addHeaderWidget(m_choices.overlay, kImportanceOfColours);
    setFocusProxy(m_optimized->canvas());
    m_canvases = new QSplitter(Qt::Horizontal);
    m_canvases->addWidget(m_original);
    m_canvases->addWidget(m_optimized);
    m_canvases->setChildrenCollapsible(false);
    m_canvases->setSizes({500, 500});

    m_card = new StepCard;
    m_card->hide();
    auto *withCard = new QSplitter(Qt::Vertical);
    withCard->setChildrenCollapsible(false);
    withCard->addWidget(m_canvases);
    withCard->addWidget(m_card);
    withCard->setStretchFactor(0, 1);
    withCard->setStretchFactor(1, 0);
    outer->addWidget(withCard, 1);
    outer->addWidget(new Hairline);
    m_stepBar = new StepBar(m_hub);
    outer->addWidget(m_stepBar);

    connectPane(m_original, Side::Original);
    connectPane(m_optimized, Side::Optimized);
    connect(&m_hub, &SelectionHub::linkedChanged, this, &GraphPage::followLinked);
    connect(&m_hub, &SelectionHub::marksChanged, this, &GraphPage::followMarks);
    connect(&NodeNotes::of(m_hub), &NodeNotes::changed, this, &GraphPage::followNotes);
    connect(m_choices.linked, &QCheckBox::toggled, this, &GraphPage::followLinked);
    connect(m_writer, &PictureWriter::busyChanged, this, [this](bool isBusy) {
        if (isBusy) activePane()->setBusy(true);
        else if (isSettled())
            for (GraphPane *pane : {m_original, m_optimized}) pane->setBusy(false);
    });
    connect(m_choices.ghosts, &QToolButton::toggled, this, [this] { rebuild(); });
    connect(m_choices.side, &SegmentedSwitch::currentChanged, this, &GraphPage::arrange);
    connect(m_choices.overlay, &QComboBox::activated, this,
            [this] { setOverlay(static_cast<Overlay>(m_choices.overlay->currentData().toInt())); });
    connect(m_choices.fold, &QComboBox::activated, this,
            [this] { setFold(static_cast<FoldChoice>(m_choices.fold->currentData().toInt())); });
    m_optimized->canvas()->setOverlay(Overlay::Time);
    connect(m_optimized->canvas(), &GraphCanvas::stepKeyPressed, m_stepBar, &StepBar::takeKey);
    connect(m_card, &StepCard::sourceClicked, this, [this](const QUrl &link) { m_hub.request(OpenSource{link}); });
    connect(m_card, &StepCard::nodeClicked, this, [this](SceneKey key) {
        if (m_scenes) m_hub.selectNode(m_scenes->nodeOf(key, Side::Optimized));
    });
}

void GraphPage::feed(const ViewFeed &feed)
{
    if (feed.showsSteps() != m_stepsMode) setStepsMode(feed.showsSteps());
    if (feed.hasNewFunction()) showGraph(feed);
    m_stepBar->feed(feed);
    follow(feed.selected);
}

void GraphPage::showGraph(const ViewFeed &feed)
{
    const bool same = m_scenes && feed.graph && feed.graph->info.id == m_graph && !feed.hasNew(FeedPart::Opened) &&
                      !(feed.selected & (SelectionPart::Function | SelectionPart::Graph));
    m_session = feed.session;
    m_graphData = feed.graph;
    m_graph = feed.graph ? feed.graph->info.id : profiler::kNoGraph;
    m_function = feed.function ? functionName(*feed.function) : feed.graph ? text(feed.graph->info.label) : QString();
    m_mode = feed.function ? text(feed.function->mode) : QString();
    m_steps.wanted = m_hub.selection().step;
    if (!feed.graph || !feed.graph->replica) {
        m_scenes.reset();
        m_job.forget();
        const bool notRun = feed.session && !feed.session->isRecorded();
        showNothing(feed.graph                                        ? tr("This graph has no recorded steps.")
                    : notRun                                          ? tr("This script was not run yet.")
                    : feed.session && feed.session->functions.empty() ? feed.session->info.state == profiler::SessionState::Running
                                                                            ? tr("No function was compiled yet.")
                                                                            : tr("The script ended before it compiled a function.")
                                                                      : tr("The graph of this function is not recorded yet."),
                    notRun && feed.canRun ? tr("Run") : QString());
        return;
    }
    if (!same) {
        m_added.original.clear();
        m_added.optimized.clear();
        m_added.links = {};
        m_open.original.clear();
        m_open.optimized.clear();
        m_original->showCanvas();
        m_optimized->showCanvas();
        m_original->setBusy(true);
        m_optimized->setBusy(true);
    }
    SceneWish wish = wishNow();
    wish.scenes.reset();
    wish.fresh = !same;
    wish.refresh = same && m_scenes->stepCount() == feed.graph->info.stepCount;
    if (!wish.refresh) m_stepBar->setSteps(feed.graph->steps);
    m_job.ask(std::move(wish));
}

SceneWish GraphPage::wishNow() const
{
    SceneWish wish;
    wish.scenes = m_scenes;
    wish.session = m_session;
    wish.graph = m_graphData;
    wish.step = m_steps.wanted;
    wish.fromStep = m_steps.shown;
    wish.openOriginal = m_open.original;
    wish.openOptimized = m_open.optimized;
    wish.fold = static_cast<FoldChoice>(m_choices.fold->currentData().toInt());
    wish.wantsOriginal = !m_stepsMode || !m_scenes || m_original->canvas()->scene().nodes.empty();
    wish.ghosts = m_choices.ghosts->isChecked() && (m_stepsMode || (m_steps.wanted >= 0 && m_steps.wanted < m_graphData->info.stepCount));
    wish.marksLast = m_stepsMode;
    if (isCardShown())
        wish.also = [session = m_session, step = m_steps.wanted](GraphScenes &scenes) -> std::any {
            return stepCardContent(*session, scenes, step);
        };
    return wish;
}

void GraphPage::obey(const Request &request)
{
    if (const auto *colours = std::get_if<ShowColours>(&request))
        for (const OverlayChoice &choice : kOverlays)
            if (colours->name == QLatin1String(choice.name)) setOverlay(choice.overlay);
    const auto *command = std::get_if<Command>(&request);
    if (!command) return;
    GraphCanvas *canvas = activePane()->canvas();
    switch (*command) {
    case Command::Fit: return canvas->fit();
    case Command::LayOut: return canvas->layOutAgain();
    case Command::FirstStep: return m_hub.selectStep(0);
    case Command::PreviousStep: return m_stepBar->move(-1);
    case Command::NextStep: return m_stepBar->move(1);
    case Command::PreviousPhase: return m_stepBar->movePhase(false);
    case Command::NextPhase: return m_stepBar->movePhase(true);
    case Command::PlaySteps: return m_stepBar->play(!m_stepBar->isPlaying());
    case Command::LastStep: return m_hub.selectStep(Selection::kLastStep);
    case Command::Find: return activePane()->findBar()->open();
    case Command::FindNext: return activePane()->findBar()->next();
    case Command::FindPrevious: return activePane()->findBar()->next(true);
    case Command::ExportPicture: return exportPicture();
    case Command::ExportPart: return exportPicture(true);
    case Command::CopyPicture: return copyPicture(false);
    default: return;
    }
}

QStringList GraphPage::overlayNames()
{
    QStringList names;
    for (const OverlayChoice &choice : kOverlays) names << QString::fromLatin1(choice.name);
    return names;
}

void GraphPage::noteScale() { setNote(this, QStringLiteral("%1%").arg(qRound(activePane()->canvas()->scale() * 100))); }

void GraphPage::connectPane(GraphPane *pane, Side side)
{
    GraphCanvas *canvas = pane->canvas();
    canvas->setAccessibleName(side == Side::Original ? tr("Graph as written") : tr("Optimized graph"));
    connect(canvas, &GraphCanvas::nodeClicked, this, [this, side, canvas](SceneKey key, bool add) {
        if (!m_scenes) return;
        QSet<SceneKey> &added = side == Side::Original ? m_added.original : m_added.optimized;
        if (add) {
            added.unite(canvas->selected());
            m_added.links.nodes.unite(m_hub.linked().nodes);
        } else {
            m_added.original.clear();
            m_added.optimized.clear();
            m_added.links.nodes.clear();
        }
        m_hub.selectNode(clicked(key, side));
    });
    connect(canvas, &GraphCanvas::nodeHovered, this, [this, side](SceneKey key) {
        if (m_scenes) m_hub.setHovered(clicked(key, side));
    });
    connect(canvas, &GraphCanvas::groupToggled, this, [this, side](SceneKey key) { toggleGroup(side, key); });
    connect(canvas, &GraphCanvas::sceneChanged, this, [this, canvas] {
        select({});
        followLinked();
        followMarks();
        followNotes();
        showColours();
        if (m_openedTo != kNoSceneKey && canvas->showOpened(m_openedTo)) m_openedTo = kNoSceneKey;
    });
    connect(canvas, &GraphCanvas::innerOpened, this, [this, side, canvas](SceneKey key) {
        if (const SceneNode *node = canvas->scene().node(key); node && m_scenes) m_hub.openNested(node->inner, clicked(key, side).id);
    });
    connect(canvas, &GraphCanvas::contextMenuRequested, this,
            [this, pane, side](SceneKey key, const QPoint &at) { openMenu(*pane, side, key, at); });
    connect(canvas, &GraphCanvas::scaleChanged, this, &GraphPage::noteScale);
    connect(canvas, &GraphCanvas::searched, this, [this, canvas](const QString &text) {
        if (!m_scenes || text.isEmpty() || !canvas->scene().folding) return;
        inBackground(
            canvas, [scenes = m_scenes, folding = canvas->scene().folding, text] { return scenes->search(text, *folding); },
            [canvas, text](std::vector<SceneKey> &&found) { canvas->setHiddenMatches(text, std::move(found)); });
    });
    connect(canvas, &GraphCanvas::hiddenWanted, this, [this, side](SceneKey key) { openDownTo(side, key); });
    connect(pane, &GraphPane::emptyActionTriggered, this, [this] { m_hub.request(Command::Run); });
}

std::vector<QWidget *> GraphPage::panes() const { return {m_original, m_optimized, m_card, m_stepBar}; }

void GraphPage::showNothing(const QString &whyNot, const QString &action)
{
    for (GraphPane *pane : {m_original, m_optimized}) {
        pane->showEmpty(QStringLiteral("graph"), whyNot, action);
        pane->canvas()->clear();
        pane->setBusy(false);
    }
    m_stepBar->setSteps({});
    retitle();
    showCard({});
}

GraphCanvas *GraphPage::canvasOf(Side side) const { return (side == Side::Original ? m_original : m_optimized)->canvas(); }

NodeRef GraphPage::clicked(SceneKey key, Side side) const
{
    if (!m_scenes) return {};
    const SceneNode *node = canvasOf(side)->scene().node(key);
    return m_scenes->nodeOf(node && node->holds ? node->slowest : key, side);
}

void GraphPage::setFold(FoldChoice choice)
{
    m_choices.fold->setCurrentIndex(m_choices.fold->findData(static_cast<int>(choice)));
    m_open.original.clear();
    m_open.optimized.clear();
    if (!m_graphData || !m_scenes) return;
    SceneWish wish = wishNow();
    wish.fresh = true;
    wish.wantsOriginal = true;
    m_job.ask(std::move(wish));
}

void GraphPage::toggleGroup(Side side, SceneKey key)
{
    QSet<SceneKey> &open = side == Side::Original ? m_open.original : m_open.optimized;
    m_openedTo = kNoSceneKey;
    if (!open.remove(key)) {
        open.insert(key);
        m_openedTo = key;
    }
    rebuild();
}

void GraphPage::openDownTo(Side side, SceneKey key)
{
    QSet<SceneKey> &open = side == Side::Original ? m_open.original : m_open.optimized;
    for (SceneKey group : canvasOf(side)->scene().groupsAround(key)) open.insert(group);
    m_openedTo = key;
    rebuild();
}

void GraphPage::rebuild()
{
    if (m_graphData && m_scenes) m_job.ask(wishNow());
}

void GraphPage::show(SceneAnswer answer)
{
    const bool fresh = answer.wish.fresh || m_scenes == nullptr;
    if (fresh) m_anew = false;
    m_scenes = answer.wish.scenes;
    m_steps.shown = answer.wish.step;
    m_steps.applies = answer.applies;
    if (answer.original) m_drawn.original = {answer.original->folding != nullptr, answer.original->inlinedApplies};
    m_drawn.optimized = {answer.optimized.folding != nullptr, answer.optimized.inlinedApplies};
    GraphCanvas *original = m_original->canvas(), *optimized = m_optimized->canvas();
    if (answer.wish.refresh && !fresh) {
        optimized->refreshScene(std::move(answer.optimized));
    } else {
        const auto change = fresh                                                              ? GraphCanvas::Change::Fresh
                            : std::exchange(m_anew, false)                                     ? GraphCanvas::Change::Anew
                            : m_scenes->endsPass(m_steps.shown) && !answer.optimized.isForOnce ? GraphCanvas::Change::End
                                                                                               : GraphCanvas::Change::Step;
        if (answer.original) original->setScene(std::move(*answer.original), change);
        optimized->setScene(std::move(answer.optimized), change, answer.heirs);
    }
    const bool sizes = m_scenes->largestBytes() > 0;
    auto *choices = qobject_cast<QStandardItemModel *>(m_choices.overlay->model());
    QStandardItem *memory = choices->item(m_choices.overlay->findData(static_cast<int>(Overlay::Memory)));
    memory->setEnabled(sizes);
    const bool isLookedAt = m_session && m_session->derived<ValueMarks>().has(m_graph);
    for (Overlay overlay : {Overlay::Digits, Overlay::Magnitude}) {
        QStandardItem *item = choices->item(m_choices.overlay->findData(static_cast<int>(overlay)));
        item->setEnabled(isLookedAt);
        item->setToolTip(isLookedAt ? QString() : tr("No call of this function was looked at: croton values does that"));
    }
    memory->setToolTip(sizes ? QString() : tr("The sizes of this function's values are not known: it was not called"));
    for (auto [canvas, folded] : {std::pair(original, m_drawn.original.folded), std::pair(optimized, m_drawn.optimized.folded)})
        canvas->setNote(!folded ? QString()
                        : answer.wish.fold == FoldChoice::Automatic
                            ? tr("Equal parts are one node (from %1 applies on). Double click opens.").arg(formats::count(kFoldFrom))
                            : tr("Double click opens a group, its caption closes it."));
    constexpr int kWorthAsking = 60; // applies: less fits on the screen as it is
    m_worthFolding = m_scenes->graph().info.appliesOriginal > kWorthAsking || answer.wish.fold != FoldChoice::Automatic;
    offerFolding();
    retitle();
    showColours();
    showCard(answer.also);
    select({});
    followLinked();
    m_stepBar->stepShown();
}

void GraphPage::retitle()
{
    // With one canvas the switch above it names the graph.
    const bool named = m_narrow && !m_stepsMode;
    const QString original = named ? QString() : tr("Original"), optimized = named ? QString() : tr("Optimized");
    if (!m_scenes) {
        m_original->setTitles(original, QString());
        m_optimized->setTitles(optimized, QString());
        return;
    }
    const int before = m_scenes->graph().info.appliesOriginal;
    const int after = m_scenes->isLast(m_steps.shown) ? m_scenes->graph().info.appliesOptimized : m_steps.applies;
    const auto count = [](int all, const Drawn &drawn) {
        const QString counted = formats::counted(all, formats::Thing::Apply);
        if (drawn.folded) return tr("%1, folded").arg(counted);
        return drawn.inlined > 0 ? tr("%1 of %2").arg(all - drawn.inlined).arg(counted) : counted;
    };
    const auto tip = [](const Drawn &drawn) {
        if (drawn.folded || drawn.inlined == 0) return QString();
        return tr("%n not drawn: what only brings a constant into shape is written into the node that reads it", nullptr, drawn.inlined);
    };
    m_original->setTitles(original, tr("%1 as written").arg(count(before, m_drawn.original)), tip(m_drawn.original));
    const QString applies = count(after, m_drawn.optimized);
    if (m_scenes->isLast(m_steps.shown))
        m_optimized->setTitles(m_stepsMode ? tr("%1 optimized").arg(m_function) : optimized,
                               m_stepsMode ? applies : tr("%1 · %2").arg(m_mode, applies), tip(m_drawn.optimized));
    else
        m_optimized->setTitles(m_stepsMode ? tr("%1 after step %2").arg(m_function).arg(m_steps.shown)
                                           : tr("After step %1").arg(m_steps.shown),
                               applies, tip(m_drawn.optimized));
}

SceneKey GraphPage::seen(SceneKey key, Side side) const
{
    const Scene &scene = canvasOf(side)->scene();
    const int at = key == kNoSceneKey ? -1 : scene.seenAs(key);
    return at < 0 ? key : scene.nodes[static_cast<std::size_t>(at)].key;
}

QSet<SceneKey> GraphPage::keysOf(const QSet<NodeRef> &nodes, Side side)
{
    QSet<SceneKey> keys;
    if (!m_scenes) return keys;
    for (const NodeRef &node : nodes) {
        const SceneKey key = seen(m_scenes->keyOf(node, side), side);
        if (key != kNoSceneKey) keys.insert(key);
    }
    return keys;
}

void GraphPage::follow(SelectionParts changed)
{
    if (changed & SelectionPart::Step && m_hub.selection().step != m_steps.wanted) {
        m_steps.wanted = m_hub.selection().step;
        SceneWish wish;
        if (m_scenes) {
            wish = wishNow();
            wish.wantsOriginal = false;
            m_job.ask(std::move(wish));
        }
    }
    select(changed);
}

void GraphPage::select(SelectionParts changed)
{
    if (!m_scenes) return;
    const Selection &selection = m_hub.selection();
    for (Side side : {Side::Original, Side::Optimized}) {
        GraphCanvas *canvas = canvasOf(side);
        const SceneKey key = seen(m_scenes->keyOf(selection.node, side), side);
        QSet<SceneKey> selected = side == Side::Original ? m_added.original : m_added.optimized;
        if (key != kNoSceneKey) selected.insert(key);
        canvas->setSelected(selected);
        if (key != kNoSceneKey && changed & SelectionPart::Node) canvas->reveal(key);
    }
    if (m_narrow && changed & SelectionPart::Node && selection.node.isValid())
        m_choices.side->setCurrent(selection.node.side == Side::Original ? QStringLiteral("original") : QStringLiteral("optimized"));
}

void GraphPage::followLinked()
{
    const bool on = m_choices.linked->isChecked();
    for (Side side : {Side::Original, Side::Optimized}) {
        GraphCanvas *canvas = canvasOf(side);
        QSet<NodeRef> nodes = m_hub.linked().nodes;
        nodes.unite(m_added.links.nodes);
        canvas->setLinked(on ? keysOf(nodes, side) : QSet<SceneKey>{});
    }
}

void GraphPage::followMarks()
{
    if (!m_scenes) return;
    for (Side side : {Side::Original, Side::Optimized}) {
        QHash<SceneKey, NodeMark> marks;
        GraphCanvas *canvas = canvasOf(side);
        for (auto mark = m_hub.marks().cbegin(); mark != m_hub.marks().cend(); ++mark) {
            const SceneKey key = seen(m_scenes->keyOf({side, mark.key().kind, mark.key().id}, side), side);
            if (canvas->scene().node(key)) marks.insert(key, *mark);
        }
        canvas->setMarks(marks);
    }
}

bool GraphPage::isCardShown() const { return m_stepsMode && window()->height() >= Theme::current().px(640); }

void GraphPage::showCard(const std::any &content)
{
    m_card->setVisible(isCardShown() && m_scenes);
    if (m_card->isHidden()) return;
    const auto *found = std::any_cast<std::optional<StepCardContent>>(&content);
    if (found && *found) m_card->setContent(**found);
    else m_card->setEmpty(tr("This is the graph as written. Go to a step to see what it replaced."));
}

void GraphPage::setStepsMode(bool on)
{
    m_stepsMode = on;
    m_choices.ghosts->setVisible(on);
    setOverlay(on ? Overlay::Phase : Overlay::Time);
    arrange();
    // Steps continue one another: from a picture that is the same every time, whenever Graphviz may answer.
    m_optimized->canvas()->setUseGraphviz(!on);
    m_optimized->canvas()->setStepsByKey(on);
    m_anew = on;
    rebuild();
    if (!on) showCard({});
}

void GraphPage::arrange()
{
    m_narrow = window()->width() < Theme::current().px(kNarrowWindow);
    m_choices.sideBar->setVisible(m_narrow && !m_stepsMode);
    m_choices.linked->setVisible(!m_narrow && !m_stepsMode);
    retitle();
    const bool originalOnly = m_narrow && m_choices.side->current() == "original" && !m_stepsMode;
    m_original->setVisible(!m_stepsMode && (!m_narrow || originalOnly));
    m_optimized->setVisible(!originalOnly);
    GraphPane *withChoice = m_stepsMode || (m_narrow && !originalOnly) ? m_optimized : m_original;
    if (!withChoice->isAncestorOf(m_choices.fold)) withChoice->addHeaderWidget(m_choices.fold);
    offerFolding();
    m_stepBar->setLow(window()->height() < Theme::current().px(760));
    m_stepBar->setVisible(height() >= Theme::current().px(kLowPage));
}

void GraphPage::offerFolding() { m_choices.fold->setVisible(m_worthFolding); }

void GraphPage::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    arrange();
}

GraphPane *GraphPage::activePane() const
{
    if (m_original->isVisible() && (m_original->canvas()->hasFocus() || !m_optimized->isVisible())) return m_original;
    return m_optimized;
}

bool GraphPage::isSettled() const
{
    return !m_job.isBusy() && !m_writer->isBusy() && m_optimized->canvas()->isSettled() &&
           (!m_original->isVisible() || m_original->canvas()->isSettled());
}

void GraphPage::settle()
{
    m_original->canvas()->settle();
    m_optimized->canvas()->settle();
}

} // namespace app
