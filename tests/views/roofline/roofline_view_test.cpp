#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/store/reader.h"
#include "views/roofline/roofline_rows.h"
#include "views/session/roof_texts.h"
#endif

#include "tests/views/feed.h"
#include "views/common/palette.h"
#include "views/common/picture_panel.h"
#include "views/roofline/roofline_canvas.h"
#include "views/roofline/roofline_view.h"

#include <QTableView>
#include <QtTest>

using namespace views;

class RooflineViewTest : public QObject {
    Q_OBJECT

    std::shared_ptr<SessionData> m_session; ///< a real one, its applies long enough to have a place
    std::unique_ptr<SelectionHub> m_hub;
    std::unique_ptr<RooflineView> m_view;

    void feed(FeedParts changed, SelectionParts selected = {}) { m_view->feed(feedOf(m_session, *m_hub, changed, selected)); }
    const profiler::Roofline &roofline() const { return m_session->derived<RooflineRows>().functions.at(m_session->functions.front().id); }

private Q_SLOTS:
    void initTestCase()
    {
        applyTheme(*qApp, Theme::load(ThemeKind::Light));
        const auto read = readSession(*profiler::SessionReader::open(CROTON_REAL_SESSION), nullptr);
        m_session = std::make_shared<SessionData>();
        m_session->functions = read->functions;
        m_session->graphs = read->graphs;
        m_session->profile = read->profile;
        for (profiler::ApplyStats &stats : m_session->profile.stats) stats.totalNs += stats.calls * 2000;
        QVERIFY(roofline().points.size() > 2);
        QVERIFY(!roofline().unplaced.empty());
    }
    void init()
    {
        m_hub = std::make_unique<SelectionHub>();
        Selection first;
        first.function = raw(m_session->functions.front().id); // train
        m_hub->reset(first);
        m_view = std::make_unique<RooflineView>(*m_hub);
        connect(m_hub.get(), &SelectionHub::selectionChanged, m_view.get(),
                [this](const Selection &, SelectionParts parts) { feed(FeedPart::Selection, parts); });
        m_view->resize(900, 400);
        m_view->show();
        feed(kAllFeedParts);
    }
    void cleanup() { m_view.reset(); }

