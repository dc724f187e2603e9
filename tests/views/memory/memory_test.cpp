#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/reader.h"
#include "views/memory/memory_rows.h"
#endif

#include "tests/views/feed.h"
#include "views/common/palette.h"
#include "views/common/picture_panel.h"
#include "views/memory/memory_canvas.h"
#include "views/memory/memory_view.h"

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
