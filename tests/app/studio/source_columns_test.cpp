// A line of 80 characters is seen whole: where the source is opened, and where it is asked to be that wide.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "tests/app/studio/one_window.h"
#endif

#include "views/code/source_panel.h"
#include "views/code/source_view.h"

#include <QAction>
#include <QFile>
#include <QScrollBar>

using namespace app;
using namespace views;

class SourceColumnsTest : public OneWindow {
    Q_OBJECT

    /// Its longest line, the third, has 80 characters.
    QString script()
    {
        QFile file(scratch("eighty.py"));
        if (!file.open(QIODevice::WriteOnly)) QTest::qFail("the script cannot be written", __FILE__, __LINE__);
        QByteArray line = "print(\"";
        line += QByteArray(80 - line.size() - 2, 'w') + "\")";
        file.write("import theano\n\n" + line + "\n" + QByteArray(200, '\n'));
        return file.fileName();
    }
    SourceView *source() const { return m_window->views().widget("source")->findChild<SourceView *>(); }
    /// Whether the end of the line stands left of the right border.
    bool isWhole() const
    {
        QTextCursor end(source()->document()->findBlockByNumber(2));
        end.movePosition(QTextCursor::EndOfBlock);
        return source()->isVisible() && source()->cursorRect(end).right() <= source()->viewport()->width();
    }
    QAction *wide() const
    {
        for (QAction *action : m_window->views().widget("source")->actions())
            if (action->text().contains("80")) return action;
        return nullptr;
    }

private Q_SLOTS:
    void initTestCase()
    {
        settleIn();
        wear(true);
    }
    void cleanup() { m_window.reset(); }

    void aLineIsWhole_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<QString>("workspace");
        for (const QSize &size : {QSize(1280, 800), QSize(1440, 900), QSize(1920, 1080)})
            for (const char *workspace : {"graph", "profile"})
                QTest::newRow(qPrintable(QStringLiteral("%1 %2").arg(size.width()).arg(workspace))) << size << QString(workspace);
    }
    void aLineIsWhole()
    {
        QFETCH(QSize, size);
        QFETCH(QString, workspace);
        showWindow();
        m_window->resize(size);
        open(QStringLiteral(CROTON_REAL_SESSION));
        m_window->files().open(script());
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session() && !m_window->session()->isRecorded() && m_window->isReady(), 10000);
        m_window->showView(workspace);
        m_window->settle();
        if (m_window->workspaces().isShown("source")) m_window->hub().request(HideView{"source"});
        QVERIFY(!m_window->workspaces().isShown("source"));
        m_window->showView("source"); // it is asked for
        m_window->settle();
        QTRY_VERIFY2(isWhole(), qPrintable(QString::number(source()->viewport()->width())));
        if (qEnvironmentVariableIsSet("CROTON_PICTURES"))
            m_window->grab().save(
                QStringLiteral("%1/source-%2-%3.png").arg(qEnvironmentVariable("CROTON_PICTURES"), workspace).arg(size.width()));
        // And back, and again.
        QVERIFY(wide());
        QVERIFY(wide()->isChecked());
        wide()->trigger();
        QTRY_VERIFY(!isWhole());
        wide()->trigger();
        QTRY_VERIFY2(isWhole(), qPrintable(QString::number(source()->viewport()->width())));
    }
};

QTEST_MAIN(SourceColumnsTest)
#include "source_columns_test.moc"
