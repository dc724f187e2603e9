// A session whose every text is hostile, with triggers and with views in place of its tables: all pages are gone through, nothing of it
// reaches a label raw, and nothing of it runs.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "tests/app/studio/one_window.h"
#include "views/graph/graph_canvas.h"
#endif

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QComboBox>
#include <QCryptographicHash>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTextBrowser>

#include <sqlite3.h>

using namespace app;
using namespace views;

namespace {

const QByteArray kBad = "\x1b[31m\x07\x08\x7f\xc2\x9b"
                        "31m</b><script>BAD</script>\"'";

} // namespace

class HostileSessionTest : public OneWindow {
    Q_OBJECT

    sqlite3 *m_database = nullptr;
    QStringList m_raw; ///< texts that are shown with what steers a terminal

    std::vector<std::vector<QByteArray>> run(const QByteArray &sql)
    {
        std::vector<std::vector<QByteArray>> rows;
        char *problem = nullptr;
        const auto take = [](void *to, int count, char **cells, char **) {
            auto &row = static_cast<std::vector<std::vector<QByteArray>> *>(to)->emplace_back();
            for (int i = 0; i < count; ++i) row.emplace_back(cells[i]);
            return 0;
        };
        if (sqlite3_exec(m_database, sql.constData(), take, &rows, &problem) != SQLITE_OK)
            QTest::qFail(sql + ": " + problem, __FILE__, __LINE__);
        return rows;
    }
    void openDatabase(const QString &path) { QCOMPARE(sqlite3_open(path.toLocal8Bit().constData(), &m_database), SQLITE_OK); }
    void closeDatabase() { sqlite3_close(std::exchange(m_database, nullptr)); }

    /// Columns that hold names for people; others name rows, or are documents that are read.
    void makeTextsHostile()
    {
        const QSet<QByteArray> keys{"rows", "outputs", "arguments", "inputs", "origins", "array_key", "document"};
        for (const auto &table : run("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")) {
            if (table[0] == "meta") continue;
            for (const auto &column : run("SELECT name, type FROM pragma_table_info('" + table[0] + "')"))
                if (column[1] == "TEXT" && !keys.contains(column[0])) {
                    sqlite3_stmt *update = nullptr;
                    const QByteArray sql = "UPDATE OR IGNORE " + table[0] + " SET " + column[0] + " = " + column[0] + " || ?";
                    QCOMPARE(sqlite3_prepare_v2(m_database, sql.constData(), -1, &update, nullptr), SQLITE_OK);
                    sqlite3_bind_text(update, 1, kBad.constData(), static_cast<int>(kBad.size()), SQLITE_STATIC);
                    sqlite3_step(update);
                    sqlite3_finalize(update);
                }
        }
    }
    void addTriggers()
    {
        run("CREATE TABLE fired (what TEXT)");
        for (const auto &table : run("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"))
            if (table[0] != "fired")
                for (const char *event : {"INSERT", "UPDATE", "DELETE"})
                    run("CREATE TRIGGER " + QByteArray(event) + "_" + table[0] + " AFTER " + event + " ON " + table[0] +
                        " BEGIN INSERT INTO fired VALUES ('" + table[0] + "'); END");
    }
    static QByteArray digest(const QString &path)
    {
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly)) return {};
        return QCryptographicHash::hash(file.readAll(), QCryptographicHash::Sha256);
    }

    static bool steers(const QString &text)
    {
        return std::any_of(text.begin(), text.end(), [](QChar c) {
            return (c.unicode() < 0x20 && c != u'\n' && c != u'\t') || (c.unicode() >= 0x7f && c.unicode() < 0xa0);
        });
    }
    void lookAt(const QString &text, const QString &where)
    {
        if (steers(text) && m_raw.size() < 20) m_raw << where + ": " + QString::fromUtf8(text.toUtf8().toPercentEncoding(" {}[]()/.,:"));
    }
    void lookAtModel(const QAbstractItemModel &model, const QString &where, const QModelIndex &parent = {}, int depth = 0)
    {
        for (int row = 0; row < std::min(model.rowCount(parent), 100); ++row)
            for (int column = 0; column < model.columnCount(parent); ++column) {
                const QModelIndex index = model.index(row, column, parent);
                lookAt(index.data(Qt::DisplayRole).toString(), where);
                lookAt(index.data(Qt::ToolTipRole).toString(), where + " tip");
                if (depth < 3 && column == 0) lookAtModel(model, where, index, depth + 1);
            }
    }
    void lookAtAll(const QString &view)
    {
        lookAt(m_window->windowTitle(), view + " title");
        for (const QWidget *widget : m_window->findChildren<QWidget *>()) {
            if (!widget->isVisible()) continue;
            const QString where = view + ' ' + widget->metaObject()->className();
            lookAt(widget->toolTip(), where + " tip");
            if (const auto *label = qobject_cast<const QLabel *>(widget)) lookAt(label->text(), where);
            if (const auto *button = qobject_cast<const QAbstractButton *>(widget)) lookAt(button->text(), where);
            if (const auto *box = qobject_cast<const QComboBox *>(widget)) lookAtModel(*box->model(), where);
            if (const auto *text = qobject_cast<const QPlainTextEdit *>(widget)) lookAt(text->toPlainText(), where);
            if (const auto *text = qobject_cast<const QTextBrowser *>(widget)) lookAt(text->toPlainText(), where);
            if (const auto *items = qobject_cast<const QAbstractItemView *>(widget); items && items->model())
                lookAtModel(*items->model(), where);
            if (const auto *canvas = qobject_cast<const GraphCanvas *>(widget))
                for (const SceneNode &node : canvas->scene().nodes)
                    for (const QString &text : {node.title, node.subtitle, node.exactName, node.type, node.shape}) lookAt(text, where);
        }
    }

