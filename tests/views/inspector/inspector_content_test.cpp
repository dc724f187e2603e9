#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/store/reader.h"
#include "views/inspector/inspector_content.h"
#endif

#include <QPushButton>
#include <QToolButton>
#include <QtTest>

#include <algorithm>

using namespace views;

class InspectorContentTest : public QObject {
    Q_OBJECT

    ViewFeed m_feed;

private Q_SLOTS:
    void initTestCase()
    {
        m_feed.session = readSession(*profiler::SessionReader::open(CROTON_REAL_SESSION), nullptr);
        m_feed.function = &m_feed.session->functions.front();
        m_feed.graph = m_feed.session->graphOf(raw(m_feed.function->id));
        m_feed.links = std::make_shared<const Links>(m_feed.graph);
    }
    void everyNodeAndStepIsKnown()
    {
        for (Side side : {Side::Original, Side::Optimized}) {
            for (const auto &row : m_feed.graph->applies) {
                if (side == Side::Original ? !row.inOriginal : !row.inOptimized) continue;
                const InspectorContent content =
                    inspectNode(*m_feed.session, *m_feed.links, *m_feed.function, {side, NodeKind::Apply, raw(row.apply)});
                QVERIFY(!content.title.isEmpty());
                QCOMPARE(content.exactName, QString::fromStdString(row.op));
                QVERIFY(!content.chips.empty());
            }
        }
        for (const auto &row : m_feed.graph->variables)
            QVERIFY(!inspectNode(*m_feed.session, *m_feed.links, *m_feed.function, {Side::Optimized, NodeKind::Variable, raw(row.variable)})
                         .title.isEmpty());
        for (int step = 0; step <= m_feed.graph->info.stepCount; ++step)
            QVERIFY(!inspectStep(*m_feed.session, *m_feed.links, *m_feed.function, step).title.isEmpty());
    }
    void whoReadsAnApplyIsListed()
    {
        int edges = 0, outputs = 0;
        for (Side side : {Side::Original, Side::Optimized}) {
            const profiler::GraphReplica &replica = side == Side::Original ? *m_feed.graph->replica : *m_feed.graph->final;
            const auto of = [&](profiler::ApplyId id) {
                return inspectNode(*m_feed.session, *m_feed.links, *m_feed.function, {side, NodeKind::Apply, raw(id)});
            };
            for (const profiler::ApplyId reader : replica.applies())
                for (const profiler::VariableId input : replica.apply(reader)->inputs) {
                    const profiler::ApplyId owner = replica.variable(input)->owner;
                    if (owner == profiler::kNoApply) continue;
                    const InspectorContent content = of(owner);
                    QVERIFY(std::any_of(content.readers.begin(), content.readers.end(), [&](const InspectorContent::Input &each) {
                        return each.node == NodeRef{side, NodeKind::Apply, raw(reader)} && !each.name.isEmpty();
                    }));
                    ++edges;
                }
            for (const profiler::ApplyId id : replica.applies()) {
                const InspectorContent content = of(id);
                QVERIFY2(!content.readers.empty(), "what is in a graph is read, or is what the function gives back");
                for (const InspectorContent::Input &each : content.readers) outputs += each.name.startsWith("output ");
            }
        }
        QVERIFY(edges > 10);
        QVERIFY(outputs >= 2);
    }
    void theCallsThatLedToAnApplyAreListed()
    {
        const auto session = readSession(*profiler::SessionReader::open(CROTON_REAL_CALLS), nullptr);
        const auto graph = session->graphOf(raw(session->functions.front().id));
        const Links links(graph);
        const QString layers = QStringLiteral(CROTON_REAL_CALLS ".layers.py");
        int seen = 0;
        for (const auto &row : graph->applies) {
            if (!row.inOriginal || row.friendly != "tanh") continue;
            const InspectorContent content =
                inspectNode(*session, links, session->functions.front(), {Side::Original, NodeKind::Apply, raw(row.apply)});
            QCOMPARE(content.source.lines.size(), std::size_t{1});
            QCOMPARE(content.source.lines[0].source, (SourceRef{layers, 5}));
            QCOMPARE(content.source.callers.size(), std::size_t{2});
            QCOMPARE(content.source.callers[0].source, (SourceRef{layers, 3}));
            QCOMPARE(content.source.callers[0].text.trimmed(), QStringLiteral("return squash(z)"));
            QCOMPARE(content.source.callers[1].source, (SourceRef{QStringLiteral("train.py"), ++seen}));
            QVERIFY(content.source.callers[1].text.contains(QStringLiteral("dense(")));
        }
        QCOMPARE(seen, 2);
    }
    void whatIsSelectedDecides()
    {
        QVERIFY(!inspect({}).emptySentence.isEmpty());
        ViewFeed feed = m_feed;
        QCOMPARE(inspect(feed).subject, QString("function"));
        feed.selection.step = 3;
        QCOMPARE(inspect(feed).heading, QString("Rewrite"));
        feed.selection.step = Selection::kLastStep;
        feed.selection.workspace = "steps";
        QVERIFY2(inspect(feed).subject.contains(QString::number(feed.graph->info.stepCount)), qPrintable(inspect(feed).subject));
        feed.selection.node = {Side::Original, NodeKind::Apply, 0};
        QVERIFY(inspect(feed).subject.contains("as written"));
    }
    void timesMemoryAndRoofsAreThere()
    {
        int times = 0, buffers = 0, roofs = 0;
        for (const auto &row : m_feed.graph->applies) {
            if (!row.inOptimized) continue;
            const InspectorContent content =
                inspectNode(*m_feed.session, *m_feed.links, *m_feed.function, {Side::Optimized, NodeKind::Apply, raw(row.apply)});
            if (content.times) {
                ++times;
                QCOMPARE(content.times->bars.size(), content.times->tips.size());
                QVERIFY(content.times->median <= content.times->p95);
                QCOMPARE(*std::max_element(content.times->bars.begin(), content.times->bars.end()), 1.0);
            }
            buffers += static_cast<int>(content.buffers.size());
            for (const BufferPicture &buffer : content.buffers) QVERIFY(buffer.from < buffer.to && buffer.to <= 1);
            for (const auto &paragraph : content.paragraphs) roofs += paragraph.title == "Under the roofs";
        }
        QVERIFY(times > 0);
        QVERIFY(buffers > 0);
        QVERIFY(roofs > 0);
    }
    void anAdviceIsDoneByOneButton()
    {
        SelectionHub hub;
        InspectorView inspector(hub);
        QSignalSpy commands(&hub, &SelectionHub::requested);
        const InspectorContent step = inspectStep(*m_feed.session, *m_feed.links, *m_feed.function, 1, true);
        QCOMPARE(step.action.request, Request(TryFlag{QStringLiteral("optimizer_excluding=") + step.title}));
        QVERIFY(step.action.isPossible());
        QVERIFY(!inspectStep(*m_feed.session, *m_feed.links, *m_feed.function, 1, false).action.isPossible());
        InspectorContent content = step;
        content.tips = {
            {"Use float32", "all is float64", "at most 50% of the time", {"Run with floatX=float32", TryFlag{"floatX=float32"}, {}}}};
        inspector.setContent(content);
        for (QPushButton *button : inspector.findChildren<QPushButton *>())
            if (button->text() == "Run with floatX=float32" || button->text() == step.action.text) button->click();
        QCOMPARE(commands.size(), 2);
        const QList<Request> asked{commands[0][0].value<Request>(), commands[1][0].value<Request>()};
        QVERIFY(asked.contains(Request(TryFlag{"floatX=float32"})));
        QVERIFY(asked.contains(step.action.request));
    }
    void aPinnedInspectorKeepsWhatItShowed()
    {
        SelectionHub hub;
        InspectorView inspector(hub);
        ViewFeed feed = m_feed;
        feed.changed = kAllFeedParts;
        inspector.feed(feed);
        auto *pin = inspector.findChild<QToolButton *>("pin");
        QVERIFY(pin);
        pin->setChecked(true);
        feed.selection.node = {Side::Original, NodeKind::Apply, 0};
        inspector.feed(feed);
        QCOMPARE(inspector.content().subject, QString("function"));
        pin->setChecked(false);
        QVERIFY(inspector.content().subject.contains("as written"));
    }
    void codeAndLinkGoThroughTheHub()
    {
        SelectionHub hub;
        hub.setViewNames({{"graph", "Graph", "graph"}, {"tiny", "Tiny", "info"}});
        InspectorView inspector(hub);
        QSignalSpy shown(&hub, &SelectionHub::showInRequested);
        QSignalSpy commands(&hub, &SelectionHub::requested);
        inspector.findChild<QToolButton *>("link")->click();
        QCOMPARE(commands.value(0).value(0).value<Request>(), Request(Command::CopyLink));
        QMenu *menu = inspector.findChild<QMenu *>("showIn");
        QVERIFY(menu);
        Q_EMIT menu->aboutToShow();
        QCOMPARE(menu->actions().size(), 2);
        menu->actions().at(1)->trigger();
        QCOMPARE(shown.value(0).value(0).toString(), QString("tiny"));
    }
};

QTEST_MAIN(InspectorContentTest)
#include "inspector_content_test.moc"
