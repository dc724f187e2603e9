#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/store/reader.h"
#include "profiler/session/store/trials.h"
#include "tests/profiler/session/scratch.h"
#include "views/memory/memory_rows.h"
#endif

#include "tests/views/feed.h"
#include "views/common/formats.h"
#include "views/common/palette.h"
#include "views/common/picture_panel.h"
#include "views/memory/choices_canvas.h"
#include "views/memory/choices_page.h"
#include "views/memory/memory_canvas.h"
#include "views/memory/memory_view.h"

#include <QClipboard>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QtTest>

using namespace views;
using profiler::Lifetime;

class MemoryTest : public QObject {
    Q_OBJECT

    std::shared_ptr<const SessionData> m_session;
    std::unique_ptr<SelectionHub> m_hub;
    std::unique_ptr<MemoryView> m_view;

    void feed(FeedParts changed, SelectionParts selected = {}) { m_view->feed(feedOf(m_session, *m_hub, changed, selected)); }
    const profiler::CallMemory &memory() const
    {
        return m_session->derived<MemoryRows>().of(m_session->function(m_hub->selection().function))->memory;
    }

private Q_SLOTS:
    void initTestCase()
    {
        applyTheme(*qApp, Theme::load(ThemeKind::Light));
        m_session = readSession(*profiler::SessionReader::open(CROTON_REAL_SESSION), nullptr);
    }
    void init()
    {
        m_hub = std::make_unique<SelectionHub>();
        Selection first;
        first.function = raw(m_session->functions.front().id); // train
        m_hub->reset(first);
        m_view = std::make_unique<MemoryView>(*m_hub);
        connect(m_hub.get(), &SelectionHub::selectionChanged, m_view.get(),
                [this](const Selection &, SelectionParts parts) { feed(FeedPart::Selection, parts); });
        m_view->resize(1000, 360);
        m_view->show();
        feed(kAllFeedParts);
    }
    void cleanup() { m_view.reset(); }

