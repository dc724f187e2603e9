// What the window does at a key, a click or a file, on a real session: find, palette, panes, menus, places, docks, scripts.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "app/studio/pages/graph_page.h"
#include "tests/app/studio/one_window.h"
#endif

#include "app/studio/run/run_bar.h"
#include "app/studio/window/status_line.h"
#include "views/code/source_panel.h"
#include "views/code/source_view.h"
#include "views/common/controls.h"
#include "views/common/long_work.h"
#include "views/common/panels.h"
#include "views/common/source_place.h"
#include "views/graph/graph_pane.h"
#include "views/profile/functions_view.h"
#include "views/profile/operations_view.h"
#include "views/steps/steps_model.h"
#include "views/steps/steps_view.h"

#include <QAction>
#include <QContextMenuEvent>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QTextBlock>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>
#include <tuple>

using namespace app;
using namespace views;

class HabitsTest : public OneWindow {
    Q_OBJECT

    QString m_path;

    void open(const QString &path)
    {
        m_window->files().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session() && m_window->isReady(), 10000);
        // Which function took most time depends on the machine.
        QString error;
        if (m_window->session()->isRecorded()) m_window->keeper().selectFunction("train", &error);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isReady(), 10000);
        m_window->settle();
    }
    GraphPage *page() { return view<GraphPage>("graph"); }
    GraphCanvas *canvas() { return page()->optimizedPane()->canvas(); }
    void trigger(const char *command)
    {
        auto *action = m_window->findChild<QAction *>(command);
        QVERIFY2(action, command);
        // A dialog would hold the test up.
        QTimer::singleShot(300, m_window.get(), [] {
            if (QWidget *modal = QApplication::activeModalWidget()) modal->close();
        });
        action->trigger();
    }
    std::int64_t applyAt(int index)
    {
        for (const auto &row : m_window->session()->graphOf(m_window->hub().selection().function)->applies)
            if (row.inOptimized && row.optimizedIndex == index) return raw(row.apply);
        return -1;
    }
    SceneKey keyOf(std::int64_t apply)
    {
        const auto graph = raw(m_window->session()->function(m_window->hub().selection().function)->graph);
        return sceneKey(graph, SceneRole::Apply, static_cast<std::uint32_t>(apply));
    }
    static QMenu *menuAt(QWidget *widget, const QPoint &at)
    {
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, widget->mapToGlobal(at));
        QCoreApplication::sendEvent(widget, &event);
        return qobject_cast<QMenu *>(QApplication::activePopupWidget());
    }
    static QStringList textsOf(const QMenu *menu)
    {
        QStringList texts;
        if (menu)
            for (const QAction *action : menu->actions()) texts << action->text();
        return texts;
    }
    QString statusText()
    {
        QStringList texts;
        for (const QLabel *label : m_window->findChild<StatusLine *>()->findChildren<QLabel *>())
            if (label->isVisible()) texts << label->text();
        return texts.join(u'|');
    }
    QString writeScript(const char *name, const QByteArray &text)
    {
        QFile file(scratch(name));
        if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate)) return {};
        file.write(text);
        return file.fileName();
    }
    /// A shell script that stands for the program `croton`.
    void writeProgram(const QByteArray &body)
    {
        const QString path = scratch("croton");
        QFile::remove(path);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\n[ \"$1\" = profile ] || exit 0\n" + body);
        file.close();
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }
    void run()
    {
        trigger("run");
        QTRY_VERIFY_WITH_TIMEOUT(m_window->findChild<NoticeStrip *>()->isVisible(), 10000);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isReady(), 10000);
    }

