// The script in the window: typed into, saved, kept when it was not, searched, made wide; the state of the window survives.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "app/studio/pages/graph_page.h"
#include "tests/app/studio/one_window.h"
#endif

#include "app/studio/dialogs/key_sheet.h"
#include "app/studio/run/run_bar.h"
#include "app/studio/window/commands.h"
#include "app/studio/window/system_theme.h"
#include "app/studio/window/translation.h"
#include "views/code/source_panel.h"
#include "views/common/formats.h"
#include "views/common/numbers.h"
#include "views/common/panels.h"
#include "views/graph/graph_pane.h"

#include <QAction>
#include <QDBusVariant>
#include <QDir>
#include <QDockWidget>
#include <QLineEdit>
#include <QTreeWidget>

using namespace app;
using namespace views;

class EditingTest : public OneWindow {
    Q_OBJECT

    QString m_script;

    SourcePanel *panel() { return view<SourcePanel>("source"); }
    void trigger(const char *command)
    {
        auto *action = m_window->findChild<QAction *>(command);
        QVERIFY2(action, command);
        action->trigger();
    }
    QAction *ofPanel(const char *text)
    {
        for (QAction *action : panel()->actions())
            if (action->text().contains(QLatin1String(text))) return action;
        return nullptr;
    }
    QByteArray onDisk()
    {
        QFile file(m_script);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void openScript()
    {
        showWindow();
        m_window->files().open(m_script);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session() && m_window->isReady(), 10000);
    }

private Q_SLOTS:
    void initTestCase()
    {
        settleIn();
        wear(true);
    }
    void init()
    {
        QSettings().clear();
        m_script = scratch("work/a.py");
        QDir().mkpath(scratch("work"));
        QFile file(m_script);
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write("import theano\nfor i in range(3):\n    print(i)\n");
        file.close();
        openScript();
    }
    void cleanup() { m_window.reset(); }