private Q_SLOTS:
    void initTestCase()
    {
        settleIn();
        wear(true);
    }
    void init() { m_raw.clear(); }
    void cleanup() { m_window.reset(); }

    void everyPageIsGoneThrough()
    {
        const QString path = copyOf(CROTON_REAL_SESSION, "hostile.croton");
        openDatabase(path);
        addTriggers(); // before the texts, so that they are known to work
        makeTextsHostile();
        QVERIFY(!run("SELECT * FROM fired").empty());
        run("DELETE FROM fired");
        closeDatabase();
        const QByteArray before = digest(path);
        showWindow();
        open(path, 30000);
        QVERIFY(!m_window->session()->functions.empty());
        int seen = 0;
        for (const QString &view : studioViews().ids()) {
            m_window->showView(view);
            m_window->settle();
            QTRY_VERIFY_WITH_TIMEOUT(m_window->isReady(), 30000);
            lookAtAll(view);
            m_window->grab();
            ++seen;
        }
        for (const profiler::FunctionInfo &function : m_window->session()->functions) {
            m_window->hub().selectFunction(raw(function.id));
            m_window->showView("graph");
            m_window->settle();
            const auto graph = m_window->session()->graphOf(raw(function.id));
            for (const profiler::ApplyRow &row : graph->applies)
                if (row.inOptimized) {
                    m_window->hub().selectNode({Side::Optimized, NodeKind::Apply, raw(row.apply)});
                    m_window->settle();
                    lookAtAll("node");
                    break;
                }
        }
        QVERIFY(seen > 15);
        QVERIFY2(m_raw.isEmpty(), qPrintable(m_raw.join('\n')));
        m_window.reset();
        QCOMPARE(digest(path), before);
        openDatabase(path);
        QVERIFY2(run("SELECT * FROM fired").empty(), "a trigger fired");
        closeDatabase();
    }

    /// A view by the name of a table of ours is no table: the session is refused with a sentence.
    void viewsInPlaceOfTablesAreRefused()
    {
        const QString path = copyOf(CROTON_REAL_SESSION, "views.croton");
        openDatabase(path);
        run("ALTER TABLE functions RENAME TO hidden");
        run("CREATE VIEW functions AS SELECT * FROM hidden");
        closeDatabase();
        const QByteArray before = digest(path);
        showWindow();
        m_window->files().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session() || !m_window->notices().lastError().isEmpty(), 20000);
        for (const QString &view : studioViews().ids()) {
            m_window->showView(view);
            m_window->settle();
            lookAtAll(view);
        }
        QVERIFY2(m_raw.isEmpty(), qPrintable(m_raw.join('\n')));
        QCOMPARE(digest(path), before);
    }
};

QTEST_MAIN(HostileSessionTest)
#include "hostile_session_test.moc"