    void thePeakIsWhatItsHoldersHold()
    {
        std::int64_t held = 0;
        double shares = 0;
        for (const Lifetime &life : memory().lifetimes) {
            if (!life.atPeak) continue;
            held += life.bytes;
            shares += life.shareOfPeak;
            QVERIFY(life.from <= memory().report.peak.position && memory().report.peak.position <= life.to);
        }
        QCOMPARE(held, memory().report.peak.bytes);
        QVERIFY(std::abs(shares - 1) < 1e-9);
        QVERIFY(memory().plan.measuredPeakBytes > 0);
        QVERIFY2(m_view->panel()->caption().contains("planned") && m_view->panel()->caption().contains("measured"),
                 qPrintable(m_view->panel()->caption()));
    }
    void whatLivesTogetherLiesApartInTheArena()
    {
        m_view->choose("arena");
        int pieces = 0;
        const auto &lives = memory().lifetimes;
        for (std::size_t i = 0; i < lives.size(); ++i) {
            const QRectF rect = m_view->canvas()->rectOf(static_cast<int>(i));
            QCOMPARE(rect.isEmpty(), lives[i].offset < 0);
            pieces += !rect.isEmpty();
            for (std::size_t j = 0; j < i; ++j) {
                if (lives[i].offset < 0 || lives[j].offset < 0) continue;
                const bool together = lives[i].from <= lives[j].to && lives[j].from <= lives[i].to;
                const bool over = lives[i].offset < lives[j].offset + lives[j].bytes && lives[j].offset < lives[i].offset + lives[i].bytes;
                QVERIFY2(!(together && over), qPrintable(QStringLiteral("%1 and %2").arg(i).arg(j)));
            }
        }
        QVERIFY(pieces > 2);
    }
    void aPieceSelectsWhatMakesIt()
    {
        int made = -1;
        for (std::size_t i = 0; i < memory().lifetimes.size() && made < 0; ++i)
            if (memory().lifetimes[i].maker.apply != profiler::kNoApply) made = static_cast<int>(i);
        QVERIFY(made >= 0);
        const QPointF place = m_view->canvas()->rectOf(made).center();
        QCOMPARE(m_view->canvas()->lifetimeAt(place), made);
        QTest::mouseClick(m_view->canvas()->viewport(), Qt::LeftButton, {}, place.toPoint());
        QCOMPARE(m_hub->selection().node,
                 (NodeRef{Side::Optimized, NodeKind::Apply, raw(memory().lifetimes[static_cast<std::size_t>(made)].maker.apply)}));
        QTest::keyClick(m_view->canvas(), Qt::Key_Down);
        QCOMPARE(m_view->canvas()->chosen(), made + 1);
        // And a node that is selected elsewhere is marked here.
        m_hub->selectNode({Side::Optimized, NodeKind::Apply, raw(memory().lifetimes[static_cast<std::size_t>(made)].maker.apply)});
        QCOMPARE(m_view->canvas()->chosen(), made);
        m_hub->selectNode({});
        QCOMPARE(m_view->canvas()->chosen(), -1);
    }
    void everyPictureHasItsTable()
    {
        QCOMPARE(m_view->panel()->model()->rowCount(), static_cast<int>(memory().lifetimes.size()));
        const QString text = tableAsText(*m_view->panel()->model());
        QVERIFY(text.contains("shared variable") && text.contains("created"));
        m_view->choose("time");
        QCOMPARE(m_view->panel()->model()->rowCount(), static_cast<int>(m_session->trace->memoryEvents.size()));
        QVERIFY(m_view->panel()->caption().contains("measured"));
    }
    void allPicturesAreDrawnInBothThemes()
    {
        for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark}) {
            applyTheme(*qApp, Theme::load(kind));
            for (const char *picture : {"lifetimes", "arena", "time"}) {
                m_view->choose(picture);
                const QImage image = m_view->canvas()->grab().toImage();
                const QColor ink = Theme::current().color(Color::Memory);
                int marks = 0;
                for (int y = 0; y < image.height(); ++y)
                    for (int x = 0; x < image.width(); ++x) marks += image.pixelColor(x, y) == ink;
                QVERIFY2(marks > 100, picture);
            }
        }
        applyTheme(*qApp, Theme::load(ThemeKind::Light));
    }
    void whatCouldBeIsWhatTheCommandSays()
    {
        m_view->choose("could");
        QTRY_VERIFY(m_view->choices()->rows());
        const ChoicesRows &rows = *m_view->choices()->rows();
        QVERIFY2(rows.choices.whyNone.empty(), rows.choices.whyNone.c_str());
        const auto expected = profiler::memoryChoices(m_session->profile, rows.function).all;
        QCOMPARE(rows.choices.all.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QCOMPARE(rows.choices.all[i].bytes, expected[i].bytes);
            const ChoicesCanvas &canvas = *m_view->choices()->canvas();
            const double share = std::min(1.0, static_cast<double>(expected[i].bytes) / static_cast<double>(rows.scale()));
            QVERIFY(std::abs(canvas.barOf(static_cast<int>(i)).width() - share * (canvas.xOf(rows.scale()) - canvas.xOf(0))) < 1.5);
        }
        QCOMPARE(m_view->panel()->model()->rowCount(), static_cast<int>(expected.size()));
        QVERIFY(rows.measured(rows.choices.all.front()).has_value());
        QVERIFY(!rows.measured(rows.choices.all.back()).has_value());
    }
    void whatAScriptAsksForByNameHasNoFlag()
    {
        const auto session = std::make_shared<SessionData>();
        session->functions = m_session->functions;
        session->profile = m_session->profile;
        session->script.text = "x = T.dmatrix()";
        for (profiler::VariableRow &variable : session->profile.variables) variable.type = "TensorType(float64, matrix)";
        const ChoicesRows rows(session, session->functions.front().id);
        const auto narrow = std::ranges::find(rows.choices.all, profiler::MemoryChoice::Float32, &profiler::MemoryAlternative::choice);
        QVERIFY(narrow != rows.choices.all.end() && narrow->flags.empty());
        QVERIFY2(rows.tip(*narrow).contains("by name"), qPrintable(rows.tip(*narrow)));
    }
    void aBudgetIsDragged()
    {
        const auto before = std::exchange(m_session, readSession(*profiler::SessionReader::open(CROTON_REAL_NETWORK), nullptr));
        m_view->choose("could");
        feed(kAllFeedParts);
        QTRY_VERIFY(m_view->choices()->rows());
        ChoicesPage &page = *m_view->choices();
        ChoicesCanvas &canvas = *page.canvas();
        const ChoicesRows &rows = *page.rows();
        QVERIFY(!page.plan() && !page.copyButton()->isEnabled());
        const std::int64_t least = rows.choices.all.back().bytes;
        QVERIFY2(least < rows.now(), "a plan of this session has to be improvable");
        const auto at = [&](std::int64_t bytes) { return QPoint(static_cast<int>(std::ceil(canvas.xOf(bytes))), 12); };
        QTest::mousePress(canvas.viewport(), Qt::LeftButton, {}, at(rows.now()));
        for (std::int64_t bytes : {rows.now() - 1, (least + rows.now()) / 2, least + (rows.now() - least) / 10})
            QTest::mouseMove(canvas.viewport(), at(bytes));
        QTest::mouseRelease(canvas.viewport(), Qt::LeftButton, {}, at(least));
        QVERIFY(canvas.budget() < rows.now());
        QTRY_VERIFY(!page.isBusy());
        QVERIFY(page.plan());
        QCOMPARE(page.plan()->bytes, rows.within(canvas.budget()).bytes);
        QVERIFY(page.plan()->bytes <= canvas.budget());
        QVERIFY2(page.sentence().startsWith("Within"), qPrintable(page.sentence()));
        QCOMPARE(m_view->panel()->model()->rowCount(), static_cast<int>(rows.choices.all.size() + 1 + page.plan()->repeats.size()));
        page.copyButton()->click();
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("memory_budget=%1").arg(canvas.budget()));
        // What nothing keeps is said; and the keys lead back.
        QTest::keyClick(&canvas, Qt::Key_Home);
        QTRY_VERIFY(!page.isBusy());
        QVERIFY2(page.sentence().startsWith("No plan"), qPrintable(page.sentence()));
        QVERIFY(!page.copyButton()->isEnabled() && !page.verifyButton()->isEnabled());
        QTest::keyClick(&canvas, Qt::Key_End);
        QTRY_VERIFY(!page.isBusy());
        QVERIFY(!page.plan());
        m_session = before;
    }
    void aRunVerifiesWhatIsPredicted()
    {
        profiler::Scratch scratch;
        const std::string path = scratch / "verified.croton";
        std::filesystem::copy_file(CROTON_REAL_SESSION, path);
        const profiler::VerifiedRow row{m_session->functions.front().id, "memory_budget=least", 5000, 12'345, {}};
        profiler::storeVerified(path, std::span(&row, 1));
        m_session = readSession(*profiler::SessionReader::open(path), nullptr);
        m_view->choose("could");
        ViewFeed feed = feedOf(m_session, *m_hub, kAllFeedParts);
        feed.canRun = true;
        m_view->feed(feed);
        QTRY_VERIFY(m_view->choices()->rows() && m_view->choices()->rows()->session == m_session);
        const ChoicesRows &rows = *m_view->choices()->rows();
        QCOMPARE(rows.measured(rows.choices.all.back()).value_or(0), 12'345);
        QVERIFY(tableAsText(*m_view->panel()->model()).contains(formats::bytes(12'345)));
        QSignalSpy commands(m_hub.get(), &SelectionHub::requested);
        m_view->choices()->verifyButton()->click();
        QCOMPARE(commands.value(0).value(0).value<Request>(),
                 Request(MeasureSession{{"memory", "--verify", "--function", QString::number(raw(rows.function))}}));
        m_session = readSession(*profiler::SessionReader::open(CROTON_REAL_SESSION), nullptr);
    }
    void withoutACallItSaysWhy()
    {
        ViewFeed feed;
        feed.session = std::make_shared<SessionData>();
        feed.changed = kAllFeedParts;
        m_view->feed(feed);
        QVERIFY2(m_view->panel()->sentence().contains("No function was called"), qPrintable(m_view->panel()->sentence()));
        m_view->feed({});
    }
};

QTEST_MAIN(MemoryTest)
#include "memory_test.moc"
