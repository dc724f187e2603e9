#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/store/reader.h"
#include "tests/profiler/stats/tracks.h"
#include "views/timeline/timeline_rows.h"
#endif

#include "tests/views/feed.h"
#include "views/common/palette.h"
#include "views/common/picture_panel.h"
#include "views/timeline/timeline_canvas.h"
#include "views/timeline/timeline_view.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTableView>
#include <QWheelEvent>
#include <QtTest>

using namespace views;
using profiler::TrackKind;

namespace {

std::shared_ptr<const SessionData> sessionAt(const std::string &path)
{
    const auto reader = profiler::SessionReader::open(path);
    return readSession(*reader, nullptr);
}

std::size_t rowOf(const profiler::Timeline &timeline, TrackKind kind)
{
    for (std::size_t i = 0; i < timeline.tracks.size(); ++i)
        if (timeline.tracks[i].kind == kind) return i;
    return timeline.tracks.size();
}

/// `zones` applies in calls of a thousand, some of them long.
std::shared_ptr<const TimelineRows> manyEvents(std::size_t zones)
{
    profiler::Trace trace;
    trace.events.reserve(zones);
    std::int64_t at = 0;
    for (std::size_t i = 0; trace.events.size() < zones; ++i) {
        profiler::Event event;
        event.function = profiler::FunctionId{0};
        event.graph = profiler::GraphId{1};
        event.call = static_cast<std::int64_t>(i / 1000);
        if (i % 1000 == 0) {
            at += 300'000;
            event.kind = profiler::EventKind::Call;
            event.startNs = at;
            event.durationNs = 1000 * 1000;
            trace.events.push_back(event);
        }
        event.kind = profiler::EventKind::Apply;
        event.apply = profiler::ApplyId{static_cast<std::uint32_t>(i % 40)};
        event.startNs = at;
        event.durationNs = 400 + static_cast<std::int64_t>(i * 7919 % 500);
        at += 1000;
        trace.events.push_back(event);
    }
    profiler::ProfileData data;
    profiler::FunctionInfo function;
    function.id = profiler::FunctionId{0};
    function.run.calls = static_cast<std::int64_t>(zones / 1000) + 1;
    data.functions.push_back(function);
    data.info.durationNs = at;
    return std::make_shared<const TimelineRows>(profiler::makeTimeline(data, trace));
}

} // namespace

class TimelineTest : public QObject {
    Q_OBJECT

    std::shared_ptr<const SessionData> m_session;

private Q_SLOTS:
    void initTestCase()
    {
        applyTheme(*qApp, Theme::load(ThemeKind::Light));
        m_session = sessionAt(CROTON_REAL_SESSION);
    }

