// The first page: every button does what it says, samples are found, what was typed is computed; links and comparisons from outside.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "tests/app/studio/one_window.h"
#include "views/code/source_panel.h"
#include "views/compare/compare_view.h"
#endif

#include "app/studio/pages/welcome_cards.h"

#include <QClipboard>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QToolButton>

using namespace app;
using namespace views;

class WelcomeTest : public OneWindow {
    Q_OBJECT

    QString m_path, m_other;

    WelcomePage *page() { return view<WelcomePage>("welcome"); }
    CompareView *comparison() { return view<CompareView>("compare"); }
    /// The title of the dialog that a click opens; the dialog is closed.
    QString dialogOf(const char *button)
    {
        QString title;
        QTimer poll;
        connect(&poll, &QTimer::timeout, &poll, [&title] {
            QWidget *modal = QApplication::activeModalWidget();
            if (!modal) return;
            title = modal->windowTitle();
            modal->close();
        });
        poll.start(5);
        QTest::mouseClick(m_window->findChild<QWidget *>(button), Qt::LeftButton);
        return title;
    }

private Q_SLOTS:
    void initTestCase()
    {
        settleIn();
        QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        qputenv("PATH", scratch("").toLocal8Bit() + ":" + qgetenv("PATH"));
        QFile program(scratch("croton"));
        QVERIFY(program.open(QIODevice::WriteOnly));
        program.write("#!/bin/sh\n[ \"$1\" = expr ] || exit 0\n"
                      "[ \"$5\" = 'x = [1' ] && { echo 'the bracket is never closed' >&2; exit 1; }\n"
                      "echo '{\"inputs\": [{\"name\": \"x\", \"random\": true, \"value\": {\"dtype\": \"float64\", \"shape\": [2, 2], "
                      "\"data\": [1, 2, 3, 4]}}], \"values\": [{\"dtype\": \"float64\", \"shape\": [], \"data\": [0.5]}]}'\n");
        program.close();
        program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        wear(true);
        m_path = scratch("a.croton");
        m_other = scratch("b.croton");
        QVERIFY(QFile::copy(QStringLiteral(CROTON_REAL_SESSION), m_path));
        QVERIFY(QFile::copy(QStringLiteral(CROTON_REAL_SESSION), m_other));
    }
    void init()
    {
        QSettings().clear();
        showWindow();
    }
    void cleanup() { m_window.reset(); }