private Q_SLOTS:
    void initTestCase()
    {
        settleIn();
        qputenv("PATH", scratch("").toLocal8Bit() + ":" + qgetenv("PATH"));
        writeProgram("exit 0\n");
        wear(true);
        m_path = copyOf(CROTON_REAL_SESSION, "a.croton");
    }
    void init()
    {
        QSettings().clear();
        showWindow();
    }
    void cleanup()
    {
        if (QWidget *popup = QApplication::activePopupWidget()) popup->close();
        m_window.reset();
    }

    void aLineLeadsToItsSteps()
    {
        open(m_path);
        auto *panel = view<SourcePanel>("source");
        SourceView *source = panel->view();
        SourceRef busiest;
        std::size_t most = 0;
        for (const profiler::SourceLink &link : m_window->keeper().links()->graph().sourceLinks) {
            Selection line;
            line.source = {QString::fromStdString(link.source.file), link.source.line};
            const std::size_t steps = line.source.file == panel->file() ? m_window->keeper().links()->linkedTo(line).steps.size() : 0;
            if (steps > most) std::tie(most, busiest) = std::pair(steps, line.source);
        }
        QVERIFY(most > 2);
        const auto placeOf = [source](int line) {
            return source->cursorRect(QTextCursor(source->document()->findBlockByNumber(line - 1))).center() + QPoint(2, 0);
        };
        source->showLine(busiest.line);
        QTest::mouseClick(source->viewport(), Qt::LeftButton, {}, placeOf(busiest.line));
        QCOMPARE(m_window->hub().selection().source, busiest);
        const auto *foot = panel->findChild<QLabel *>(QStringLiteral("ofLine"));
        QVERIFY2(foot->isVisible() && foot->text().startsWith(QStringLiteral("Line %1: ").arg(busiest.line)), qPrintable(foot->text()));
        auto *steps = panel->findChild<QToolButton *>(QStringLiteral("stepsOfLine"));
        QCOMPARE(steps->text(), QStringLiteral("%1 steps").arg(most));
        QTest::mouseClick(steps, Qt::LeftButton);
        auto *list = view<StepsView>("steps");
        QTRY_VERIFY(list->isVisible() && m_window->isReady());
        const std::vector<int> &wanted = m_window->hub().linked().steps;
        const auto isListed = [list](int step) { return list->filter()->mapFromSource(list->model()->indexOfStep(step)).isValid(); };
        for (int step = 1; step <= list->model()->stepCount(); ++step)
            QCOMPARE(isListed(step), std::binary_search(wanted.begin(), wanted.end(), step));
        // Another line by its menu, from where one was.
        auto *ofSelection = list->findChild<QPushButton *>(QStringLiteral("stepsOfSelection"));
        QTest::mouseClick(ofSelection, Qt::LeftButton);
        QVERIFY(isListed(1) && isListed(list->model()->stepCount()));
        m_window->showView("source");
        QTRY_VERIFY(source->isVisible() && m_window->isReady());
        source->showLine(busiest.line);
        const QMenu *menu = menuAt(source->viewport(), placeOf(busiest.line));
        const QString text = QStringLiteral("Steps of line %1").arg(busiest.line);
        QVERIFY2(textsOf(menu).contains(text), qPrintable(textsOf(menu).join(u'|')));
        for (QAction *action : menu->actions())
            if (action->text() == text) action->trigger();
        QVERIFY(ofSelection->isChecked());
        QCOMPARE(ofSelection->accessibleName(), QStringLiteral("All steps of line %1").arg(busiest.line));
    }

    void aPictureIsExported()
    {
        open(m_path);
        const QString path = scratch("picture.svg");
        QTimer::singleShot(0, m_window.get(), [&path] {
            auto *dialog = qobject_cast<QFileDialog *>(QApplication::activeModalWidget());
            QVERIFY(dialog);
            auto *name = dialog->findChild<QLineEdit *>(QStringLiteral("fileNameEdit"));
            name->setText(path); // what is typed is completed in a list, which takes the next click
            QTest::mouseClick(dialog->findChild<QDialogButtonBox *>()->button(QDialogButtonBox::Save), Qt::LeftButton);
        });
        QTimer::singleShot(5000, m_window.get(), [] { // else a dialog that does not take the name would hold the test up
            if (QWidget *modal = QApplication::activeModalWidget()) modal->close();
        });
        QTest::keyClick(m_window.get(), Qt::Key_E, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->isReady(), 20000);
        QVERIFY(QFileInfo(path).size() > 1000);
        auto *strip = m_window->findChild<NoticeStrip *>();
        QVERIFY2(strip->isVisible() && strip->sentence().contains(path), qPrintable(strip->sentence()));
        // What takes long says how far it is, and can be called off.
        LongWork &work = LongWork::of(m_window->hub());
        QSignalSpy calledOff(&work, &LongWork::calledOff);
        strip->clear();
        work.begin();
        work.tell(QStringLiteral("Drawing a.svg… 1 %"));
        QVERIFY(!strip->isVisible());
        QTRY_VERIFY(work.isLong());
        work.tell(QStringLiteral("Drawing a.svg… 40 %"));
        QCOMPARE(strip->sentence(), QStringLiteral("Drawing a.svg… 40 %"));
        QTest::mouseClick(strip->findChild<QToolButton *>(QStringLiteral("noticeAction")), Qt::LeftButton);
        QCOMPARE(calledOff.size(), 1);
        m_window->notices().error(QStringLiteral("Something else went wrong.")); // which is not overwritten
        work.tell(QStringLiteral("Drawing a.svg… 80 %"));
        work.end(QStringLiteral("a.svg was not written."));
        QCOMPARE(strip->sentence(), QStringLiteral("Something else went wrong."));
        QVERIFY(!work.isRunning());
    }

    void findCountsAndLeavesNothingPale()
    {
        open(m_path);
        const QImage before = canvas()->grab().toImage();
        trigger("find");
        auto *bar = page()->optimizedPane()->findChild<QWidget *>("findBar");
        QVERIFY(bar && bar->isVisible());
        auto *edit = bar->findChild<QLineEdit *>();
        QCOMPARE(m_window->focusWidget(), edit);
        QTest::keyClicks(edit, "gemv");
        auto *count = bar->findChild<QLabel *>("findCount");
        QVERIFY2(count->text().startsWith("1 of "), qPrintable(count->text()));
        QVERIFY(count->text() != "1 of 1");
        // Enter selects what is shown, then what comes next.
        QVERIFY(!m_window->hub().selection().node.isValid());
        QTest::keyClick(edit, Qt::Key_Return);
        QVERIFY2(count->text().startsWith("1 of "), qPrintable(count->text()));
        const NodeRef first = m_window->hub().selection().node;
        QCOMPARE(keyOf(first.id), canvas()->matches()[0]);
        QTest::keyClick(edit, Qt::Key_Return);
        QVERIFY2(count->text().startsWith("2 of "), qPrintable(count->text()));
        QCOMPARE(keyOf(m_window->hub().selection().node.id), canvas()->matches()[1]);
        QTest::keyClick(edit, Qt::Key_Return, Qt::ShiftModifier);
        QVERIFY(count->text().startsWith("1 of "));
        QCOMPARE(m_window->hub().selection().node, first);
        // The arrows only show.
        QTest::keyClick(edit, Qt::Key_Down);
        QVERIFY(count->text().startsWith("2 of "));
        QCOMPARE(m_window->hub().selection().node, first);
        edit->setText("no such node");
        QVERIFY(!count->text().contains("of"));
        QTest::keyClick(edit, Qt::Key_Escape);
        QVERIFY(!bar->isVisible());
        QCOMPARE(m_window->focusWidget(), canvas());
        canvas()->fit();
        const QImage after = canvas()->grab().toImage();
        int darkBefore = 0, darkAfter = 0; // ink
        for (int y = 0; y < std::min(before.height(), after.height()); ++y)
            for (int x = 0; x < before.width(); ++x) {
                darkBefore += before.pixelColor(x, y).lightness() < 90;
                darkAfter += after.pixelColor(x, y).lightness() < 90;
            }
        QVERIFY2(darkAfter > darkBefore / 2, "nodes stayed pale");
    }
    void thePaletteGoesToAnything()
    {
        open(m_path);
        trigger("palette");
        auto *palette = m_window->findChild<QWidget *>("commandPalette");
        QVERIFY(palette && palette->isVisible());
        auto *edit = palette->findChild<QLineEdit *>();
        auto *list = palette->findChild<QListView *>();
        const auto first = [&](const QString &query) {
            edit->setText(query);
            const QModelIndex index = list->model()->index(0, 0);
            return index.data().toString() + u'|' + index.data(Qt::AccessibleTextRole).toString();
        };
        QVERIFY(first("fit the graph").contains("command"));
        QVERIFY(first("operations").contains("view"));
        QVERIFY(first("predict").contains("function"));
        QVERIFY2(first("gemv apply").contains("node"), qPrintable(first("gemv apply")));
        QVERIFY2(first("inplace_elemwise").contains("rewrite"), qPrintable(first("inplace_elemwise")));
        const profiler::ScriptInfo &script = m_window->session()->script;
        const QString line = QString::fromStdString(script.text).split(u'\n').at(3).trimmed();
        QVERIFY2(line.isEmpty() || first(line).contains("line"), qPrintable(first(line)));
        QVERIFY(first("logistic regression").contains("sample") || first("stable").contains("sample"));
        QVERIFY(list->model()->rowCount() > 0);
        edit->setText("xyzzy nothing");
        QCOMPARE(list->model()->rowCount(), 0);
        edit->setText("predict");
        QTest::keyClick(edit, Qt::Key_Return);
        QVERIFY(!palette->isVisible());
        QCOMPARE(m_window->keeper().function()->name, std::string("predict"));
        trigger("palette");
        QTest::keyClick(edit, Qt::Key_Escape);
        QVERIFY(!palette->isVisible());
    }
    void f6GoesRoundThePanes()
    {
        open(m_path);
        m_window->showView("operations");
        QList<QWidget *> seen;
        for (int i = 0; i < 12; ++i) {
            trigger("nextPane");
            seen << m_window->focusWidget();
        }
        QSet<QWidget *> different(seen.begin(), seen.end());
        QVERIFY2(different.size() >= 6, qPrintable(QString::number(different.size()))); // bar, docks, canvases, steps, inspector, tables
        const int round = static_cast<int>(different.size());
        QVERIFY(round < 12 && seen[0] == seen[round]);
        trigger("previousPane");
        QCOMPARE(m_window->focusWidget(), seen[seen.size() - 2]);
    }
    void aRightClickGivesAMenu()
    {
        open(m_path);
        const SceneKey key = keyOf(applyAt(2));
        const QMenu *ofNode = menuAt(canvas(), canvas()->widgetRect(key).center().toPoint());
        QVERIFY2(textsOf(ofNode).contains("Trace to inputs"), qPrintable(textsOf(ofNode).join(u'|')));
        QCOMPARE(m_window->hub().selection().node.id, applyAt(2));
        QApplication::activePopupWidget()->close();
        QVERIFY(textsOf(menuAt(canvas(), QPoint(3, 3))).contains("Fit the graph"));
        QApplication::activePopupWidget()->close();
        auto *functions = m_window->findChild<FunctionsView *>();
        QVERIFY(textsOf(menuAt(functions->viewport(), QPoint(30, 10))).contains("Copy name"));
        QApplication::activePopupWidget()->close();
        m_window->showView("operations");
        QWidget *rows = view<OperationsView>("operations")->table(CostTableKind::Op)->viewport();
        QVERIFY(textsOf(menuAt(rows, QPoint(30, 10))).contains("Copy row as text"));
        QApplication::activePopupWidget()->close();
        m_window->showView("source");
        const QMenu *ofSource = menuAt(view<SourcePanel>("source")->view()->viewport(), QPoint(60, 10));
        QVERIFY2(textsOf(ofSource).contains("Show in"), qPrintable(textsOf(ofSource).join(u'|')));
        for (const QAction *action : ofSource->actions())
            QVERIFY2(action->isSeparator() || !action->text().isEmpty(), "a row without a name");
        QApplication::activePopupWidget()->close();
        m_window->showView("steps");
        QWidget *steps = view<StepsView>("steps")->tree()->viewport();
        QVERIFY(textsOf(menuAt(steps, QPoint(40, 10))).contains("Copy name"));
    }
    void aNodeKeepsItsNote()
    {
        open(m_path);
        const SceneKey key = keyOf(applyAt(2));
        const auto write = [&](const QString &text) {
            QTimer poll;
            connect(&poll, &QTimer::timeout, &poll, [&] {
                QWidget *modal = QApplication::activeModalWidget();
                auto *edit = modal ? modal->findChild<QPlainTextEdit *>() : nullptr;
                if (!edit) return;
                edit->setPlainText(text);
                QTest::keyClick(edit, Qt::Key_Tab, Qt::ControlModifier);
                qobject_cast<QDialog *>(modal)->accept();
            });
            poll.start(5);
            QMenu *menu = menuAt(canvas(), canvas()->widgetRect(key).center().toPoint());
            for (QAction *action : menu->actions())
                if (action->text() == "Note…") action->trigger();
            menu->close();
        };
        const QImage before = canvas()->grab().toImage();
        write("slow on the old machine");
        QCOMPARE(canvas()->notes().value(key), QString("slow on the old machine"));
        QVERIFY(before != canvas()->grab().toImage());
        const auto said = [this] {
            QStringList texts;
            for (const QLabel *label : m_window->views().widget("inspector")->findChildren<QLabel *>()) texts << label->text();
            return texts.join(u'|');
        };
        QVERIFY2(said().contains("slow on the old machine"), qPrintable(said()));
        // It is there the next day, also for a copy of the session; without words it is gone.
        m_window = std::make_unique<MainWindow>();
        m_window->resize(1440, 900);
        m_window->show();
        open(copyOf(CROTON_REAL_SESSION, "copy_of_a.croton"));
        QCOMPARE(canvas()->notes().value(keyOf(applyAt(2))), QString("slow on the old machine"));
        write({});
        QVERIFY(canvas()->notes().isEmpty());
    }
    void coloursThatNameKindsHaveTheirKey()
    {
        open(m_path);
        m_window->showView("key");
        QWidget *key = m_window->views().widget("key");
        const int scaleOnly = key->sizeHint().height();
        page()->setOverlay(Overlay::Dtype);
        QVERIFY2(key->accessibleDescription().contains("float32"), qPrintable(key->accessibleDescription()));
        QVERIFY(key->sizeHint().height() != scaleOnly);
        QCOMPARE(page()->originalPane()->canvas()->overlay(), Overlay::Dtype);
        page()->setOverlay(Overlay::Phase);
        QVERIFY2(key->accessibleDescription().contains("fusion"), qPrintable(key->accessibleDescription()));
        page()->setOverlay(Overlay::Time);
        QCOMPARE(key->sizeHint().height(), scaleOnly);
        QVERIFY(!key->accessibleDescription().contains("fusion"));
    }
    void codeOfARewriteOpensInThePersonsEditorAtItsLine()
    {
        open(m_path);
        const QString told = scratch("told");
        QSettings().setValue("editor", QStringLiteral("sh -c \"echo %f:%l > '%1'\"").arg(told));
        QUrl link = QUrl::fromLocalFile(m_path);
        link.setFragment("120");
        m_window->hub().request(OpenSource{link});
        QTRY_VERIFY(QFileInfo(told).size() > 0);
        QFile file(told);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(QString::fromUtf8(file.readAll()).trimmed(), m_path + ":120");
    }
    void backReturnsToThePlaceInThePage()
    {
        open(m_path);
        const auto isIn = [this](const char *id) { return m_window->views().widget(id)->isAncestorOf(m_window->focusWidget()); };
        m_window->hub().showIn("operations");
        QVERIFY(m_window->workspaces().isShown("operations") && isIn("operations"));
        m_window->hub().showIn("source");
        QVERIFY(isIn("source"));
        m_window->hub().goBack();
        QVERIFY2(isIn("operations"), "Back did not return to the table");
        m_window->hub().goBack();
        QVERIFY2(!m_window->workspaces().isShown("operations"), "Back did not leave the table");
        QCOMPARE(m_window->workspaces().current(), QString("graph"));
        m_window->hub().goForward();
        QVERIFY(m_window->workspaces().isShown("operations") && isIn("operations"));
    }
    void aRowOfTheProfileLeadsToItsNode()
    {
        open(m_path);
        m_window->showView("profile");
        auto *tables = view<OperationsView>("profile");
        tables->setKind(CostTableKind::Apply);
        QTableView *table = tables->table(CostTableKind::Apply);
        table->selectRow(0);
        QVERIFY2(m_window->findChild<QDockWidget *>("inspector")->isVisible(), "nothing tells about the node");
        Q_EMIT table->activated(table->currentIndex());
        QCOMPARE(m_window->workspaces().current(), QString("graph"));
        QTRY_VERIFY(m_window->isReady());
        QCOMPARE(canvas()->selected().size(), 1);
        QVERIFY(QRectF(canvas()->rect()).intersects(canvas()->widgetRect(*canvas()->selected().begin())));
    }
    void theMemoryOverlayPaintsSizes()
    {
        open(m_path);
        int known = 0;
        double largest = 0;
        for (const SceneNode &node : canvas()->scene().nodes) {
            known += node.cost.bytes >= 0;
            largest = std::max(largest, node.cost.shareOfLargest);
        }
        QVERIFY(known > 3);
        QCOMPARE(largest, 1.0);
        page()->setOverlay(Overlay::None);
        const QImage plain = canvas()->grab().toImage();
        QVERIFY(m_window->hub().colourScale().title.isEmpty());
        page()->setOverlay(Overlay::Memory);
        QVERIFY(m_window->hub().colourScale().most.contains(u'B'));
        QVERIFY(plain != canvas()->grab().toImage());
    }
    void panelsBelowSqueezeNoDock_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<double>("text");
        QTest::newRow("1440x900") << QSize(1440, 900) << 1.0;
        QTest::newRow("1024x700") << QSize(1024, 700) << 1.0;
        QTest::newRow("200 %") << QSize(1920, 1080) << 2.0;
    }
    void panelsBelowSqueezeNoDock()
    {
        QFETCH(QSize, size);
        QFETCH(double, text);
        wear(true, text);
        m_window = std::make_unique<MainWindow>();
        m_window->resize(size);
        m_window->show();
        open(m_path);
        auto *source = m_window->findChild<QDockWidget *>("source");
        const int before = std::min(source->width(), Theme::current().px(216)); // what the table asks for in a narrow window
        for (int apply = 0; applyAt(apply) >= 0; ++apply) {
            m_window->hub().selectNode({Side::Optimized, NodeKind::Apply, applyAt(apply)});
            for (const ViewEntry &entry : studioViews().entries()) {
                if (entry.place.area != Area::Bottom) continue;
                m_window->showView(entry.id);
                QCoreApplication::processEvents();
                QVERIFY2(source->width() >= before - 2,
                         qPrintable(QStringLiteral("%1: %2 of %3 px").arg(entry.id).arg(source->width()).arg(before)));
            }
        }
        QVERIFY2(m_window->width() <= size.width(), qPrintable(QString::number(m_window->width())));
        Theme usual = Theme::load(ThemeKind::Light);
        usual.setReducedMotion(true);
        applyTheme(*qApp, usual);
    }
    void aScriptIsOpenedAndNotRun()
    {
        writeProgram("touch \"" + scratch("started").toLocal8Bit() + "\"\n");
        const QString script = writeScript("mine.py", "print('by hand')\n");
        open(script);
        QCOMPARE(view<SourcePanel>("source")->view()->toPlainText(), QString("print('by hand')\n"));
        QVERIFY2(!QFile::exists(scratch("started")), "opening ran it");
        QVERIFY2(statusText().contains("Not run yet"), qPrintable(statusText()));
        QVERIFY(!page()->optimizedPane()->showsCanvas());
        // Its last session, when it is of this very text, has the graph.
        const QString folder = scratch("cache/croton/sessions");
        QVERIFY(QDir().mkpath(folder));
        QVERIFY(QFile::copy(m_path, folder + "/same-20260101-000000.croton"));
        const QByteArray text = QByteArray::fromStdString([this] {
            open(m_path);
            return m_window->session()->script.text;
        }());
        open(writeScript("same.py", text));
        QTRY_VERIFY_WITH_TIMEOUT(page()->optimizedPane()->showsCanvas() && m_window->isReady(), 10000);
        QCOMPARE(m_window->keeper().script(), scratch("same.py"));
        open(writeScript("same.py", text + "\n# changed\n"));
        QTRY_VERIFY(!page()->optimizedPane()->showsCanvas());
        QVERIFY(!QFile::exists(scratch("started")));
    }
    void settingsStayWithTheirScript()
    {
        const QString a = writeScript("a.py", "print(1)\n"), b = writeScript("b.py", "print(2)\n");
        auto *bar = m_window->findChild<RunBar *>();
        open(a);
        RunSettings settings = bar->settings();
        settings.floatX = "float32";
        settings.excluded = QStringList{"fusion"};
        bar->setSettings(settings);
        Q_EMIT bar->settingsChanged(settings);
        QVERIFY(bar->commandLine().contains("float32"));
        open(b);
        QTRY_VERIFY(bar->commandLine().contains("b.py"));
        QVERIFY2(!bar->commandLine().contains("float32") && bar->settings() == RunSettings(), qPrintable(bar->commandLine()));
        m_window = std::make_unique<MainWindow>(); // the next day
        m_window->show();
        bar = m_window->findChild<RunBar *>();
        QVERIFY(bar->settings() == RunSettings());
        open(a);
        QTRY_COMPARE(bar->settings(), settings);
    }
    void everyEndHasItsPlace_data()
    {
        QTest::addColumn<QByteArray>("program");
        QTest::addColumn<QString>("sentence");
        QTest::addColumn<QString>("status");
        const QByteArray record = "cp \"" + QByteArray(CROTON_REAL_SESSION) + "\" \"$4\"\n";
        QTest::newRow("exception")
            << record + "echo 'ValueError: bad' >&2\n"
                        "echo '{\"event\":\"error\",\"text\":\"ValueError: bad\",\"file\":\"x.py\",\"line\":3}' >&3\nexit 1\n"
            << "ValueError: bad"
            << "Script failed";
        QTest::newRow("killed") << record + "echo last words\nexit 137\n"
                                << "killed"
                                << "Run killed";
        QTest::newRow("full disk") << record + "echo '{\"event\":\"warning\",\"text\":\"the disk is full: s.croton cannot grow\"}' >&3\n"
                                               "echo last words\n"
                                   << "the disk is full"
                                   << "not recorded as a whole";
        QTest::newRow("no Python") << QByteArray("echo 'croton: python3 cannot be started: No such file (set CROTON_PYTHON)' >&2\nexit 1\n")
                                   << "python3 cannot be started"
                                   << "not started";
    }
    void everyEndHasItsPlace()
    {
        QFETCH(QByteArray, program);
        QFETCH(QString, sentence);
        QFETCH(QString, status);
        writeProgram(program);
        open(writeScript("ends.py", "x = 1\n"));
        run();
        auto *notice = m_window->findChild<NoticeStrip *>();
        QTRY_VERIFY2(notice->sentence().contains(sentence), qPrintable(notice->sentence()));
        QTRY_VERIFY2(statusText().contains(status), qPrintable(statusText()));
        QVERIFY2(!statusText().contains("Run finished:"), qPrintable(statusText()));
    }
    void whatAScriptPrintsIsShown()
    {
        open(m_path);
        m_window->showView("output");
        auto *text = m_window->views().widget("output")->findChild<QPlainTextEdit *>();
        QString printed;
        for (const auto &each : *m_window->session()->outputs) printed += QString::fromStdString(each.text);
        QCOMPARE(text->toPlainText(), printed);
    }
};

QTEST_MAIN(HabitsTest)
#include "habits_test.moc"