    void theCameraZoomsAtThePointerAndStaysInside()
    {
        TimelineAxis axis;
        axis.setExtent(0, 1'000'000);
        axis.setWidth(1000);
        axis.fit();
        QVERIFY(axis.seesAll());
        const double before = axis.nsAt(300);
        axis.zoom(8, 300);
        QVERIFY(std::abs(axis.nsAt(300) - before) < 1);
        QVERIFY(!axis.seesAll());
        axis.pan(-1e12);
        QVERIFY(axis.from() <= 0 && axis.from() > -10'000);
        axis.zoom(1e-9, 10);
        QVERIFY(axis.seesAll());
        axis.zoom(1e12, 500);
        QVERIFY(axis.to() - axis.from() >= 20);
        axis.fit();
        axis.reveal(10, 20);
        QVERIFY(axis.seesAll());
        axis.show(0, 100);
        axis.reveal(500, 600);
        QVERIFY(axis.from() <= 500 && axis.to() >= 600);
    }
    void marksTellTheirTime()
    {
        TimelineAxis axis;
        axis.setExtent(0, 2'500'000'000);
        axis.setWidth(1000);
        axis.fit();
        QStringList texts;
        for (const TimelineAxis::Mark &mark : axis.marks(100)) texts << mark.text;
        QCOMPARE(texts.at(1), QStringLiteral("0.5\u00a0s"));
        QVERIFY(axis.base(100).isEmpty());
        axis.show(2'000'000'000, 2'000'010'000); // 10 µs, two seconds in
        QVERIFY(!axis.base(100).isEmpty());
        QVERIFY(axis.marks(100).at(1).text.startsWith('+'));
        TimelineAxis around; // times before another one have the sign that all other numbers have
        around.setOrigin(1'000'000'000);
        around.setExtent(0, 2'000'000'000);
        around.setWidth(1000);
        around.fit();
        QCOMPARE(around.marks(100).at(0).text, QStringLiteral("−1.0\u00a0s"));
        for (const double apart : {60.0, 100.0, 300.0}) {
            const auto marks = axis.marks(apart);
            for (std::size_t i = 1; i < marks.size(); ++i) QVERIFY(marks[i].x - marks[i - 1].x > apart * 0.9);
        }
    }
    void aRealSessionHasItsLanes()
    {
        const auto &rows = m_session->derived<TimelineRows>();
        QStringList titles;
        for (const profiler::Track &track : rows.timeline.tracks) titles << rows.trackTitle(track);
        QCOMPARE(titles, QStringList({"Script", "Compile", "Passes", "Calls", "Applies"}));
        QCOMPARE(trackOf(rows.timeline, TrackKind::Compile)->zones.zones().size(), std::size_t{2}); // train and predict
        // Each pass lies within the compile of its function.
        const auto &compiles = trackOf(rows.timeline, TrackKind::Compile)->zones;
        for (const profiler::Zone &pass : trackOf(rows.timeline, TrackKind::Passes)->zones.zones()) {
            const std::int64_t middle = pass.startNs + pass.durationNs / 2;
            const auto [in, end] = compiles.within(middle, middle + 1);
            QVERIFY(in < end);
            QVERIFY(rows.timeline.labels[pass.label].function == rows.timeline.labels[compiles.zones()[in].label].function);
        }
        // All time is somewhere.
        const profiler::RangeSum &whole = rows.whole;
        QVERIFY(whole.outsideNs > 0 && whole.callNs > 0 && whole.compileNs > 0);
        QVERIFY(std::llabs(whole.callNs + whole.compileNs + whole.outsideNs + whole.notKeptNs - whole.durationNs()) <
                whole.durationNs() / 50);
    }
    void aClickSelectsTheNodeAndTheCall()
    {
        SelectionHub hub;
        Selection first;
        first.function = raw(m_session->functions.front().id);
        hub.reset(first);
        TimelineView view(hub);
        view.resize(1000, 300);
        view.show();
        view.feed(feedOf(m_session, hub, kAllFeedParts));
        const profiler::Timeline &timeline = m_session->derived<TimelineRows>().timeline;
        const std::size_t applies = rowOf(timeline, TrackKind::Applies);
        const auto &zones = timeline.tracks[applies].zones.zones();
        TimelineCanvas *canvas = view.canvas();
        const auto longest =
            std::max_element(zones.begin(), zones.end(), [](const auto &a, const auto &b) { return a.durationNs < b.durationNs; });
        canvas->reveal({applies, static_cast<std::size_t>(longest - zones.begin())});
        const profiler::Zone &zone = *longest;
        const double x = canvas->trackRect(applies).left() +
                         canvas->axis().xOf(static_cast<double>(zone.startNs) + static_cast<double>(zone.durationNs) / 2);
        QTest::mouseClick(canvas->viewport(), Qt::LeftButton, {},
                          QPoint(static_cast<int>(x), static_cast<int>(canvas->trackRect(applies).center().y())));
        QCOMPARE(hub.selection().node, (NodeRef{Side::Optimized, NodeKind::Apply, raw(timeline.labels[zone.label].apply)}));
        QCOMPARE(hub.selection().call, zone.call);
        QCOMPARE(hub.selection().function, std::int64_t{raw(timeline.labels[zone.label].function)});
        // The row of the table is the same.
        const QModelIndexList chosen = view.panel()->table()->selectionModel()->selectedRows();
        QCOMPARE(chosen.size(), 1);
        QCOMPARE(chosen.first().data(TextTableModel::kKeyRole).toLongLong(), static_cast<qlonglong>(zone.label));
    }
    void aRangeSumsUp()
    {
        SelectionHub hub;
        TimelineView view(hub);
        view.resize(1000, 300);
        view.show();
        connect(&hub, &SelectionHub::selectionChanged, &view,
                [&](const Selection &, SelectionParts parts) { view.feed(feedOf(m_session, hub, FeedPart::Selection, parts)); });
        view.feed(feedOf(m_session, hub, kAllFeedParts));
        const QString all = view.sumText();
        QVERIFY2(all.contains("Python, outside functions") && all.contains("calls") && all.contains("compiling"), qPrintable(all));
        QWidget *area = view.canvas()->viewport();
        const double left = view.canvas()->trackRect(0).left();
        const QPoint from(static_cast<int>(left) + 200, 60), to(static_cast<int>(left) + 420, 60);
        QTest::mousePress(area, Qt::LeftButton, Qt::ShiftModifier, from);
        QMouseEvent move(QEvent::MouseMove, QPointF(to), area->mapToGlobal(QPointF(to)), Qt::NoButton, Qt::LeftButton, Qt::ShiftModifier);
        QApplication::sendEvent(area, &move);
        QTest::mouseRelease(area, Qt::LeftButton, Qt::ShiftModifier, to);
        QVERIFY(hub.selection().range.isValid());
        QCOMPARE(hub.selection().range, view.canvas()->range());
        QVERIFY(view.sumText() != all);
        const auto &rows = m_session->derived<TimelineRows>();
        const TimeRange range = hub.selection().range;
        QCOMPARE(view.sumText(), rows.sumText(profiler::sumRange(rows.timeline, range.startNs, range.endNs)));
        QTest::keyClick(view.canvas(), Qt::Key_Escape);
        QVERIFY(!hub.selection().range.isValid());
        QCOMPARE(view.sumText(), all);
        // Without one it follows what is seen.
        view.canvas()->zoomBy(8);
        const auto seen = [&] { return profiler::sumRange(rows.timeline, view.canvas()->axis().from(), view.canvas()->axis().to()); };
        QTRY_COMPARE(view.sumText(), QStringLiteral("In view, ") + rows.sumText(seen()));
        QVERIFY(seen().durationNs() < rows.whole.durationNs());
        view.canvas()->fit();
        QTRY_COMPARE(view.sumText(), all);
    }
    void wheelAndKeysMoveTheCamera()
    {
        SelectionHub hub;
        TimelineView view(hub);
        view.resize(1000, 300);
        view.show();
        view.feed(feedOf(m_session, hub, kAllFeedParts));
        TimelineCanvas *canvas = view.canvas();
        QVERIFY(canvas->axis().seesAll());
        const QPointF at(600, 60);
        const double before = canvas->axis().nsAt(at.x() - canvas->trackRect(0).left());
        QWheelEvent wheel(at, canvas->viewport()->mapToGlobal(at), {}, {0, 480}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(canvas->viewport(), &wheel);
        QVERIFY(!canvas->axis().seesAll());
        const double after = canvas->axis().nsAt(at.x() - canvas->trackRect(0).left());
        QVERIFY(std::abs(after - before) <= canvas->axis().nsPerPx() + 1);
        const std::int64_t from = canvas->axis().from();
        QTest::keyClick(canvas, Qt::Key_Right);
        QVERIFY(canvas->axis().from() > from);
        QTest::keyClick(canvas, Qt::Key_Space);
        QVERIFY(canvas->axis().seesAll());
        QSignalSpy chosen(canvas, &TimelineCanvas::zoneChosen);
        QTest::keyClick(canvas, Qt::Key_Down);
        QTest::keyClick(canvas, Qt::Key_Down);
        QTest::keyClick(canvas, Qt::Key_N);
        QCOMPARE(chosen.size(), 3);
        QCOMPARE(canvas->current()->track, std::size_t{1});
        QCOMPARE(canvas->current()->zone, std::size_t{1});
    }
    void theTableHoldsWhatThePictureShows()
    {
        SelectionHub hub;
        TimelineView view(hub);
        QAbstractItemModelTester tester(view.panel()->model());
        view.resize(1000, 300);
        view.show();
        view.feed(feedOf(m_session, hub, kAllFeedParts));
        view.panel()->showTable(true);
        QVERIFY(view.panel()->table()->isVisible() && !view.canvas()->isVisible());
        const auto &whole = m_session->derived<TimelineRows>().whole;
        QCOMPARE(view.panel()->model()->rowCount(), static_cast<int>(whole.rows.size()));
        const QString text = tableAsText(*view.panel()->model());
        QCOMPARE(text.count('\n'), static_cast<qsizetype>(whole.rows.size()) + 1);
        QVERIFY(text.contains("Python, outside functions"));
        view.panel()->table()->sortByColumn(1, Qt::DescendingOrder);
        const QAbstractItemModel *sorted = view.panel()->table()->model();
        for (int row = 1; row < sorted->rowCount(); ++row)
            QVERIFY(sorted->index(row - 1, 1).data(TextTableModel::kValueRole).toDouble() >=
                    sorted->index(row, 1).data(TextTableModel::kValueRole).toDouble());
    }
    void aLaunchMeetsItsKernel()
    {
        profiler::Trace trace;
        trace.lanes = {{0, profiler::LaneKind::Host, "cpu", "calls"}, {3, profiler::LaneKind::Stream, "cuda0", "stream 0"}};
        for (const auto &[kind, lane, start] :
             {std::tuple{profiler::EventKind::Apply, 0, 100}, std::tuple{profiler::EventKind::Kernel, 3, 180}}) {
            profiler::Event event;
            event.kind = kind;
            event.lane = lane;
            event.startNs = start;
            event.durationNs = 50;
            event.correlation = 9;
            event.name = "gemv";
            trace.events.push_back(event);
        }
        const TimelineRows rows(profiler::makeTimeline({}, trace));
        const std::size_t kernels = rowOf(rows.timeline, TrackKind::Kernels);
        QVERIFY(kernels < rows.timeline.tracks.size());
        QCOMPARE(rows.correlated({kernels, 0}).size(), std::size_t{2});
        QCOMPARE(rows.correlated({kernels, 0}).front().track, rowOf(rows.timeline, TrackKind::Applies));
    }
    void withoutEventsItSaysWhy()
    {
        SelectionHub hub;
        TimelineView view(hub);
        view.resize(800, 300);
        view.show();
        QVERIFY(view.panel()->isEmpty());
        view.feed(feedOf(std::make_shared<SessionData>(), hub, kAllFeedParts));
        QVERIFY2(view.panel()->sentence().contains("no events"), qPrintable(view.panel()->sentence()));
        view.feed(feedOf(nullptr, hub, kAllFeedParts));
        QVERIFY(view.panel()->isEmpty());
        view.feed(feedOf(m_session, hub, kAllFeedParts));
        QVERIFY(!view.panel()->isEmpty());
    }
    void gapsAndBlocksAreDrawnInBothThemes()
    {
        for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark}) {
            applyTheme(*qApp, Theme::load(kind));
            SelectionHub hub;
            TimelineView view(hub);
            view.resize(1000, 300);
            view.feed(feedOf(m_session, hub, kAllFeedParts));
            const QImage image = view.grab().toImage();
            const QColor compile = Theme::current().color(Color::Compile);
            int marks = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x) marks += image.pixelColor(x, y) == compile;
            QVERIFY2(marks > 20, qPrintable(QString::number(marks)));
        }
        applyTheme(*qApp, Theme::load(ThemeKind::Light));
    }
    /// Printed, and held by a ratio: a picture of a million events costs little more than one of ten thousand.
    void aMillionEventsCostWhatIsSeen()
    {
        const auto cost = [](std::size_t zones) {
            const auto rows = manyEvents(zones);
            TimelineCanvas canvas;
            canvas.resize(1440, 300);
            canvas.setRows(rows, false);
            QImage image(canvas.viewport()->size(), QImage::Format_ARGB32_Premultiplied);
            double worst = 0, all = 0;
            int frames = 0;
            QElapsedTimer clock;
            for (double zoom = 1; zoom < static_cast<double>(zones); zoom *= 1.6) {
                canvas.axis().fit();
                canvas.axis().zoom(zoom, 500);
                double best = 1e9;
                for (int i = 0; i < 3; ++i) {
                    canvas.axis().pan(7);
                    clock.start();
                    canvas.viewport()->render(&image);
                    best = std::min(best, static_cast<double>(clock.nsecsElapsed()) * 1e-6);
                }
                worst = std::max(worst, best);
                all += best;
                ++frames;
            }
            qInfo("%zu events: a frame takes %.2f ms in the middle, %.2f ms at worst", zones, all / frames, worst);
            return worst;
        };
        const double few = cost(10'000), many = cost(1'000'000);
        QVERIFY2(many < 12 * few, qPrintable(QStringLiteral("%1 ms against %2 ms").arg(many).arg(few)));
    }
};

QTEST_MAIN(TimelineTest)
#include "timeline_test.moc"
