#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/store/reader.h"
#include "views/session/links.h"
#endif

#include "tests/views/feed.h"
#include "views/code/source_panel.h"
#include "views/common/palette.h"

#include <QtTest>

using namespace views;

/// On a session of train.py, which calls dense() of another file twice, and that calls squash().
class SourcePanelTest : public QObject {
    Q_OBJECT

    const QString m_layers = QStringLiteral(CROTON_REAL_CALLS ".layers.py");
    std::shared_ptr<const SessionData> m_session;
    std::unique_ptr<SelectionHub> m_hub;
    std::unique_ptr<SourcePanel> m_panel;

    const QHash<int, LineMark> &marks() const { return m_panel->view()->marks(); }

private Q_SLOTS:
    void initTestCase()
    {
        applyTheme(*qApp, Theme::load(ThemeKind::Light));
        m_session = readSession(*profiler::SessionReader::open(CROTON_REAL_CALLS), nullptr);
    }
    void init()
    {
        m_hub = std::make_unique<SelectionHub>();
        m_panel = std::make_unique<SourcePanel>(*m_hub);
        m_panel->resize(400, 400);
        m_hub->selectFunction(raw(m_session->functions.front().id));
        m_panel->feed(feedOf(m_session, *m_hub, FeedPart::Session, SelectionPart::Function));
    }
    void cleanup()
    {
        m_panel.reset();
        m_hub.reset();
    }
    void itOpensOnTheScript()
    {
        QCOMPARE(m_panel->file(), QStringLiteral("train.py"));
        QCOMPARE(m_panel->files(), (QStringList{QStringLiteral("train.py"), m_layers}));
    }
    void linesOfTheScriptHaveTheTimeOfWhatTheyCall()
    {
        QVERIFY(marks().contains(1) && marks().contains(2));
        for (const int line : {1, 2}) {
            QCOMPARE(marks()[line].own, 0.0);
            QVERIFY(marks()[line].withCalls > 0);
            QVERIFY2(marks()[line].tip.contains(QStringLiteral("with what the line calls")), qPrintable(marks()[line].tip));
            QVERIFY2(marks()[line].tip.contains(QStringLiteral("None from the line itself")), qPrintable(marks()[line].tip));
        }
        QCOMPARE(marks()[3].own, marks()[3].withCalls); // it calls nothing
        QVERIFY2(!marks()[3].tip.contains(QStringLiteral("calls")), qPrintable(marks()[3].tip));
        m_panel->showFile(m_layers);
        QVERIFY(marks()[2].own > 0);
        QVERIFY(!marks().contains(1));
    }
    void anApplyLightsTheScriptsLineAndTheLibrarys()
    {
        const Links links(m_session->graphOf(m_hub->selection().function));
        const auto applies = links.appliesOnLine("train.py", 2, Side::Original);
        const auto tanh =
            std::find_if(applies.begin(), applies.end(), [&](std::uint32_t each) { return links.graph().apply(each)->friendly == "tanh"; });
        QVERIFY(tanh != applies.end());
        m_hub->selectNode({Side::Original, NodeKind::Apply, *tanh});
        m_hub->setLinked(links.linkedTo(m_hub->selection()));
        QCOMPARE(m_panel->file(), QStringLiteral("train.py")); // nobody asked for another
        QCOMPARE(m_panel->view()->currentLine(), 2);
        m_panel->showFile(m_layers);
        QCOMPARE(m_panel->view()->currentLine(), 5); // and not line 3, which called it
    }
};

QTEST_MAIN(SourcePanelTest)
#include "source_panel_test.moc"