    void pointsStandWhereTheirNumbersSay()
    {
        QVERIFY2(!m_view->panel()->isEmpty(), qPrintable(m_view->panel()->sentence()));
        const auto &points = roofline().points;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const QPointF place = m_view->canvas()->placeOf(static_cast<int>(i));
            QVERIFY(QRectF(m_view->canvas()->rect()).contains(place));
            for (std::size_t j = 0; j < i; ++j) {
                const QPointF other = m_view->canvas()->placeOf(static_cast<int>(j));
                if (points[i].intensity > points[j].intensity * 1.001) QVERIFY(place.x() > other.x());
                if (points[i].rate > points[j].rate * 1.001) QVERIFY(place.y() < other.y());
            }
        }
    }
    void aPointIsANode()
    {
        const QPointF place = m_view->canvas()->placeOf(0);
        const int point = m_view->canvas()->pointAt(place);
        QVERIFY(point >= 0);
        QTest::mouseClick(m_view->canvas(), Qt::LeftButton, {}, place.toPoint());
        QCOMPARE(m_hub->selection().node,
                 (NodeRef{Side::Optimized, NodeKind::Apply, raw(roofline().points[static_cast<std::size_t>(point)].apply.apply)}));
        m_hub->selectNode({});
        QCOMPARE(m_view->canvas()->chosen(), -1);
        m_hub->selectNode({Side::Optimized, NodeKind::Apply, raw(roofline().points[1].apply.apply)});
        QCOMPARE(m_view->canvas()->chosen(), 1);
        QTest::keyClick(m_view->canvas(), Qt::Key_Right);
        QCOMPARE(m_hub->selection().node.id, std::int64_t{raw(roofline().points[2].apply.apply)});
    }
    void theTableHoldsAllAndSaysWhyNot()
    {
        const auto &all = roofline();
        QCOMPARE(m_view->panel()->model()->rowCount(), static_cast<int>(all.points.size() + all.unplaced.size()));
        const QString text = tableAsText(*m_view->panel()->model());
        QVERIFY(text.contains("does no arithmetic"));
        const int last = m_view->panel()->model()->rowCount() - 1;
        m_view->panel()->table()->selectRow(last);
        QCOMPARE(m_hub->selection().node.id, std::int64_t{raw(all.unplaced.back().what.apply.apply)});
        profiler::RooflinePoint point;
        point.atMost = 1.34;
        QCOMPARE(atMostText(point), QStringLiteral("at most 1.3 × faster"));
        point.atMost = 1.01;
        QCOMPARE(atMostText(point), QStringLiteral("at its roof"));
    }
    void whatRanOnADeviceStandsUnderItsRoofs()
    {
        const auto there = std::make_shared<SessionData>();
        there->functions = m_session->functions;
        there->profile = m_session->profile;
        for (profiler::ApplyRow &apply : there->profile.applies) apply.device = "another0";
        ViewFeed feed;
        feed.session = there;
        feed.function = &there->functions.front();
        feed.changed = kAllFeedParts;
        m_view->feed(feed);
        QVERIFY2(m_view->panel()->sentence().contains("no measured roofs"), qPrintable(m_view->panel()->sentence()));
        const auto measured = std::make_shared<SessionData>();
        measured->functions = there->functions;
        measured->profile = there->profile;
        for (const auto &[name, value] : {std::pair("flops.float32", 1e12), {"flops.float64", 1e12}, {"bandwidth.memory", 1e11}})
            measured->profile.machine.roofs.push_back({"another0", name, value, ""});
        feed.session = measured;
        feed.function = &measured->functions.front();
        m_view->feed(feed);
        QVERIFY2(!m_view->panel()->isEmpty(), qPrintable(m_view->panel()->sentence()));
        QVERIFY(tableAsText(*m_view->panel()->model()).contains("another0"));
        const QImage picture = m_view->canvas()->grab().toImage();
        const QColor ink = Theme::current().color(Color::Gpu);
        int drawn = 0;
        for (int y = 0; y < picture.height(); ++y)
            for (int x = 0; x < picture.width(); ++x) drawn += picture.pixelColor(x, y) == ink;
        QVERIFY2(drawn > picture.width() / 4, "the roof of the device is a line in its colour");
        // The signs that are there are explained also where there is little room.
        const QFontMetricsF metrics(Theme::current().font(FontRole::Caption));
        const QString wide = m_view->canvas()->legend(metrics, 1e6), signs = wide.mid(wide.indexOf(QStringLiteral("· ")) + 2);
        QVERIFY2(signs.contains("on a device") && wide.contains("inputs and outputs"), qPrintable(wide));
        QCOMPARE(m_view->canvas()->legend(metrics, metrics.horizontalAdvance(signs) + 1), signs);
        const profiler::Roofline none;
        m_view->canvas()->setRoofline({}, &none);
        QVERIFY2(!m_view->canvas()->legend(metrics, 1e6).contains(QChar(0xb7)), "no sign is there, and it is said that some follow");
        m_view->feed({});
    }
    void withoutRoofsOrCallsItSaysWhy()
    {
        const auto bare = std::make_shared<SessionData>();
        bare->functions = m_session->functions;
        bare->profile = m_session->profile;
        bare->profile.machine.roofs.clear();
        ViewFeed feed;
        feed.session = bare;
        feed.function = &bare->functions.front();
        feed.changed = kAllFeedParts;
        m_view->feed(feed);
        QVERIFY2(m_view->panel()->sentence().contains("no measured roofs"), qPrintable(m_view->panel()->sentence()));
        const auto idle = std::make_shared<SessionData>();
        idle->functions = m_session->functions;
        idle->functions.front().run.calls = 0;
        feed.session = idle;
        feed.function = &idle->functions.front();
        m_view->feed(feed);
        QVERIFY2(m_view->panel()->sentence().contains("was not called"), qPrintable(m_view->panel()->sentence()));
        m_view->feed({});
    }
};

QTEST_MAIN(RooflineViewTest)
#include "roofline_view_test.moc"
