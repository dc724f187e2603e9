// What is done with the picture of a very large graph, while somebody looks at it: nothing of it holds the window up.
#include "app/studio/pages/picture_writer.h"
#include "tests/app/studio/own_pace.h"
#include "tests/app/studio/watchdog.h"
#include "tests/views/graph/demo_scenes.h"
#include "views/common/long_work.h"
#include "views/common/palette.h"
#include "views/graph/find_bar.h"
#include "views/graph/graph_pane.h"
#include "views/graph/node_query.h"

#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QToolButton>
#include <QtTest>

using namespace app;
using namespace views;

class LargePictureTest : public QObject {
    Q_OBJECT

    static constexpr int kNodes = 20'000;
    QTemporaryDir m_folder;
    std::unique_ptr<GraphPane> m_pane;
    SelectionHub m_hub;

    static Watchdog &watchdog() { return *static_cast<Watchdog *>(qApp); }
    GraphCanvas &canvas() const { return *m_pane->canvas(); }
    static void compare(const char *what)
    {
        const double limit = 5 * tenMs();
        qInfo("%s: longest stall %.1f of %.1f ms (%s)", what, watchdog().longestMs, limit, qPrintable(watchdog().longest));
        QVERIFY2(watchdog().longestMs < limit, qPrintable(watchdog().longest));
        watchdog().begin();
    }
    QString path(const char *name) const { return m_folder.filePath(QLatin1String(name)); }
    static QByteArray contentOf(const QString &path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void keepOld(const QString &path)
    {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write("old");
    }
    GraphSheet sheet() const { return {canvas().drawing(), {}, {}, {}}; }
    int countOf(const QString &query) const
    {
        const NodeQuery wanted(query);
        return static_cast<int>(std::count_if(canvas().scene().nodes.begin(), canvas().scene().nodes.end(),
                                              [&](const SceneNode &node) { return wanted.matches(node); }));
    }

private Q_SLOTS:
    void initTestCase()
    {
        applyTheme(*qApp, Theme::load(ThemeKind::Light));
        m_pane = std::make_unique<GraphPane>(QStringLiteral("Graph"));
        m_pane->resize(1000, 700);
        m_pane->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_pane.get()));
        canvas().setScene(demo::layered(kNodes, 3), GraphCanvas::Change::Fresh);
        QTRY_VERIFY_WITH_TIMEOUT(canvas().isSettled(), 120000);
    }
    void init() { watchdog().begin(); }

    void aFileIsWrittenMeanwhile_data()
    {
        QTest::addColumn<QByteArray>("start");
        QTest::newRow("a.svg") << QByteArray("<?xml");
        QTest::newRow("a.png") << QByteArray("\x89PNG");
        QTest::newRow("a.pdf") << QByteArray("%PDF");
        QTest::newRow("a.dot") << QByteArray("digraph");
    }
    void aFileIsWrittenMeanwhile()
    {
        QFETCH(QByteArray, start);
        PictureWriter writer(m_hub);
        QSignalSpy told(&LongWork::of(m_hub), &LongWork::changed), ended(&LongWork::of(m_hub), &LongWork::ended);
        writer.write(sheet(), path(QTest::currentDataTag()));
        QVERIFY(writer.isBusy() && LongWork::of(m_hub).isRunning());
        QTRY_VERIFY_WITH_TIMEOUT(!writer.isBusy(), 120000);
        compare(QTest::currentDataTag());
        QVERIFY(contentOf(path(QTest::currentDataTag())).startsWith(start));
        QVERIFY(told.size() > 0);
        QVERIFY(ended.at(0).at(0).toString().contains(QLatin1String(QTest::currentDataTag())));
    }

    void anImageIsCopiedMeanwhile()
    {
        PictureWriter writer(m_hub);
        writer.copy(canvas().drawing());
        QTRY_VERIFY_WITH_TIMEOUT(!writer.isBusy(), 120000);
        compare("copy");
        QVERIFY(!QApplication::clipboard()->image().isNull());
    }

    void whatIsCalledOffLeavesWhatWasThere_data()
    {
        QTest::addColumn<QString>("stage");
        for (const char *name : {"b.svg", "b.png", "b.pdf"}) QTest::newRow(name) << QStringLiteral("Drawing");
        QTest::newRow("c.png") << QStringLiteral("Writing");
    }
    void whatIsCalledOffLeavesWhatWasThere()
    {
        QFETCH(QString, stage);
        const QString file = path(QTest::currentDataTag());
        keepOld(file);
        const QStringList before = QDir(m_folder.path()).entryList(QDir::Files | QDir::Hidden);
        PictureWriter writer(m_hub);
        QSignalSpy ended(&LongWork::of(m_hub), &LongWork::ended);
        writer.write(sheet(), file);
        QTRY_VERIFY_WITH_TIMEOUT(LongWork::of(m_hub).sentence().startsWith(stage), 120000);
        LongWork::of(m_hub).callOff();
        QTRY_VERIFY_WITH_TIMEOUT(!writer.isBusy(), 120000);
        QVERIFY2(ended.at(0).at(0).toString().contains("not written"), qPrintable(ended.at(0).at(0).toString()));
        QCOMPARE(contentOf(file), QByteArray("old"));
        QCOMPARE(QDir(m_folder.path()).entryList(QDir::Files | QDir::Hidden), before);
    }

    void oneAtATime()
    {
        PictureWriter writer(m_hub);
        QSignalSpy noticed(&m_hub, &SelectionHub::noticed);
        writer.write(sheet(), path("d.svg"));
        writer.write(sheet(), path("e.svg"));
        QCOMPARE(noticed.size(), 1);
        QVERIFY(noticed[0][0].toString().startsWith("d.svg"));
        LongWork::of(m_hub).callOff();
        QTRY_VERIFY_WITH_TIMEOUT(!writer.isBusy(), 120000);
    }

    void whatIsTypedIsSearchedMeanwhile()
    {
        FindBar &bar = *m_pane->findBar();
        bar.open();
        auto *text = bar.findChild<QLineEdit *>();
        auto *list = bar.findChild<QListView *>(QStringLiteral("findList"));
        QTRY_VERIFY(canvas().isSettled());
        watchdog().begin();
        for (const char c : QByteArray("/^(so|ta|SU).*/")) QTest::keyClick(text, c);
        QVERIFY(canvas().isSearching());
        QTRY_VERIFY_WITH_TIMEOUT(!canvas().isSearching(), 20000);
        QCOMPARE(canvas().matchCount(), countOf(QStringLiteral("/^(so|ta|SU).*/")));
        QVERIFY(canvas().matchCount() > 1'000);
        QCOMPARE(canvas().match(), 0);
        compare("search");
        bar.findChild<QToolButton *>(QStringLiteral("findListed"))->click();
        QTRY_VERIFY(list->isVisible());
        QCOMPARE(list->model()->rowCount(), canvas().matchCount());
        compare("list");
        text->clear();
        QTest::keyClicks(text, QStringLiteral("tanh"));
        QTRY_VERIFY_WITH_TIMEOUT(!canvas().isSearching(), 20000);
        QCOMPARE(canvas().matchCount(), countOf(QStringLiteral("tanh")));
        QVERIFY(bar.findChild<QLabel *>(QStringLiteral("findCount"))->text().startsWith("1 of "));
        QCOMPARE(list->model()->rowCount(), canvas().matchCount());
        QVERIFY(list->model()->index(0, 0).data().toString().contains("tanh"));
        compare("another search");
        QTest::keyClick(text, Qt::Key_Escape);
        QCOMPARE(canvas().matchCount(), 0);
        compare("none");
    }
};

int main(int argc, char **argv)
{
    Watchdog application(argc, argv);
    LargePictureTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "large_picture_test.moc"