    void aMissingDeviceGivesItsReasonAndACopyOfIt()
    {
        page()->setCapabilities(
            {{"cpu: fine", true, ""}, {"opencl: not here.", false, "install it: sudo apt-get install pocl-opencl-icd"}});
        QToolButton *why = nullptr;
        for (QToolButton *button : page()->findChildren<QToolButton *>())
            if (button->accessibleDescription().startsWith("install it")) why = button;
        QVERIFY(why);
        why->click();
        auto *menu = why->findChild<QMenu *>();
        QVERIFY(menu);
        QCOMPARE(menu->actions().size(), 2);
        QCOMPARE(menu->actions().first()->text(), "install it: sudo apt-get install pocl-opencl-icd");
        menu->actions().last()->trigger();
        QCOMPARE(QGuiApplication::clipboard()->text(), "install it: sudo apt-get install pocl-opencl-icd");
        menu->close();
    }
    void aNarrowPageWrapsWhatItsButtonsSay()
    {
        wear(true, 2);
        m_window = std::make_unique<MainWindow>();
        m_window->resize(1024, 700);
        m_window->show();
        for (const char *name : {"welcomeOpen", "welcomeLearn", "welcomeCompare"}) {
            auto *button = m_window->findChild<QAbstractButton *>(name);
            QTRY_VERIFY(button->height() >= button->heightForWidth(button->width()));
            // Its last word is seen: another one in its place is another picture.
            const QString text = button->text();
            const QImage whole = button->grab().toImage();
            button->setText(text.left(text.lastIndexOf(u' ') + 1) + "xyzzy");
            QVERIFY2(whole != button->grab().toImage(), name);
            button->setText(text);
        }
        wear(true);
    }
    void everyButtonDoesWhatItSays()
    {
        QCOMPARE(dialogOf("welcomeOpen"), QString("Open a script, session or graph"));
        QCOMPARE(dialogOf("welcomeProfile"), QString("Profile a script"));
        QTest::mouseClick(m_window->findChild<QWidget *>("welcomeCompare"), Qt::LeftButton);
        QCOMPARE(m_window->workspaces().current(), QString("compare"));
        QVERIFY2(comparison()->sentence().contains("two sessions"), qPrintable(comparison()->sentence()));
        m_window->showView("graph"); // there is nothing that it could show
        QCOMPARE(m_window->workspaces().current(), QString("compare"));
        m_window->hub().goBack();
        QCOMPARE(m_window->workspaces().current(), QString("welcome"));
    }
    void twoSessionsAreComparedFromTheCommandLine()
    {
        const ParsedOptions parsed = parseOptions({"croton-studio", m_path, m_other});
        QCOMPARE(parsed.error, QString());
        QCOMPARE(parsed.options.view, QString("compare"));
        m_window->files().open(parsed.options.file);
        m_window->files().compare(parsed.options.file, parsed.options.other);
        QTRY_VERIFY_WITH_TIMEOUT(comparison()->rows() && m_window->session() && m_window->isReady(), 20000);
        QCOMPARE(m_window->workspaces().current(), QString("compare"));
        QCOMPARE(comparison()->pathA(), m_path);
        QCOMPARE(comparison()->pathB(), m_other);
    }
    void everySampleHasACardAndOpensWhatWasRecorded()
    {
        const QDir folder(samplesFolder());
        const std::vector<SampleCard> cards = readSamples(folder.path());
        QCOMPARE(static_cast<int>(cards.size()), QDir(folder.path(), "*", QDir::Name, QDir::Dirs | QDir::NoDotAndDotDot)
                                                     .entryList()
                                                     .filter(QRegularExpression("^[a-z]"))
                                                     .size());
        int recorded = 0;
        for (const SampleCard &card : cards) {
            QVERIFY2(card.script.endsWith(".py") && QFileInfo(card.script).isFile(), qPrintable(card.title));
            QVERIFY2(!card.sees.isEmpty(), qPrintable(card.title));
            recorded += card.file.endsWith(".croton");
            const SampleButton button(card);
            QVERIFY(button.toolTip().contains(card.sees.toHtmlEscaped()));
        }
        QVERIFY(recorded > static_cast<int>(cards.size()) / 2);
    }
    void aRecordedSampleKnowsItsScript()
    {
        const SampleCard card = readSamples(samplesFolder()).front();
        m_window->files().open(card.file);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session() && m_window->isReady(), 20000);
        m_window->showView("source");
        QTRY_VERIFY(m_window->findChild<SourcePanel *>());
        QTRY_COMPARE(m_window->findChild<SourcePanel *>()->script(), card.script);
    }
    void samplesAreFoundByWords()
    {
        const QStringList all = page()->shownSamples();
        auto *search = page()->findChild<QLineEdit *>("sampleSearch");
        QTest::keyClicks(search, "digits");
        QVERIFY(page()->shownSamples().size() < all.size() && !page()->shownSamples().isEmpty());
        search->setText("xyzzy");
        QVERIFY(page()->shownSamples().isEmpty());
        search->clear();
        QCOMPARE(page()->shownSamples(), all);
    }
    void recentFilesSayHowTheyStand()
    {
        QFile broken(scratch("broken.croton"));
        QVERIFY(broken.open(QIODevice::WriteOnly));
        broken.write("nothing");
        broken.close();
        page()->setRecent({m_path, broken.fileName()});
        const QList<RecentButton *> buttons = page()->findChildren<RecentButton *>();
        QCOMPARE(buttons.size(), 2);
        QTRY_VERIFY(buttons[0]->state().startsWith("finished"));
        QTRY_VERIFY2(buttons[1]->state().startsWith("cannot be read"), qPrintable(buttons[1]->state()));
    }
    void valuesAreShown()
    {
        const auto *said = page()->findChild<QLabel *>("expressionResult");
        auto *values = page()->findChild<QLineEdit *>("values");
        QTest::mouseClick(page()->findChild<QPushButton *>("showValue"), Qt::LeftButton);
        QTRY_VERIFY2(said->text().contains("[[1, 2], [3, 4]]"), qPrintable(said->text()));
        QVERIFY(said->text().contains("random") && said->text().contains("→ 0.5"));
        QTest::keyClicks(values, "x = [1");
        QTest::keyClick(values, Qt::Key_Return);
        QTRY_VERIFY2(said->text().contains("never closed"), qPrintable(said->text()));
    }
    void aLinkOpensItsSession()
    {
        Selection wanted;
        wanted.function = 1;
        wanted.workspace = "profile";
        const QString link = SelectionHub::toLink(wanted, m_path);
        QCOMPARE(SelectionHub::sessionOfLink(link), m_path);
        const ParsedOptions parsed = parseOptions({"croton-studio", link});
        QCOMPARE(parsed.error, QString());
        QCOMPARE(parsed.options.file, m_path);
        m_window->files().openLink(link);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->workspaces().current(), QString("profile"), 20000);
        QCOMPARE(m_window->keeper().path(), m_path);
        QVERIFY(!parseOptions({"croton-studio", "croton:view?function=1"}).error.isEmpty());
    }
};

QTEST_MAIN(WelcomeTest)
#include "welcome_test.moc"
