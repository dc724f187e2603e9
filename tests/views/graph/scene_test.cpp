#include "tests/views/graph/demo_scenes.h"
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "tests/views/graph/session_scenes.h"
#endif
#include "views/common/node_title.h"
#include "views/common/theme.h"
#include "views/graph/colour_key.h"
#include "views/graph/dot_worker/protocol.h"
#include "views/graph/grid_index.h"
#include "views/graph/node_query.h"
#include "views/graph/scene_layout.h"
#include "views/graph/text_ruler.h"

#include <QtTest>

#include <cmath>
#include <random>

using namespace views;

class SceneTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_reader = profiler::SessionReader::open(CROTON_REAL_SESSION);
        m_scenes = std::make_unique<demo::SessionScenes>(*m_reader, "train");
    }

    void titles()
    {
        QCOMPARE(nodeTitle(QStringLiteral("add"), {QStringLiteral("1.0"), {}}), QStringLiteral("1.0 + ·"));
        for (const char *name : {"−x", "xʸ", "|x|", "1/x", "x²", "2ˣ", "eˣ−1", "log(1+x)", "⌈x⌉"}) {
            const QString word = friendlyName(QString::fromUtf8(name));
            QVERIFY2(std::all_of(word.begin(), word.end(), [](QChar c) { return c.isLetterOrNumber(); }), name);
        }
        QCOMPARE(nodeTitle(QStringLiteral("−"), {QStringLiteral("1.0"), {}}), QStringLiteral("1.0 − ·"));
        QCOMPARE(nodeTitle(QStringLiteral("exp"), {{}}), QStringLiteral("exp"));
        QCOMPARE(nodeTitle(QStringLiteral("alloc"), {QStringLiteral("400")}), QStringLiteral("alloc(400)"));
        QCOMPARE(nodeTitle(QStringLiteral("gemv"), {{}, QStringLiteral("1.0"), {}}), QStringLiteral("gemv"));
    }

    void queries()
    {
        SceneNode node;
        node.title = "gemm";
        node.exactName = "Gemm{inplace}";
        node.type = "TensorType(float64, matrix)";
        node.phase = "blas";
        node.device = "cpu";
        node.cost.seconds = 2e-3;
        node.line = 10;
        for (const char *yes : {"gemm", "GEMM matrix", "op:gemm", "type:float64", "time>1ms", "time>1999us", "time<1s", "line:10", "line>9",
                                "phase:blas", "device:cpu", "/^gemm/", "/in place|inplace/ line:10", "kind:apply"})
            QVERIFY2(NodeQuery(yes).matches(node), yes);
        for (const char *no :
             {"dot", "gemm dot", "op:dot", "type:float32", "time>3ms", "line:9", "phase:fusion", "/^inplace/", "kind:input", "shape:3"})
            QVERIFY2(!NodeQuery(no).matches(node), no);
        QVERIFY(!NodeQuery("/(/").error().isEmpty());
        QVERIFY(!NodeQuery("/(/").matches(node));
        QVERIFY(!NodeQuery("time>soon").error().isEmpty());
        QVERIFY(NodeQuery(" ").isEmpty());
    }

    void aPartHasItsOwnEdgesOnly()
    {
        const Scene scene = demo::layered(40, 1);
        QSet<SceneKey> keys{scene.nodes[scene.edges.front().from].key, scene.nodes[scene.edges.front().to].key};
        const Scene part = partOf(scene, keys);
        QCOMPARE(part.nodes.size(), std::size_t(2));
        QVERIFY(!part.edges.empty());
        for (const SceneEdge &edge : part.edges) QVERIFY(edge.from < 2 && edge.to < 2);
        for (SceneKey key : keys) QVERIFY(part.find(key) >= 0);
    }

    // One input, `many` applies of it, and one that takes them all: what they have in common is drawn once.
    void fansAreBundled_data()
    {
        QTest::addColumn<int>("many");
        QTest::newRow("few") << 5;
        QTest::newRow("many") << 40;
        QTest::newRow("hundreds") << 400;
    }
    void fansAreBundled()
    {
        QFETCH(int, many);
        const Theme theme = Theme::load(ThemeKind::Light);
        Scene scene;
        const auto add = [&scene](SceneKind kind, const QString &title) {
            SceneNode node;
            node.kind = kind;
            node.title = title;
            node.key =
                sceneKey(1, isVariable(kind) ? SceneRole::Variable : SceneRole::Apply, static_cast<std::uint32_t>(scene.nodes.size()));
            scene.nodes.push_back(node);
            return static_cast<int>(scene.nodes.size()) - 1;
        };
        const int source = add(SceneKind::Input, "x"), sink = add(SceneKind::Apply, "join");
        for (int i = 0; i < many; ++i) {
            const int middle = add(SceneKind::Apply, "tanh");
            scene.edges.push_back({source, middle});
            SceneEdge edge{middle, sink};
            edge.slot = i;
            edge.slotCount = many;
            scene.edges.push_back(edge);
        }
        scene.rebuildIndex();
        const Picture picture = layoutScene(scene, theme);
        if (many < 12) {
            QVERIFY(picture.fans.empty());
            for (const PictureEdge &edge : picture.edges) QVERIFY(edge.ownFrom == 0 && edge.ownTo < 0);
            return;
        }
        QCOMPARE(picture.fans.size(), std::size_t(2));
        for (const FanShape &fan : picture.fans) {
            QCOMPARE(fan.count, many);
            QCOMPARE(fan.node, fan.out ? source : sink);
            const QRectF &rect = picture.nodes[fan.node].rect;
            QCOMPARE(fan.root, QPointF(rect.center().x(), fan.out ? rect.bottom() : rect.top()));
            QVERIFY(picture.bounds.contains(fan.left) && picture.bounds.contains(fan.right));
            // The line across runs between the layers.
            for (const PictureNode &node : picture.nodes)
                QVERIFY(!node.rect.intersects(QRectF(fan.left.x(), fan.left.y() - 0.5, fan.right.x() - fan.left.x(), 1)));
        }
        for (std::size_t i = 0; i < picture.edges.size(); ++i) {
            const PictureEdge &edge = picture.edges[i];
            const bool leaves = scene.edges[i].from == source;
            const FanShape &fan = picture.fans[picture.fans[0].out == leaves ? 0 : 1];
            QCOMPARE(edge.curve.size() % 3, std::size_t(1));
            QCOMPARE(leaves ? edge.curve.front() : edge.curve.back(), fan.root);
            const int own = leaves ? edge.ownFrom : edge.ownTo;
            QVERIFY(own > 0 && own + 1 < static_cast<int>(edge.curve.size()));
            QVERIFY(std::abs(edge.curve[static_cast<std::size_t>(own)].y() - fan.left.y()) < 1e-6);
            const QPointF at = edge.curve[static_cast<std::size_t>(own)];
            QVERIFY(at.x() >= fan.left.x() - 1e-6 && at.x() <= fan.right.x() + 1e-6);
            QVERIFY(edge.bounds.contains(edge.curve.front()) && edge.bounds.contains(edge.curve.back()));
        }
    }

    // The frame of what one kernel runs holds its members and nothing else, whatever stands between them.
    void framesHoldTheirMembersOnly()
    {
        const Theme theme;
        for (unsigned seed = 0; seed < 40; ++seed) {
            Scene scene = demo::layered(seed % 2 ? 12 : 300, seed);
            std::mt19937 random(seed);
            SceneFrame frame;
            int at = static_cast<int>(random() % scene.nodes.size());
            while (at >= 0 && frame.members.size() < 4) {
                frame.members.push_back(at);
                int next = -1;
                for (const SceneEdge &edge : scene.edges)
                    if (edge.from == at && std::find(frame.members.begin(), frame.members.end(), edge.to) == frame.members.end())
                        next = edge.to;
                at = next;
            }
            scene.frames.push_back(frame);
            const Picture picture = layoutScene(scene, theme);
            const FrameShape &shape = picture.frames.front();
            QVERIFY(!shape.captionsAt.empty() && shape.captionsAt.size() <= frame.members.size());
            for (std::size_t i = 0; i < scene.nodes.size(); ++i) {
                const bool member = std::find(frame.members.begin(), frame.members.end(), static_cast<int>(i)) != frame.members.end();
                const QRectF rect = picture.nodes[i].rect;
                if (member) QVERIFY(shape.outline.contains(rect.center()));
                else
                    QVERIFY2(!shape.outline.intersects(rect.adjusted(1, 1, -1, -1)),
                             qPrintable(QStringLiteral("seed %1, node %2").arg(seed).arg(i)));
            }
        }
    }

    void framesSayWhatRunsTogether()
    {
        Scene scene = demo::layered(12, 1);
        SceneFrame frame;
        frame.members = {0, 1, 2};
        for (int i = 0; i < 3; ++i) {
            scene.nodes[i].title = QStringLiteral("op%1").arg(i);
            scene.nodes[i].number = i + 4;
        }
        scene.frames = {frame};
        QCOMPARE(frameSentence(scene, 1), QStringLiteral("Runs as one kernel with 4 op0 and 6 op2."));
        scene.frames[0].runsAsOne = false;
        QVERIFY(frameSentence(scene, 0).startsWith(QStringLiteral("May run as one kernel with 5 op1 and 6 op2")));
        QVERIFY(frameSentence(scene, 5).isEmpty());
        QVERIFY(toDot(scene).contains(QStringLiteral("subgraph cluster_kernel0")));
    }

    void anOpenCompositeKeepsItsEdges()
    {
        const Scene closed = m_scenes->at(m_scenes->stepCount());
        int looked = 0;
        for (const SceneNode &node : closed.nodes) {
            if (node.kind != SceneKind::Composite || !node.expandable) continue;
            const Scene scene = m_scenes->at(m_scenes->stepCount(), {node.key});
            const int group = scene.find(node.key);
            QVERIFY(scene.nodes[group].open);
            const Picture picture = layoutScene(scene, Theme());
            for (std::size_t i = 0; i < scene.edges.size(); ++i) {
                const SceneEdge &edge = scene.edges[i];
                const std::vector<QPointF> &curve = picture.edges[i].curve;
                if ((edge.from != group && edge.to != group) || picture.edges[i].stub) continue;
                const QPointF end = edge.to == group ? curve.back() : curve.front();
                const SceneKind wanted = edge.to == group ? SceneKind::Input : SceneKind::Output;
                bool isInside = false;
                for (std::size_t n = 0; n < scene.nodes.size(); ++n)
                    isInside |= scene.nodes[n].parent == group && scene.nodes[n].kind == wanted &&
                                picture.nodes[n].rect.adjusted(-1, -1, 1, 1).contains(end);
                QVERIFY2(isInside, "an edge ends at the frame");
                ++looked;
            }
        }
        QVERIFY(looked > 2);
    }

    void everyEdgeJoinsNodesOfTheScene()
    {
        for (int step = 0; step <= m_scenes->stepCount(); ++step) {
            const Scene scene = m_scenes->at(step);
            QCOMPARE(scene.index.size(), static_cast<int>(scene.nodes.size())); // keys are unique
            for (const SceneEdge &edge : scene.edges) {
                QVERIFY(edge.from >= 0 && edge.from < static_cast<int>(scene.nodes.size()));
                QVERIFY(edge.to >= 0 && edge.to < static_cast<int>(scene.nodes.size()));
                QVERIFY(edge.slot >= 0 && edge.slot < edge.slotCount);
                QVERIFY(isApply(scene.nodes[edge.to].kind) || scene.nodes[edge.to].kind == SceneKind::Output);
            }
        }
    }

    void optimizedHasNumbersOutputsUpdatesAndTimes()
    {
        const Scene scene = m_scenes->at(m_scenes->stepCount(), {}, false);
        int numbered = 0, timed = 0, destroys = 0;
        for (const SceneNode &node : scene.nodes) {
            numbered += node.number >= 0;
            timed += node.cost.seconds > 0;
        }
        for (const SceneEdge &edge : scene.edges) destroys += edge.kind == SceneEdgeKind::Destroy;
        QCOMPARE(numbered, scene.applyCount());
        QVERIFY(timed > 0);
        QVERIFY(destroys > 0);
        QVERIFY(scene.count(SceneKind::Shared) >= 4);
        QStringList outputs;
        for (const SceneNode &node : scene.nodes)
            if (node.kind == SceneKind::Output) outputs << node.title;
        QVERIFY2(outputs.contains(QStringLiteral("w")) && outputs.contains(QStringLiteral("b")), qPrintable(outputs.join(u' ')));
    }

    void constantsStandInTitlesUnlessAskedFor()
    {
        const Scene inlined = m_scenes->at(0), full = m_scenes->at(0, {}, false);
        QVERIFY(inlined.nodes.size() < full.nodes.size());
        QVERIFY(full.count(SceneKind::Constant) > 0);
        QCOMPARE(inlined.applyCount(), full.applyCount()); // what is not drawn is counted all the same
        QStringList titles;
        for (const SceneNode &node : inlined.nodes) titles << node.title;
        for (const SceneNode &node : full.nodes)
            if (node.kind == SceneKind::Constant)
                QVERIFY2(!titles.filter(node.title).isEmpty(), qPrintable(node.title + " in " + titles.join(u' ')));
    }

    void openGroupShowsItsMembersInside()
    {
        const int last = m_scenes->stepCount();
        QSet<SceneKey> open;
        for (const SceneNode &node : m_scenes->at(last).nodes)
            if (node.expandable) open.insert(node.key);
        QVERIFY(!open.isEmpty());
        const Scene scene = m_scenes->at(last, open);
        const Picture picture = layoutScene(scene, Theme::current());
        int inside = 0;
        for (std::size_t i = 0; i < scene.nodes.size(); ++i) {
            if (scene.nodes[i].parent < 0) continue;
            ++inside;
            QVERIFY(picture.nodes[scene.nodes[i].parent].rect.contains(picture.nodes[i].rect));
        }
        QVERIFY(inside >= 3);
        QCOMPARE(scene.applyCount(), m_scenes->at(last).applyCount());
    }

    void markedStepsSayWhatCameAndWent()
    {
        int ghosts = 0, made = 0, gone = 0, stayed = 0; // of the last two: what merging does
        for (int step = 1; step <= m_scenes->stepCount(); ++step) {
            const Scene before = m_scenes->at(step - 1, {}, false), after = m_scenes->at(step, {}, false),
                        marked = m_scenes->marked(step, false);
            for (const SceneNode &node : marked.nodes) {
                if (node.ghost) {
                    ++ghosts;
                    QVERIFY(before.find(node.key) >= 0 && after.find(node.key) < 0);
                    QVERIFY(node.diff == DiffState::Dead || node.diff == DiffState::Merged);
                    gone += node.diff == DiffState::Merged;
                } else if (node.diff == DiffState::Merged) {
                    ++stayed; // one that was there, or came, and has its twin's readers now
                } else if (node.diff != DiffState::None) {
                    ++made;
                    QVERIFY2(before.find(node.key) < 0, qPrintable(node.title));
                }
            }
            QCOMPARE(marked.applyCount(), after.applyCount());
        }
        QVERIFY(ghosts > 5);
        QVERIFY(made > 5);
        QVERIFY(gone > 0 && stayed > 0);
    }

    void coloursThatNameKindsHaveTheirKey()
    {
        SceneNode node;
        for (const auto &[type, dtype] :
             {std::pair("TensorType(float32, matrix)", "float32"), std::pair("TensorType(int64, (True,))", "int64"),
              std::pair("GpuArrayType<cuda0>(float16, vector)", "float16"), std::pair("TypedListType(TensorType(bool, vector), 2)", "bool"),
              std::pair("Generic", "")}) {
            node.type = QLatin1String(type);
            QCOMPARE(dtypeOf(node), QLatin1String(dtype));
        }
        const Scene scene = m_scenes->at(m_scenes->stepCount());
        const ColourKey dtypes = colourKeyOf(scene, Overlay::Dtype), phases = colourKeyOf(scene, Overlay::Phase),
                        devices = colourKeyOf(scene, Overlay::Device);
        const auto holds = [](const ColourKey &key, const QString &text) {
            return std::any_of(key.entries.begin(), key.entries.end(), [&](const ColourEntry &entry) { return entry.text == text; });
        };
        QVERIFY(holds(dtypes, QStringLiteral("float32")));
        QVERIFY(holds(phases, QStringLiteral("fusion")) && phases.entries.size() > 2);
        QVERIFY(holds(devices, QStringLiteral("cpu")));
        for (const ColourEntry &entry : dtypes.entries) QCOMPARE(entry.fill, dtypeFill(entry.text));
        QVERIFY(colourKeyOf(scene, Overlay::Time).entries.empty()); // it has a scale
    }

    void nothingOverlapsWhileStepping()
    {
        Picture picture = layoutScene(m_scenes->at(0), Theme::current());
        double moved = 0;
        int survivors = 0;
        for (int step = 1; step <= m_scenes->stepCount(); ++step) {
            const Scene scene = m_scenes->marked(step);
            const PictureMemory before = picture.memory;
            picture = layoutScene(scene, Theme::current(), before, successors(m_scenes->marks(step)));
            for (std::size_t a = 0; a < scene.nodes.size(); ++a) {
                if (scene.nodes[a].ghost) continue;
                for (std::size_t b = a + 1; b < scene.nodes.size(); ++b)
                    if (!scene.nodes[b].ghost)
                        QVERIFY2(
                            !picture.nodes[a].rect.intersects(picture.nodes[b].rect),
                            qPrintable(QStringLiteral("step %1: %2 and %3").arg(step).arg(scene.nodes[a].title, scene.nodes[b].title)));
                if (const auto old = before.nodes.constFind(scene.nodes[a].key); old != before.nodes.constEnd()) {
                    const QPointF now = picture.nodes[a].rect.center();
                    moved += std::hypot(now.x() - old->x, now.y() - old->y);
                    ++survivors;
                }
            }
        }
        QVERIFY2(moved / survivors < 12, qPrintable(QString::number(moved / survivors)));
    }

    void ghostsHaveAPlaceAlsoInAFirstPicture()
    {
        for (int step = 1; step <= m_scenes->stepCount(); ++step) {
            const Scene scene = m_scenes->marked(step, false);
            const Picture picture = layoutScene(scene, Theme::current());
            for (std::size_t a = 0; a < scene.nodes.size(); ++a)
                for (std::size_t b = a + 1; b < scene.nodes.size(); ++b)
                    QVERIFY2(!picture.nodes[a].rect.intersects(picture.nodes[b].rect), qPrintable(scene.nodes[a].title));
        }
    }

    void everyBoxIsReadable()
    {
        for (const Scene &scene : {demo::everyKind(), demo::logisticRegression(true)}) {
            const Picture picture = layoutScene(scene, Theme::current());
            for (std::size_t i = 0; i < scene.nodes.size(); ++i) {
                const QRectF &rect = picture.nodes[i].rect;
                QVERIFY(rect.width() >= 72 && rect.width() <= 240);
                QCOMPARE(rect.height(), scene.nodes[i].subtitle.isEmpty() ? 24.0 : 36.0);
                QVERIFY(!picture.nodes[i].title.isEmpty());
            }
            for (std::size_t i = 0; i < scene.edges.size(); ++i) {
                const QRectF &to = picture.nodes[scene.edges[i].to].rect;
                const QPointF tip = picture.edges[i].curve.back();
                QCOMPARE(tip.y(), to.top());
                QVERIFY(tip.x() > to.left() && tip.x() < to.right());
            }
        }
    }

    void aRulerSaysWhatTheFontSays()
    {
        for (const FontRole role : {FontRole::Node, FontRole::Mono, FontRole::Caption, FontRole::NodeNumber}) {
            const QFontMetricsF font(Theme::current().font(role));
            TextRuler ruler(Theme::current().font(role));
            for (int time = 0; time < 2; ++time) // the second answer is the remembered one
                for (const char *text : {"", "tanh", "0.52 µs · 0.1%", "a_shared_variable_with_a_long_name", "eˣ−1"}) {
                    const QString said = QString::fromUtf8(text);
                    QCOMPARE(ruler.width(said), font.horizontalAdvance(said));
                    for (const double room : {12.0, 40.0, 96.0, 1000.0})
                        QCOMPARE(ruler.elided(said, room), font.elidedText(said, Qt::ElideMiddle, room));
                }
            if (role == FontRole::NodeNumber)
                for (const int number : {0, 7, 41, 1234, 98765})
                    QCOMPARE(ruler.width(number), font.horizontalAdvance(QString::number(number)));
        }
    }

    void dotMessagesSurviveAndDamagedOnesAreRefused()
    {
        const Scene scene = demo::layered(40, 1);
        const Picture picture = layoutScene(scene, Theme::current());
        const DotQuestion question = askDot(scene, picture, Theme::current());
        const std::string bytes = dot::encode(question.request);
        const auto back = dot::decodeRequest(bytes);
        QVERIFY(back);
        QCOMPARE(back->nodes.size(), question.request.nodes.size());
        QCOMPARE(back->edges.size(), question.request.edges.size());
        QCOMPARE(back->nodes[7].width, question.request.nodes[7].width);
        for (std::size_t length = 0; length < bytes.size(); length += 7)
            QVERIFY(!dot::decodeRequest(std::string_view(bytes).substr(0, length)));
        QVERIFY(!dot::decodeRequest(bytes + 'x'));
        std::mt19937 random(4);
        for (int i = 0; i < 2000; ++i) { // whatever comes in: no crash, and no huge allocation
            std::string damaged = bytes;
            for (int k = 0; k < 3; ++k) damaged[random() % damaged.size()] = static_cast<char>(random());
            (void)dot::decodeRequest(damaged);
            (void)dot::decodeAnswer(damaged);
        }
        std::string other = bytes;
        other[3] = '9'; // another version
        QVERIFY(!dot::decodeRequest(other));
    }

    void gridFindsWhatAScanFinds()
    {
        std::mt19937 random(2);
        auto number = [&](int range) { return static_cast<double>(static_cast<int>(random() % static_cast<unsigned>(range)) - range / 2); };
        std::vector<QRectF> rects;
        for (int i = 0; i < 400; ++i) rects.emplace_back(number(8000), number(8000), 10 + random() % 300, i % 40 == 0 ? 6000 : 30);
        GridIndex grid;
        grid.build(rects);
        for (int i = 0; i < 100; ++i) {
            const QRectF region(number(8000), number(8000), 5 + random() % 2000, 5 + random() % 2000);
            std::vector<int> expected;
            for (std::size_t k = 0; k < rects.size(); ++k)
                if (rects[k].intersects(region)) expected.push_back(static_cast<int>(k));
            QCOMPARE(grid.query(region), expected);
        }
    }

    void dotTextIsQuoted()
    {
        Scene scene = demo::everyKind();
        scene.nodes[0].title = QStringLiteral("a\"b\\");
        const QString text = toDot(scene);
        QVERIFY(text.contains(QStringLiteral("\"a\\\"b\\\\\"")));
        QCOMPARE(text.count(QStringLiteral(" -> ")), static_cast<int>(scene.edges.size()));
    }

private:
    std::unique_ptr<profiler::SessionReader> m_reader;
    std::unique_ptr<demo::SessionScenes> m_scenes;
};

QTEST_MAIN(SceneTest)
#include "scene_test.moc"
