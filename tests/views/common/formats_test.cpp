#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/tips.h"

#include <QTextDocumentFragment>
#include <QtTest>

using namespace views;

namespace {
QString plain(QString text) { return text.replace(QChar(0x00A0), QLatin1Char(' ')).replace(QChar(0x202F), QLatin1Char(' ')); }
} // namespace

class FormatsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aToolTipShowsTheTextAsItIs()
    {
        for (const QString &text :
             {QStringLiteral("<lambda> & co.\n  two\n\nthree <b>"), QStringLiteral("R&D/model.py"), QStringLiteral("a\nb")})
            QCOMPARE(QTextDocumentFragment::fromHtml(tipText(text)).toPlainText(), text);
        QVERIFY(Qt::mightBeRichText(tipText("R&D")));
        QVERIFY(tipText({}).isEmpty());
    }
    void timesKeepTheirDigits_data()
    {
        QTest::addColumn<double>("seconds");
        QTest::addColumn<QString>("text");
        QTest::newRow("zero") << 0.0 << "0 µs";
        QTest::newRow("below a microsecond") << 0.718e-6 << "0.718 µs";
        QTest::newRow("rounds up to one") << 0.9998e-6 << "1.0 µs";
        QTest::newRow("microseconds") << 22.34e-6 << "22.3 µs";
        QTest::newRow("hundreds") << 133.0e-6 << "133.0 µs";
        QTest::newRow("milliseconds") << 4.1234e-3 << "4.12 ms";
        QTest::newRow("seconds") << 2.866 << "2.866 s";
        QTest::newRow("negative") << -9.8e-6 << QStringLiteral("−9.8 µs");
        QTest::newRow("not a number") << std::numeric_limits<double>::quiet_NaN() << QStringLiteral("–");
    }
    void timesKeepTheirDigits()
    {
        QFETCH(double, seconds);
        QFETCH(QString, text);
        QCOMPARE(plain(formats::time(seconds)), text);
    }
    void bytesAreDecimal()
    {
        QCOMPARE(plain(formats::bytes(384)), QStringLiteral("384 B"));
        QCOMPARE(plain(formats::bytes(1600)), QStringLiteral("1.6 kB"));
        QCOMPARE(plain(formats::bytes(999.6)), QStringLiteral("1.0 kB"));
        QCOMPARE(plain(formats::bytes(1.24e6)), QStringLiteral("1.2 MB"));
        QCOMPARE(plain(formats::bytes(2.5e9)), QStringLiteral("2.5 GB"));
    }
    void percentsNeverHideSomething()
    {
        QCOMPARE(formats::percent(0.316), QStringLiteral("31.6%"));
        QCOMPARE(formats::percent(0), QStringLiteral("0.0%"));
        QCOMPARE(formats::percent(0.0001), QStringLiteral("<0.1%"));
        QCOMPARE(formats::percent(1), QStringLiteral("100.0%"));
    }
    void countsAreGrouped()
    {
        QCOMPARE(plain(formats::count(0)), QStringLiteral("0"));
        QCOMPARE(plain(formats::count(999)), QStringLiteral("999"));
        QCOMPARE(plain(formats::count(10002)), QStringLiteral("10 002"));
        QCOMPARE(plain(formats::counted(1, formats::Thing::Apply)), QStringLiteral("1 apply"));
        QCOMPARE(plain(formats::counted(1067, formats::Thing::Apply)), QStringLiteral("1 067 applies"));
        QCOMPARE(formats::counted(1, formats::Thing::Call), QStringLiteral("1 call"));
        QCOMPARE(formats::counted(0, formats::Thing::Call), QStringLiteral("0 calls"));
        QCOMPARE(formats::counted(1, formats::Thing::Time), QStringLiteral("once"));
        QCOMPARE(plain(formats::count(-1234567)), QStringLiteral("−1 234 567"));
        QCOMPARE(formats::signedCount(3), QStringLiteral("+3"));
        QCOMPARE(formats::signedCount(-3), QStringLiteral("−3"));
        QCOMPARE(formats::signedCount(0), QStringLiteral("0"));
    }
};

QTEST_MAIN(FormatsTest)
#include "formats_test.moc"