    void whatIsTypedIsSaved()
    {
        QVERIFY(panel()->view()->isReadOnly());
        ofPanel("Edit")->trigger();
        QVERIFY(panel()->isEditing() && !panel()->isDirty());
        QTest::keyClicks(panel()->view(), "# hello");
        QVERIFY(panel()->isDirty());
        QCOMPARE(onDisk().left(6), QByteArray("import"));
        trigger("save");
        QVERIFY(!panel()->isDirty());
        QVERIFY(onDisk().startsWith("# hello"));
        panel()->view()->undo();
        QVERIFY(panel()->isDirty() && !panel()->text().startsWith('#'));
    }
    void returnKeepsTheIndentation()
    {
        ofPanel("Edit")->trigger();
        panel()->view()->findText("range(3):");
        QTest::keyClick(panel()->view(), Qt::Key_End);
        QTest::keyClick(panel()->view(), Qt::Key_Return);
        QTest::keyClicks(panel()->view(), "pass");
        QVERIFY2(panel()->text().contains("range(3):\n    pass\n"), qPrintable(panel()->text()));
    }
    void whatWasNotSavedComesBack()
    {
        ofPanel("Edit")->trigger();
        QTest::keyClicks(panel()->view(), "lost? ");
        m_window->close();
        QVERIFY(onDisk().startsWith("import"));
        openScript();
        ofPanel("Edit")->trigger();
        QVERIFY2(panel()->text().startsWith("lost? "), qPrintable(panel()->text()));
        QVERIFY(m_window->findChild<NoticeStrip *>()->sentence().contains("not saved"));
    }
    void aSaveThatFailsLosesNothing()
    {
        ofPanel("Edit")->trigger();
        QTest::keyClicks(panel()->view(), "kept ");
        QDir(scratch("work")).removeRecursively();
        trigger("save");
        QVERIFY2(m_window->notices().lastError().contains("could not be saved"), qPrintable(m_window->notices().lastError()));
        QVERIFY(panel()->isDirty() && panel()->text().startsWith("kept "));
        trigger("run"); // neither does it run another text than the one that is seen
        QVERIFY(!m_window->findChild<RunBar *>()->commandLine().isEmpty());
    }
    void theSourceIsSearched()
    {
        SourceView *view = panel()->view();
        view->setFocus();
        QTest::keyClick(view, Qt::Key_F, Qt::ControlModifier);
        auto *edit = qobject_cast<QLineEdit *>(m_window->focusWidget());
        QVERIFY(edit && panel()->isAncestorOf(edit));
        QTest::keyClicks(edit, "print");
        QTest::keyClick(edit, Qt::Key_Return);
        QCOMPARE(view->textCursor().selectedText(), QString("print"));
        QTest::keyClick(edit, Qt::Key_Escape);
        QVERIFY(!edit->isVisible());
    }
    void theSourceIsAsWideAsEightyColumns()
    {
        SourceView *view = panel()->view();
        const auto columns = [&] { return view->viewport()->width() / QFontMetrics(view->font()).horizontalAdvance(u'0'); };
        const auto *inspector = m_window->findChild<QDockWidget *>("inspector");
        QVERIFY(inspector->isVisible());
        const int before = view->width(), inspectorBefore = inspector->width();
        QVERIFY(columns() < 80);
        for (int width : {1440, 1024}) { // at the first the inspector gives way, at the second it has no room left
            m_window->resize(width, 900);
            QTest::qWait(100); // parts that have no room any more are put away
            ofPanel("80")->trigger();
            QTRY_VERIFY2(columns() >= 80, qPrintable(QStringLiteral("%1 at %2").arg(columns()).arg(width)));
            QCOMPARE(inspector->isVisible(), width == 1440);
            ofPanel("80")->trigger();
            QTRY_VERIFY(inspector->isVisible() && inspector->width() >= std::min(inspectorBefore, width / 5));
            QTRY_VERIFY(view->width() <= before);
        }
    }
    void theSheetHasEveryKey()
    {
        KeySheet sheet(studioViews(), m_window.get());
        QString text;
        for (const QLabel *label : sheet.findChildren<QLabel *>()) text += label->text() + u'\n';
        for (const KeyRow &row : keyRows(studioViews()))
            if (!row.keys.isEmpty() && row.id != QLatin1String("")) QVERIFY2(text.contains(row.title), qPrintable(row.title));
        for (const PictureKey &key : pictureKeys()) QVERIFY2(text.contains(key.title()), key.text);
    }
    void aSecondWindowIsAnother()
    {
        const auto windows = [] {
            QList<MainWindow *> all;
            for (QWidget *each : QApplication::topLevelWidgets())
                if (auto *window = qobject_cast<MainWindow *>(each)) all << window;
            return all;
        };
        trigger("newWindow");
        QCOMPARE(windows().size(), 2);
        for (MainWindow *each : windows()) {
            if (each == m_window.get()) continue;
            QCOMPARE(each->workspaces().current(), QString("welcome"));
            each->close();
        }
        QTRY_COMPARE(windows().size(), 1);
        QVERIFY(m_window->session());
    }
    void theDesktopTurnsDark()
    {
        SystemTheme &system = SystemTheme::instance();
        const auto say = [&system](uint scheme) {
            system.settingChanged("org.freedesktop.appearance", "color-scheme", QDBusVariant(scheme));
        };
        say(1);
        QVERIFY(system.isDark());
        QTRY_VERIFY(Theme::current().isDark());
        say(2);
        QTRY_VERIFY(!Theme::current().isDark());
    }
    void theStudioSpeaksFrench()
    {
#ifdef CROTON_TRANSLATIONS
        QCOMPARE(studioViews().at("profile").titleText(), QString("Profile"));
        speak(*qApp, "fr");
        QCOMPARE(studioViews().at("profile").titleText(), QString("Profil"));
        QCOMPARE(menuRows().front().menuText(), QString("Fichier"));
        QCOMPARE(formats::time(0.00025), QString("250,0 µs").replace(u' ', QChar(0x00A0)));
        QCOMPARE(formats::percent(0.125), QString("12,5%"));
        QCOMPARE(formats::number(1.25, 'f', 2), QString("1,25"));
        speak(*qApp, "en");
        QCOMPARE(studioViews().at("profile").titleText(), QString("Profile"));
        QCOMPARE(formats::number(1.25, 'f', 2), QString("1.25"));
#else
        QSKIP("built without Qt's linguist tools");
#endif
    }
    void rewritesAreFoundAndSwitchedOff()
    {
        RewritesDialog dialog({{"fuse", "fusion", {"fast_run", "loops"}, "one pass over memory"}, {"gemv", "blas", {"fast_run"}, ""}},
                              {"gemv"});
        dialog.show();
        const auto shown = [&dialog] {
            QStringList names;
            for (QTreeWidgetItemIterator it(dialog.tree(), QTreeWidgetItemIterator::NotHidden); *it; ++it)
                if (!(*it)->parent() || !(*it)->parent()->isHidden()) names << (*it)->text(0);
            return names;
        };
        dialog.search()->setText("memory");
        QVERIFY(shown().contains("fuse") && !shown().contains("gemv"));
        dialog.search()->setText("loops");
        QVERIFY(shown().contains("fuse") && shown().contains("loops"));
        dialog.search()->clear();
        for (QTreeWidgetItemIterator it(dialog.tree()); *it; ++it) {
            if ((*it)->text(0) == "gemv") QCOMPARE((*it)->checkState(0), Qt::Unchecked);
            if ((*it)->text(0) == "fuse") (*it)->setCheckState(0, Qt::Unchecked);
        }
        QCOMPARE(dialog.excluded(), (QStringList{"gemv", "fuse"}));
    }
    void rowsOfRewritesAgree()
    {
        RewritesDialog dialog({{"one", "fusion", {"fast_run"}, ""}, {"two", "fusion", {}, ""}, {"three", "BlasOpt", {"fast_run"}, ""}},
                              {"one"});
        const auto row = [&dialog](const QString &name) {
            for (QTreeWidgetItemIterator it(dialog.tree()); *it; ++it)
                if ((*it)->toolTip(0).contains(name)) return *it;
            return static_cast<QTreeWidgetItem *>(nullptr);
        };
        const auto is = [&](const QString &name, Qt::CheckState state) { return row(name) && row(name)->checkState(0) == state; };
        QVERIFY(is("one", Qt::Unchecked));
        QVERIFY(is("two", Qt::Checked) && is("three", Qt::Checked));
        QVERIFY2(is("fusion", Qt::PartiallyChecked), "a phase is whole while one of its rewrites is off");
        QVERIFY(is("fast_run", Qt::PartiallyChecked) && is("BlasOpt", Qt::Checked));
        // All of a phase: its rewrites are off, too.
        row("fusion")->setCheckState(0, Qt::Unchecked);
        QVERIFY(is("two", Qt::Unchecked) && is("fusion", Qt::Unchecked));
        // One of them on again: the other stays off, by its own name.
        row("two")->setCheckState(0, Qt::Checked);
        QCOMPARE(dialog.excluded(), (QStringList{"one"}));
        QVERIFY(is("two", Qt::Checked) && is("one", Qt::Unchecked) && is("fusion", Qt::PartiallyChecked));
        row("fast_run")->setCheckState(0, Qt::Unchecked);
        row("three")->setCheckState(0, Qt::Checked);
        QCOMPARE(dialog.excluded(), (QStringList{"one"}));
        row("fusion")->setCheckState(0, Qt::Checked);
        QVERIFY(dialog.excluded().isEmpty() && is("fast_run", Qt::Checked));
    }
};

QTEST_MAIN(EditingTest)
#include "editing_test.moc"
