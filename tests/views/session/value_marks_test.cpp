// What `croton values` put into a session is seen in the graph and in the inspector.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/store/add_values.h"
#include "profiler/session/store/reader.h"
#include "views/graph/graph_scenes.h"
#include "views/inspector/inspector_content.h"
#include "views/session/value_marks.h"
#endif

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

using namespace views;

class ValueMarksTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::shared_ptr<const SessionData> m_session;
    std::shared_ptr<const GraphData> m_graph;
    const profiler::FunctionInfo *m_function = nullptr;
    profiler::ApplyId m_bad = profiler::kNoApply, m_good = profiler::kNoApply;

    profiler::ValueRow rowOf(profiler::ValueSide side, int position, profiler::ApplyId apply, double lost, double magnitude) const
    {
        profiler::ValueRow row;
        row.function = m_function->id;
        row.side = side;
        row.position = position;
        row.graph = m_graph->info.id;
        row.apply = apply;
        row.name = row.op = "log";
        row.facts.elements = 3;
        row.facts.least = -magnitude;
        row.facts.largest = row.facts.magnitude = magnitude;
        row.facts.histogram = {"1", "0", "2"};
        row.facts.first = {"1", "-2", "nan"};
        row.accuracy.reference = profiler::ValueReference::Precise;
        row.accuracy.digits = 16;
        row.accuracy.lost = lost;
        return row;
    }

private Q_SLOTS:
    void initTestCase()
    {
        const QString path = m_folder.filePath("s.croton");
        QVERIFY(QFile::copy(CROTON_REAL_SESSION, path));
        QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner);
        const auto before = readSession(*profiler::SessionReader::open(path.toStdString()), nullptr);
        QVERIFY(before->values.empty());
        m_function = &before->functions.front();
        m_graph = before->graphOf(raw(m_function->id));
        GraphScenes scenes(before, m_graph);
        const Scene original = scenes.original(); // constants that only change their shape have no node of their own
        for (const SceneNode &node : original.nodes)
            if (sceneRole(node.key) == SceneRole::Apply)
                (m_bad == profiler::kNoApply ? m_bad : m_good) = profiler::ApplyId{sceneId(node.key)};
        QVERIFY(m_good != profiler::kNoApply);
        std::vector<profiler::ValueRow> rows{rowOf(profiler::ValueSide::Original, 0, m_good, 0, 1e-3),
                                             rowOf(profiler::ValueSide::Original, 1, m_bad, 16, 1e3)};
        rows[1].facts.nans = 1;
        rows[1].accuracy.worst = 2;
        rows[1].accuracy.got = rows[1].accuracy.wanted = "nan";
        rows[1].accuracy.read = {"-1"};
        rows[1].accuracy.born = {"nan"};
        // Told twice, the later one counts.
        profiler::addValues(path.toStdString(), rows, {});
        profiler::addValues(path.toStdString(), rows, std::vector<profiler::ValueNote>{{m_function->id, 0, {}, "a note"}});
        m_session = readSession(*profiler::SessionReader::open(path.toStdString()), nullptr);
        m_function = &m_session->functions.front();
        m_graph = m_session->graphOf(raw(m_function->id));
        QCOMPARE(m_session->values.size(), std::size_t(1));
        QCOMPARE(m_session->values[0].rows.size(), std::size_t(2));
        QCOMPARE(m_session->values[0].notes.size(), std::size_t(1));
    }
    void marksAreOfTheSideThatWasLookedAt()
    {
        const ValueMarks marks(*m_session);
        const ValueMarks::OfNode *bad = marks.ofApply(m_graph->info.id, Side::Original, m_bad);
        QVERIFY(bad);
        QCOMPARE(bad->lostShare, 1.0);
        QCOMPARE(bad->born, QString("nan"));
        QVERIFY2(bad->sentence.contains("element 2 of 3: log(-1) is nan"), qPrintable(bad->sentence));
        QVERIFY(!marks.ofApply(m_graph->info.id, Side::Optimized, m_bad));
        QCOMPARE(marks.magnitudes(m_graph->info.id), std::pair(1e-3, 1e3));
    }
    void theGraphAsWrittenHasThem()
    {
        GraphScenes scenes(m_session, m_graph);
        const Scene original = scenes.original(), optimized = scenes.at(-1);
        const SceneNode *bad = original.node(sceneKey(raw(m_graph->info.id), SceneRole::Apply, raw(m_bad)));
        const SceneNode *good = original.node(sceneKey(raw(m_graph->info.id), SceneRole::Apply, raw(m_good)));
        QVERIFY(bad && good);
        QCOMPARE(bad->values.lostShare, 1.0);
        QCOMPARE(bad->values.born, QString("nan"));
        QCOMPARE(bad->values.magnitudePlace, 1.0);
        QCOMPARE(good->values.lostShare, 0.0);
        QCOMPARE(good->values.magnitudePlace, 0.0);
        for (const SceneNode &node : optimized.nodes) QVERIFY(node.values.lostShare < 0 && node.values.born.isEmpty());
    }
    void theInspectorShowsThem()
    {
        const Links links(m_graph);
        const InspectorContent content = inspectNode(*m_session, links, *m_function, {Side::Original, NodeKind::Apply, raw(m_bad)});
        QCOMPARE(content.values.size(), std::size_t(1));
        const InspectorContent::Values &values = content.values[0];
        QVERIFY(values.histogram);
        QCOMPARE(values.histogram->bars, (std::vector<double>{0.5, 0, 1}));
        QCOMPARE(values.first, QString("1  -2  nan"));
        QCOMPARE(values.alarms.size(), std::size_t(1));
        QVERIFY(values.sentences[1].startsWith("16.0 of 16.0 digits lost"));
        QVERIFY(inspectNode(*m_session, links, *m_function, {Side::Optimized, NodeKind::Apply, raw(m_bad)}).values.empty());
    }
};

QTEST_MAIN(ValueMarksTest)
#include "value_marks_test.moc"
