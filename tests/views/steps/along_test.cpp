// The three lines over the step bar, on a session in which croton along stands.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/store/database.h"
#include "profiler/session/store/reader.h"
#include "tests/profiler/session/scratch.h"
#include "views/steps/along_strip.h"
#endif

#include "tests/views/feed.h"
#include "views/common/formats.h"
#include "views/common/palette.h"
#include "views/steps/step_bar.h"
#include "views/steps/step_track.h"

#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>
#include <QtTest>

using namespace views;

class AlongTest : public QObject {
    Q_OBJECT

    profiler::Scratch m_scratch;
    std::shared_ptr<const SessionData> m_session, m_bare;
    SelectionHub m_hub;
    std::unique_ptr<StepBar> m_bar;

    void feed(const std::shared_ptr<const SessionData> &session, bool canRun = true)
    {
        ViewFeed feed = feedOf(session, m_hub, kAllFeedParts, ~SelectionParts());
        feed.canRun = canRun;
        m_bar->setSteps(feed.graph->steps);
        m_bar->feed(feed);
        QCoreApplication::processEvents();
    }

private Q_SLOTS:
    void initTestCase()
    {
        applyTheme(*qApp, Theme::load(ThemeKind::Light));
        m_session = readSession(*profiler::SessionReader::open(CROTON_TRIED_SESSION), nullptr);
        const std::string path = m_scratch / "bare.croton";
        std::filesystem::copy_file(CROTON_TRIED_SESSION, path);
        profiler::Database(path, profiler::Database::Access::Write).execute("DELETE FROM along_steps");
        m_bare = readSession(*profiler::SessionReader::open(path), nullptr);
    }
    void init()
    {
        Selection first;
        first.function = raw(m_session->functions.front().id);
        m_hub.reset(first);
        m_bar = std::make_unique<StepBar>(m_hub);
        m_bar->resize(1100, 130);
        m_bar->show();
    }
    void cleanup() { m_bar.reset(); }

    void everyPointStandsOverItsStep()
    {
        feed(m_session);
        const AlongStrip &strip = *m_bar->along();
        QVERIFY(strip.isVisibleTo(m_bar.get()));
        const profiler::AlongTable &table = *strip.table();
        QVERIFY(table.rows.size() > 3);
        QCOMPARE(table.rows.front().step, 0);
        QCOMPARE(table.rows.back().step, m_bar->track()->stepCount());
        double slowest = 0;
        for (const profiler::AlongRow &row : table.rows) slowest = std::max(slowest, row.ns);
        for (std::size_t i = 0; i < table.rows.size(); ++i) {
            const QPointF place = strip.placeOf(AlongStrip::Line::Time, i);
            const double track = m_bar->track()->mapTo(m_bar.get(), QPoint(0, 0)).x() + StepTrack::side();
            QCOMPARE(place.x() + strip.x(), track + m_bar->track()->geometryOfSteps().xOf(table.rows[i].step));
            QCOMPARE(strip.rowAt(place.x()), static_cast<int>(i));
            for (const AlongStrip::Line line : {AlongStrip::Line::Time, AlongStrip::Line::Memory, AlongStrip::Line::Error})
                QVERIFY(strip.rect().contains(strip.placeOf(line, i).toPoint()));
            for (std::size_t k = 0; k < i; ++k)
                QCOMPARE(table.rows[i].ns <= table.rows[k].ns, place.y() >= strip.placeOf(AlongStrip::Line::Time, k).y());
        }
    }
    void theKeyFollowsTheStep()
    {
        feed(m_session);
        AlongStrip &strip = *m_bar->along();
        const auto &rows = strip.table()->rows;
        m_hub.selectStep(0);
        QVERIFY2(strip.keyText(AlongStrip::Line::Time).contains(formats::time(rows.front().ns * 1e-9)),
                 qPrintable(strip.keyText(AlongStrip::Line::Time)));
        m_hub.selectStep(Selection::kLastStep);
        QVERIFY(strip.keyText(AlongStrip::Line::Time).contains(formats::time(rows.back().ns * 1e-9)));
        QTest::mouseMove(&strip, strip.placeOf(AlongStrip::Line::Memory, 0).toPoint());
        QTRY_VERIFY(strip.keyText(AlongStrip::Line::Memory).contains(formats::bytes(static_cast<double>(rows.front().peakBytes))));
        QTest::mouseClick(&strip, Qt::LeftButton, {}, strip.placeOf(AlongStrip::Line::Time, 1).toPoint());
        QCOMPARE(m_hub.selection().step, rows[1].step);
        for (std::size_t i = 0; i < rows.size(); ++i) QVERIFY(strip.tip(i).contains(formats::time(rows[i].ns * 1e-9)));
    }
    void everyRowStandsInTheTable()
    {
        feed(m_session);
        const TextTable table = m_bar->along()->textTable();
        QCOMPARE(table.rows.size(), m_bar->along()->table()->rows.size());
        std::size_t marks = 0;
        for (const TextTable::Row &row : table.rows) {
            const QString &changes = row.cells.back().text;
            marks += changes.isEmpty() ? 0 : static_cast<std::size_t>(changes.count(QStringLiteral(" · ")) + 1);
        }
        QCOMPARE(marks, m_bar->along()->table()->marks.size());
    }
    void withoutThemNothingIsTaken()
    {
        const int before = m_bar->sizeHint().height();
        feed(m_bare);
        QCOMPARE(m_bar->sizeHint().height(), before);
        QVERIFY(!m_bar->along()->isVisibleTo(m_bar.get()));
        QVERIFY(m_bar->alongButton()->isEnabled());
        QSignalSpy commands(&m_hub, &SelectionHub::requested);
        m_bar->alongButton()->click();
        QCOMPARE(commands.value(0).value(0).value<Request>(),
                 Request(MeasureSession{{"along", "--function", QString::number(m_hub.selection().function)}}));
        feed(m_session);
        QVERIFY(m_bar->sizeHint().height() > before);
        m_bar->alongButton()->click(); // puts them away
        QCOMPARE(m_bar->sizeHint().height(), before);
        m_bar->alongButton()->click();
        QVERIFY(m_bar->along()->isVisibleTo(m_bar.get()));
    }
};

QTEST_MAIN(AlongTest)
#include "along_test.moc"
