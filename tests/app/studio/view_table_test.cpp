// A view is its folder and one row: what the whole studio makes of a row, shown with a tiny view.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "app/studio/window/commands.h"
#include "tests/app/studio/one_window.h"
#endif

#include "app/studio/run/run_bar.h"
#include "app/studio/window/bottom_area.h"
#include "app/studio/window/translation.h"
#include "views/common/context_menu.h"
#include "views/common/controls.h"
#include "views/common/panels.h"
#include "views/common/view_words.h"

#include <QAbstractItemView>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QStatusBar>

#include <algorithm>
#include <functional>

using namespace app;
using namespace views;

namespace {

/// Shows the name of the function, and remembers what it was told.
class TinyView : public QLabel {
public:
    explicit TinyView(SelectionHub &) {}
    void feed(const ViewFeed &feed)
    {
        ++feeds;
        last = feed;
        setText(feed.function ? QString::fromStdString(feed.function->name) : QString());
        setSubtitle(this, text());
        setNote(this, "tiny note");
    }
    int feeds = 0;
    ViewFeed last;
};

struct TinyRows {
    explicit TinyRows(const SessionData &session) : functions(session.functions.size())
    {
        ++made;
        madeBy = QThread::currentThread();
    }
    std::size_t functions;
    static inline std::atomic<int> made = 0;
    static inline std::atomic<QThread *> madeBy = nullptr;
};

ViewEntry tinyRow(Place place)
{
    return {"tiny", "Tiny view", "info", "Ctrl+Alt+T", place, makeView<TinyView>, feedView<TinyView>, prepareRows<TinyRows>};
}

ViewTable withTiny(Place place)
{
    std::vector<ViewEntry> entries = studioViews().entries();
    entries.push_back(tinyRow(place));
    return ViewTable(entries);
}

QString refusal(std::vector<ViewEntry> entries)
{
    try {
        ViewTable table(std::move(entries));
    } catch (const ViewError &error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

} // namespace

class ViewTableTest : public OneWindow {
    Q_OBJECT

    QString m_session;
    std::unique_ptr<ViewTable> m_table;

    void open(Place place)
    {
        m_window.reset();
        m_table = std::make_unique<ViewTable>(withTiny(place));
        showWindow(std::make_unique<MainWindow>(*m_table));
        OneWindow::open(m_session);
    }
    TinyView *tiny() { return static_cast<TinyView *>(m_window->views().widget("tiny")); }
    QAction *action() { return m_window->findChild<QAction *>("view.tiny"); }

private Q_SLOTS:
    void initTestCase()
    {
        settleIn();
        wear(true);
        m_session = copyOf(CROTON_REAL_SESSION, "a.croton");
    }
    void init() { QSettings().clear(); }
    void cleanupTestCase() { m_window.reset(); }

    /// A command that a view obeys stands in a menu, and no other view obeys it.
    void commandsOfViewsStandInMenus()
    {
        std::vector<Command> seen;
        for (const ViewEntry &entry : studioViews().entries()) {
            for (const Command command : entry.commands) {
                QVERIFY2(entry.obey, qPrintable(entry.id));
                QVERIFY2(std::ranges::count(seen, command) == 0, qPrintable(entry.id));
                QVERIFY2(std::ranges::count(menuRows(), command, &MenuRow::command) == 1, qPrintable(entry.id));
                seen.push_back(command);
            }
        }
        QVERIFY(!seen.empty());
    }
    /// All that labels and tables of all views say of the session, in French: amounts have a comma.
    void amountsInFrenchHaveAComma()
    {
#ifdef CROTON_TRANSLATIONS
        speak(*qApp, "fr");
        showWindow();
        OneWindow::open(m_session);
        static const QRegularExpression kAmount(QStringLiteral(
            "(?<![\\w.:])\\d+\\.\\d+(?=[\\s\\x{00A0}\\x{202F}]?(?:s|ms|µs|%|B|kB|MB|GB|×|ulp|flop|kflop|Mflop|Gflop)\\b|[%×])"));
        QStringList faults, commas;
        const auto look = [&](const QString &view, const QString &text) {
            if (const auto match = kAmount.match(text); match.hasMatch()) faults << view + QStringLiteral(": ") + text.left(120);
            static const QRegularExpression kFrench(QStringLiteral("\\d,\\d"));
            if (kFrench.match(text).hasMatch()) commas << view;
        };
        const std::function<void(const QString &, const QAbstractItemModel &, const QModelIndex &)> walk =
            [&](const QString &view, const QAbstractItemModel &model, const QModelIndex &parent) {
                for (int row = 0; row < std::min(model.rowCount(parent), 60); ++row) {
                    for (int column = 0; column < model.columnCount(parent); ++column)
                        look(view, model.index(row, column, parent).data().toString());
                    walk(view, model, model.index(row, 0, parent));
                }
            };
        for (const ViewEntry &entry : studioViews().entries()) {
            if (entry.missing || entry.id == QLatin1String("help") || entry.id == QLatin1String("lessons")) continue;
            m_window->showView(entry.id);
            QTRY_VERIFY_WITH_TIMEOUT(m_window->isReady(), 20000);
            m_window->settle();
            for (const QLabel *label : m_window->findChildren<QLabel *>())
                if (label->isVisible()) look(entry.id, label->text());
            for (const QAbstractItemView *table : m_window->findChildren<QAbstractItemView *>())
                if (table->isVisible() && table->model()) walk(entry.id, *table->model(), {});
        }
        m_window.reset();
        speak(*qApp, "en");
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join(u'\n')));
        QVERIFY(commas.size() > 20);
#else
        QSKIP("built without Qt's linguist tools");
#endif
    }

