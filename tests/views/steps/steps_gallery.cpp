// Pictures of the step views: steps_gallery FOLDER [SESSION FUNCTION]. Not a test.
#include "tests/views/graph/session_scenes.h"
#include "views/common/palette.h"
#include "views/graph/graph_canvas.h"
#include "views/steps/step_bar.h"
#include "views/steps/step_card.h"
#include "views/steps/steps_view.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QGridLayout>
#include <QTreeView>

#include <cstdio>

namespace {

using namespace views;

void wait(GraphCanvas &canvas)
{
    QElapsedTimer timer;
    timer.start();
    while (!canvas.isSettled() && timer.elapsed() < 5000) QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    canvas.settle();
}

void takeSteps(const QDir &folder, demo::SessionScenes &scenes, int step, const QString &name)
{
    SelectionHub hub;
    QWidget window;
    auto *grid = new QGridLayout(&window);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(1);
    auto *list = new StepsView(hub);
    auto *canvas = new GraphCanvas;
    auto *card = new StepCard;
    auto *bar = new StepBar(hub);
    list->setFixedWidth(304);
    card->setFixedHeight(280);
    bar->setFixedHeight(72);
    grid->addWidget(list, 0, 0, 3, 1);
    grid->addWidget(canvas, 0, 1);
    grid->addWidget(card, 1, 1);
    grid->addWidget(bar, 2, 1);
    list->setSteps(scenes.steps, scenes.passes);
    bar->setSteps(scenes.steps);
    list->tree()->expandAll();
    window.resize(1120, 860);
    window.show();
    canvas->setScene(scenes.at(0), GraphCanvas::Change::Fresh);
    wait(*canvas);
    for (int i = 1; i <= step; ++i) {
        canvas->setScene(scenes.marked(i), GraphCanvas::Change::Step, successors(scenes.marks(i)));
        canvas->settle();
    }
    canvas->setOverlay(Overlay::Phase);
    hub.selectStep(step);
    StepCardContent content;
    content.step = scenes.steps[static_cast<std::size_t>(step)];
    for (const profiler::RewriteInfo &rewrite : scenes.rewrites)
        if (rewrite.name == content.step.rewrite) content.rewrite = rewrite;
    content.region = stepRegion(scenes.at(step - 1, {}, false), scenes.marked(step, false), scenes.marks(step));
    card->setContent(content);
    QCoreApplication::processEvents();
    window.grab().save(folder.filePath(name));
    std::printf("%s: step %d %s, %s\n", qPrintable(name), step, content.step.rewrite.c_str(), qPrintable(StepCard::sentence(content)));
}

void takeCanvas(const QDir &folder, Scene scene, QSize size, Overlay overlay, const QString &name)
{
    GraphCanvas canvas;
    canvas.resize(size);
    canvas.show();
    canvas.setScene(std::move(scene), GraphCanvas::Change::Fresh);
    canvas.setOverlay(overlay);
    wait(canvas);
    canvas.grab().save(folder.filePath(name));
}

} // namespace

int main(int argc, char **argv)
{
    QApplication app(argc, argv);
    const QDir folder(argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral("gallery"));
    folder.mkpath(QStringLiteral("."));
    auto reader = profiler::SessionReader::open(argc > 2 ? argv[2] : CROTON_REAL_SESSION);
    demo::SessionScenes scenes(*reader, argc > 3 ? argv[3] : "train");
    for (ThemeKind kind : {ThemeKind::Dark, ThemeKind::Light}) {
        applyTheme(app, Theme::load(kind));
        const QString tail = kind == ThemeKind::Light ? QStringLiteral("-light.png") : QStringLiteral("-dark.png");
        const int last = scenes.stepCount();
        for (int step : {1, last / 3, last * 2 / 3, last - 3})
            takeSteps(folder, scenes, std::max(1, step), QStringLiteral("steps-%1").arg(step) + tail);
        takeCanvas(folder, scenes.at(0), {560, 860}, Overlay::None, QStringLiteral("train-original") + tail);
        takeCanvas(folder, scenes.at(last), {560, 860}, Overlay::Time, QStringLiteral("train-optimized") + tail);
        QSet<SceneKey> open;
        for (const SceneNode &node : scenes.at(last).nodes)
            if (node.expandable) open.insert(node.key);
        takeCanvas(folder, scenes.at(last, open), {760, 1000}, Overlay::Time, QStringLiteral("train-open") + tail);
    }
    return 0;
}
