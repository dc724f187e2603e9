#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/store/database.h"
#include "profiler/session/store/reader.h"
#include "views/history/history_rows.h"
#endif

#include "tests/profiler/session/scratch.h"
#include "tests/views/feed.h"
#include "views/common/palette.h"
#include "views/common/picture_panel.h"
#include "views/history/history_canvas.h"
#include "views/history/history_view.h"

#include <QSignalSpy>
#include <QStandardPaths>
#include <QTableView>
#include <QtTest>

#include <fstream>

using namespace views;

class HistoryViewTest : public QObject {
    Q_OBJECT

    profiler::Scratch m_scratch; ///< three copies of a real session, a damaged one, and one of another script
    std::shared_ptr<const SessionData> m_session;
    std::unique_ptr<SelectionHub> m_hub;
    std::unique_ptr<HistoryView> m_view;

    std::string copy(const std::string &name, const std::string &sql)
    {
        const std::string path = m_scratch / name;
        std::filesystem::copy_file(CROTON_REAL_SESSION, path);
        profiler::Database database(path, profiler::Database::Access::Write);
        database.execute(sql);
        return path;
    }
    void click(int function, Measure measure, int point)
    {
        QTest::mouseClick(m_view->canvas(), Qt::LeftButton, {}, m_view->canvas()->placeOf(function, measure, point).toPoint());
    }

private Q_SLOTS:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        applyTheme(*qApp, Theme::load(ThemeKind::Light));
        const auto created = [](int ms) { return "UPDATE meta SET value = '" + std::to_string(ms) + "' WHERE key = 'created_unix_ms';"; };
        copy("a.croton", created(1000));
        const std::string open = copy("b.croton", created(2000));
        copy("c.croton", created(3000) + "INSERT INTO flags (name, value, origin) VALUES ('speed', 'high', 'script')");
        copy("other.croton", "UPDATE script SET path = '/elsewhere/other.py', text = 'pass'; UPDATE functions SET name = 'other'");
        std::ofstream(m_scratch / "damaged.croton") << "no session";
        m_session = readSession(*profiler::SessionReader::open(open), nullptr);
    }
    void init()
    {
        m_hub = std::make_unique<SelectionHub>();
        m_view = std::make_unique<HistoryView>(*m_hub);
        m_view->resize(1000, 600);
        m_view->show();
        m_view->feed(feedOf(m_session, *m_hub, kAllFeedParts));
        QTRY_VERIFY(m_view->rows());
    }
    void cleanup() { m_view.reset(); }

    void holdsTheSessionsOfTheScriptByTime()
    {
        QVERIFY2(!m_view->panel()->isEmpty(), qPrintable(m_view->panel()->sentence()));
        const HistoryRows &rows = *m_view->rows();
        QCOMPARE(rows.history.sessions.size(), std::size_t(3));
        QVERIFY(rows.path(0).endsWith(QStringLiteral("a.croton")));
        QVERIFY(rows.path(2).endsWith(QStringLiteral("c.croton")));
        QCOMPARE(rows.history.leftOut.size(), std::size_t(1));
        for (const profiler::FunctionHistory &function : rows.history.functions) {
            QVERIFY(!rows.isChanged(function.points[1]));
            QVERIFY(rows.isChanged(function.points[2]));
            QVERIFY(rows.tip(function, function.points[2]).contains(QStringLiteral("speed is high now")));
        }
        const TextTable table = rows.table();
        QCOMPARE(table.rows.size(), 3 * rows.history.functions.size() + 1);
        QCOMPARE(table.rows.front().key, std::int64_t(2));
    }
    void pointsStandInTheirPicturesFromLeftToRight()
    {
        const HistoryCanvas &canvas = *m_view->canvas();
        for (int function = 0; function < static_cast<int>(m_view->rows()->history.functions.size()); ++function)
            for (const Measure measure : kMeasures) {
                QVERIFY(canvas.placeOf(function, measure, 0).x() < canvas.placeOf(function, measure, 1).x());
                for (int point = 0; point < 3; ++point) QCOMPARE(canvas.sessionAt(canvas.placeOf(function, measure, point)), point);
            }
    }
    void twoClicksCompare()
    {
        QSignalSpy commands(m_hub.get(), &SelectionHub::requested);
        click(0, Measure::Time, 2);
        QCOMPARE(commands.size(), 0);
        QCOMPARE(m_view->canvas()->chosen(), 2);
        click(1, Measure::Compile, 0);
        QCOMPARE(commands.size(), 1);
        QCOMPARE(commands[0][0].value<Request>(), Request(CompareSessions{m_view->rows()->path(0), m_view->rows()->path(2)}));
        click(0, Measure::Time, 1); // begins anew
        QCOMPARE(commands.size(), 1);
        QCOMPARE(m_view->canvas()->other(), -1);
    }
    void keysCompare()
    {
        QSignalSpy commands(m_hub.get(), &SelectionHub::requested);
        for (const Qt::Key key : {Qt::Key_Home, Qt::Key_Space, Qt::Key_End, Qt::Key_Return}) QTest::keyClick(m_view->canvas(), key);
        QCOMPARE(commands.size(), 1);
    }
    void withoutASessionItSaysWhy()
    {
        m_view->feed(feedOf(nullptr, *m_hub, kAllFeedParts));
        QVERIFY(m_view->panel()->isEmpty());
        QCOMPARE(m_view->panel()->sentence(), QStringLiteral("No session is open."));
    }
};

QTEST_MAIN(HistoryViewTest)
#include "history_view_test.moc"