    void oneRowIsFoundEverywhere_data()
    {
        QTest::addColumn<Place>("place");
        QTest::newRow("page") << Place{Area::Page, "tiny"};
        QTest::newRow("left dock") << Place{Area::Left, "profile", "graph", 200, 200};
        QTest::newRow("right dock") << Place{Area::Right, "graph? steps", "", 200, 200};
        QTest::newRow("below") << Place{Area::Bottom, "graph steps"};
    }
    void oneRowIsFoundEverywhere()
    {
        QFETCH(Place, place);
        open(place);
        // In the menu, with its title and key.
        QVERIFY(action());
        QCOMPARE(action()->text(), QString("Tiny view"));
        QCOMPARE(action()->shortcut(), QKeySequence("Ctrl+Alt+T"));
        // By --view, and in its help.
        const ParsedOptions parsed = parseOptions({"croton-studio", "--view", "tiny"}, *m_table);
        QCOMPARE(parsed.error, QString());
        QVERIFY(parseOptions({"croton-studio", "--help"}, *m_table).output.contains("tiny"));
        QVERIFY(parseOptions({"croton-studio", "--list-views"}, *m_table).output.contains("tiny\tTiny view\n"));
        QString error;
        QVERIFY(m_window->follow(parsed.options, &error));
        QTRY_VERIFY(tiny()->isVisible());
        QVERIFY(m_window->workspaces().isShown("tiny"));
        // Fed with the session and its selection, rows made beforehand in the reading thread.
        QCOMPARE(tiny()->last.session.get(), m_window->session());
        QCOMPARE(tiny()->text(), QString("train"));
        QVERIFY(TinyRows::made > 0 && TinyRows::madeBy != QThread::currentThread());
        QCOMPARE(tiny()->last.session->derived<TinyRows>().functions, m_window->session()->functions.size());
        QVERIFY(m_window->keeper().selectFunction("predict", &error));
        QCOMPARE(tiny()->text(), QString("predict"));
        const NodeRef node{Side::Original, NodeKind::Apply, 0};
        m_window->hub().selectNode(node);
        QCOMPARE(tiny()->last.selection.node, node);
        // In "Show in", from everywhere, and Back returns.
        m_window->showView("steps");
        std::unique_ptr<QMenu> menu(showInMenu(m_window->hub(), nullptr));
        Q_EMIT menu->aboutToShow();
        const auto actions = menu->actions();
        const auto found = std::find_if(actions.begin(), actions.end(), [](QAction *each) { return each->text() == "Tiny view"; });
        QVERIFY(found != actions.end());
        (*found)->trigger();
        QTRY_VERIFY(tiny()->isVisible());
        if (m_window->workspaces().current() != "steps") {
            m_window->hub().goBack();
            QCOMPARE(m_window->workspaces().current(), QString("steps"));
        }
    }
    void aDockStandsAtItsSideUnderItsTitle()
    {
        open({Area::Right, "graph", "", 200, 200});
        auto *dock = m_window->findChild<QDockWidget *>("tiny");
        QVERIFY(dock && dock->isVisible());
        QCOMPARE(m_window->dockWidgetArea(dock), Qt::RightDockWidgetArea);
        QCOMPARE(dock->titleBarWidget()->findChild<PanelHeader *>()->title(), QString("Tiny view"));
        QCOMPARE(dock->titleBarWidget()->findChild<PanelHeader *>()->subtitle(), QString("train"));
        action()->trigger();
        QVERIFY(!dock->isVisible());
        action()->trigger();
        QVERIFY(dock->isVisible());
    }
    void aPageIsInTheRunBarAndSpeaksInTheStatusBar()
    {
        open({Area::Page, "tiny"});
        action()->trigger();
        QCOMPARE(m_window->workspaces().current(), QString("tiny"));
        QCOMPARE(m_window->findChild<RunBar *>()->workspace(), QString("tiny"));
        bool said = false;
        for (const QLabel *label : m_window->statusBar()->findChildren<QLabel *>()) said = said || label->text() == "tiny note";
        QVERIFY(said);
        QVERIFY2(!m_window->findChild<BottomStrip *>()->isVisible(), "nothing can be opened below this page");
    }
    void aHiddenViewIsFedOnceWhenItIsShown()
    {
        open({Area::Bottom, "graph"});
        m_window->showView("tiny");
        m_window->showView("profile");
        QVERIFY(!tiny()->isVisible());
        const int before = tiny()->feeds;
        for (int apply : {0, 1, 2}) m_window->hub().selectNode({Side::Original, NodeKind::Apply, apply});
        QString error;
        QVERIFY(m_window->keeper().selectFunction("predict", &error));
        QCOMPARE(tiny()->feeds, before);
        m_window->showView("graph");
        QTRY_VERIFY(tiny()->isVisible());
        QCOMPARE(tiny()->feeds, before + 1);
        QCOMPARE(tiny()->text(), QString("predict"));
        QVERIFY(tiny()->last.selection.workspace == "graph");
    }
    void mistakesInTheTableAreRefused()
    {
        QVERIFY(refusal(studioViews().entries()).isEmpty());
        std::vector<ViewEntry> twice = studioViews().entries();
        twice.push_back(twice.at(1));
        QVERIFY2(refusal(twice).contains("“graph”") && refusal(twice).contains("profile"), qPrintable(refusal(twice)));
        ViewEntry nowhere = tinyRow({Area::Bottom, "nowhere"});
        QVERIFY2(refusal({studioViews().at("graph"), nowhere}).contains("nowhere"), qPrintable(refusal({nowhere})));
        ViewEntry empty = tinyRow({Area::Page, "tiny"});
        empty.make = nullptr;
        QVERIFY2(refusal({empty}).contains("tiny"), qPrintable(refusal({empty})));
    }
    void anUnknownViewGetsOneSentenceWithAllThatAreKnown()
    {
        const QString sentence = parseOptions({"croton-studio", "--view", "nothing"}).error;
        QVERIFY(sentence.contains("“nothing”"));
        for (const QString &id : studioViews().ids()) QVERIFY2(sentence.contains(id), qPrintable(sentence));
        open({Area::Bottom, "graph"});
        QVERIFY_EXCEPTION_THROWN(m_window->showView("nothing"), ViewError);
        m_window->hub().showIn("nothing");
        QVERIFY2(m_window->notices().lastError().contains("“nothing”"), qPrintable(m_window->notices().lastError()));
        Selection elsewhere;
        elsewhere.workspace = "nowhere";
        m_window->hub().select(elsewhere);
        QVERIFY2(m_window->notices().lastError().contains("“nowhere”"), qPrintable(m_window->notices().lastError()));
        QCOMPARE(m_window->workspaces().current(), QString("graph"));
    }
    void aViewThatIsMissingSaysWhy()
    {
        std::vector<ViewEntry> entries = studioViews().entries();
        entries.push_back(
            {"later", "Later", "info", "Ctrl+Alt+L", {Area::Page, "later"}, nullptr, nullptr, nullptr, true, "It needs what is not here"});
        m_window.reset();
        m_table = std::make_unique<ViewTable>(entries);
        const QString sentence = parseOptions({"croton-studio", "--view", "later"}, *m_table).error;
        QVERIFY2(sentence.contains("what is not here"), qPrintable(sentence));
        m_window = std::make_unique<MainWindow>(*m_table);
        const auto *later = m_window->findChild<QAction *>("view.later");
        QVERIFY(later && !later->isEnabled() && later->toolTip().contains("what is not here"));
    }
    void everyViewIsReachedByKeyAndNoKeyMeansTwoThings()
    {
        for (const ViewEntry &view : studioViews().entries()) QVERIFY2(!view.sequences().isEmpty(), qPrintable(view.id));
        QSet<QKeySequence> seen;
        for (const KeyRow &row : keyRows(studioViews())) {
            QVERIFY(!row.title.isEmpty());
            for (const QKeySequence &key : row.keys) {
                QVERIFY2(!key.isEmpty() && !seen.contains(key), qPrintable(row.id));
                seen.insert(key);
            }
        }
    }
    void everyViewOfTheStudioCanBeShown_data()
    {
        QTest::addColumn<QString>("id");
        for (const ViewEntry &view : studioViews().entries())
            if (!view.missing) QTest::newRow(qPrintable(view.id)) << view.id;
    }
    void everyViewOfTheStudioCanBeShown()
    {
        QFETCH(QString, id);
        open({Area::Bottom, "graph"});
        m_window->showView(id);
        QTRY_VERIFY(m_window->views().widget(id)->isVisible());
        QVERIFY(m_window->workspaces().isShown(id));
        if (studioViews().at(id).inShowIn) {
            const auto &names = m_window->hub().viewNames();
            QVERIFY(std::any_of(names.begin(), names.end(), [&](const ViewName &name) { return name.id == id; }));
        }
    }
};

QTEST_MAIN(ViewTableTest)
#include "view_table_test.moc"
