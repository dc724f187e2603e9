#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/store/reader.h"
#include "views/session/links.h"
#endif

#include <QtTest>

using namespace views;

class LinksTest : public QObject {
    Q_OBJECT

    std::shared_ptr<const SessionData> m_session;
    const profiler::FunctionInfo *m_train = nullptr;
    std::unique_ptr<Links> m_links;

    std::vector<std::uint32_t> optimized() const
    {
        std::vector<std::uint32_t> result;
        for (const auto &row : m_links->graph().applies)
            if (row.inOptimized) result.push_back(raw(row.apply));
        return result;
    }
    bool comesFrom(std::uint32_t apply, const std::set<std::uint32_t> &originals, std::set<std::uint32_t> &seen) const
    {
        if (originals.contains(apply)) return true;
        if (!seen.insert(apply).second) return false;
        return std::any_of(m_links->graph().lineage.begin(), m_links->graph().lineage.end(), [&](const profiler::LineageRow &row) {
            return row.to != profiler::kNoApply && raw(row.to) == apply && comesFrom(raw(row.from), originals, seen);
        });
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_session = readSession(*profiler::SessionReader::open(CROTON_REAL_SESSION), nullptr);
        QVERIFY(!m_session->functions.empty());
        m_train = &m_session->functions.front();
        m_links = std::make_unique<Links>(m_session->graphOf(raw(m_train->id)));
    }
    void everyOptimizedApplyLeadsToALineAndToOriginals()
    {
        int led = 0;
        for (std::uint32_t apply : optimized()) {
            const auto originals = m_links->originalsOf(apply);
            const auto lines = m_links->linesOf(apply);
            if (!originals.empty()) {
                QVERIFY2(!lines.empty(), qPrintable(QString::number(apply)));
                ++led;
            }
            for (std::uint32_t original : originals) QVERIFY(m_links->graph().apply(original)->inOriginal);
        }
        QVERIFY(led > 10);
    }
    void lineageIsTheSameBothWays()
    {
        for (std::uint32_t apply : optimized())
            for (std::uint32_t original : m_links->originalsOf(apply))
                QVERIFY2(m_links->descendantsOf(original).count(apply), qPrintable(QStringLiteral("%1 from %2").arg(apply).arg(original)));
    }
    void descendantsAtAStepAreLiveThere()
    {
        const GraphData &graph = m_links->graph();
        profiler::GraphReplica replica(*graph.replica);
        for (int step = 0; step <= graph.info.stepCount; step += 7) {
            replica.goTo(step);
            for (const auto &row : graph.applies) {
                if (!row.inOriginal) continue;
                for (std::uint32_t each : m_links->descendantsOf(raw(row.apply), step)) {
                    const profiler::ReplicaApply *found = replica.apply(profiler::ApplyId{each});
                    QVERIFY2(found && found->live, qPrintable(QStringLiteral("apply %1 at step %2").arg(each).arg(step)));
                }
            }
        }
    }
    void birthStepsExistAndRise()
    {
        for (std::uint32_t apply : optimized()) {
            int last = 0;
            for (const Birth &birth : m_links->birthsOf(apply)) {
                QVERIFY(birth.step > last && birth.step <= m_links->graph().info.stepCount);
                QVERIFY(!birth.rewrite.empty());
                last = birth.step;
            }
        }
    }
    void lineSelectsBothSides()
    {
        const auto lines = m_links->linesOf(optimized().back());
        QVERIFY(!lines.empty());
        Selection selection;
        selection.source = {QString::fromStdString(lines.front().source.file), lines.front().source.line};
        const Linked linked = m_links->linkedTo(selection);
        bool original = false;
        bool optimizedSide = false;
        for (const NodeRef &node : linked.nodes) (node.side == Side::Original ? original : optimizedSide) = true;
        QVERIFY(original);
        QVERIFY(optimizedSide);
    }
    /// Those that a walk from each apply of the line finds, also where that became part of something else.
    void lineHasTheStepsOfAllThatItMade()
    {
        QSet<SourceRef> lines;
        for (const profiler::SourceLink &link : m_links->graph().sourceLinks)
            lines.insert({QString::fromStdString(link.source.file), link.source.line});
        int further = 0; // steps that did not touch the line's own applies
        for (const SourceRef &line : lines) {
            Selection selection;
            selection.source = line;
            const auto originals = m_links->appliesOnLine(line.file.toStdString(), line.line, Side::Original);
            std::set<int> own, expected;
            for (const profiler::StepInfo &step : m_links->graph().steps) {
                if (step.index == 0) continue;
                for (const auto *applies : {&step.matched, &step.produced})
                    for (profiler::ApplyId apply : *applies) {
                        if (originals.contains(raw(apply))) own.insert(static_cast<int>(step.index));
                        if (std::set<std::uint32_t> seen; comesFrom(raw(apply), originals, seen))
                            expected.insert(static_cast<int>(step.index));
                    }
            }
            QCOMPARE(m_links->linkedTo(selection).steps, std::vector<int>(expected.begin(), expected.end()));
            further += static_cast<int>(expected.size() - own.size());
        }
        QVERIFY(further > 0);
    }
    // train.py calls dense() of another file twice, and that calls squash().
    void aLineHasWhatWasMadeBeneathItAndAnApplyTheLinesThatLedThere()
    {
        const auto session = readSession(*profiler::SessionReader::open(CROTON_REAL_CALLS), nullptr);
        const Links links(session->graphOf(raw(session->functions.front().id)));
        const std::string layers = std::string(CROTON_REAL_CALLS) + ".layers.py";
        QCOMPARE(session->sourceFiles(), (std::vector<std::string>{"train.py", layers}));
        const auto namesOn = [&](const std::string &file, int line) {
            QStringList names;
            for (const std::uint32_t each : links.appliesOnLine(file, line, Side::Original))
                names << QString::fromStdString(links.graph().apply(each)->friendly);
            names.sort();
            return names.join(' ');
        };
        const QString layer = QStringLiteral("dot tanh");
        QCOMPARE(namesOn("train.py", 1), layer);
        QCOMPARE(namesOn("train.py", 2), layer);
        QCOMPARE(namesOn(layers, 2), QStringLiteral("dot dot"));
        QCOMPARE(namesOn(layers, 3), QStringLiteral("tanh tanh"));
        QCOMPARE(namesOn(layers, 5), QStringLiteral("tanh tanh"));
        QVERIFY(!links.appliesOnLine("train.py", 1, Side::Optimized).empty());

        const SourceRef script{QStringLiteral("train.py"), 2}, squash{QString::fromStdString(layers), 5};
        for (const std::uint32_t each : links.appliesOnLine("train.py", 2, Side::Original)) {
            if (links.graph().apply(each)->friendly != "tanh") continue;
            Selection selection;
            selection.node = {Side::Original, NodeKind::Apply, each};
            const Linked linked = links.linkedTo(selection);
            QCOMPARE(linked.lines, (QSet<SourceRef>{script, squash})); // the innermost of each file
            QCOMPARE(linked.callers, (QSet<SourceRef>{{squash.file, 3}}));
            QCOMPARE(links.callersOf(each), (std::vector<profiler::SourceLine>{{layers, 3}, {"train.py", 2}}));
        }
        // At a step in between, too: what the line's applies became by then.
        Selection selection;
        selection.source = {QStringLiteral("train.py"), 1};
        for (int step = 0; step < links.graph().info.stepCount; ++step) {
            selection.step = step;
            QSet<NodeRef> expected;
            for (const std::uint32_t each : links.appliesOnLine("train.py", 1, Side::Original)) {
                expected.insert({Side::Original, NodeKind::Apply, each});
                for (const std::uint32_t now : links.descendantsOf(each, step)) expected.insert({Side::Optimized, NodeKind::Apply, now});
            }
            QCOMPARE(links.linkedTo(selection).nodes, expected);
        }
    }
    void inputsAreTheSameOnBothSides()
    {
        for (const auto &row : m_links->graph().variables) {
            if (row.kind != profiler::VariableKind::Shared) continue;
            Selection selection;
            selection.node = {Side::Optimized, NodeKind::Variable, raw(row.variable)};
            QVERIFY(m_links->linkedTo(selection).nodes.contains({Side::Original, NodeKind::Variable, raw(row.variable)}));
            return;
        }
        QFAIL("the session has no shared variable");
    }
};

QTEST_GUILESS_MAIN(LinksTest)
#include "links_test.moc"
