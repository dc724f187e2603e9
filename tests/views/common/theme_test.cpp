#include "views/common/icons.h"
#include "views/common/palette.h"
#include "views/common/theme.h"

#include <QDir>
#include <QFontDatabase>
#include <QPainter>
#include <QtTest>

using namespace views;

class ThemeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void textKeepsItsContrast()
    {
        for (ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark}) {
            const Theme theme = Theme::load(kind);
            for (Color text :
                 {Color::TextPrimary, Color::TextSecondary, Color::TextMuted, Color::TextLink, Color::Error, Color::Warn, Color::Ok})
                for (Color surface : {Color::Panel, Color::Window, Color::Canvas})
                    QVERIFY2(contrastRatio(theme.color(text), theme.color(surface)) >= 4.5, qPrintable(theme.color(text).name()));
            QVERIFY(contrastRatio(theme.color(Color::TextOnAccent), theme.color(Color::Accent)) >= 4.5);
            QVERIFY(contrastRatio(theme.color(Color::SelectionText), theme.color(Color::SelectionFill)) >= 4.5);
        }
    }
    void textOnTheHotScaleIsReadable()
    {
        for (ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark}) {
            const Theme theme = Theme::load(kind);
            for (int i = 0; i <= 8; ++i) {
                const QColor fill = theme.hot(i / 8.0);
                QVERIFY(contrastRatio(Theme::textOn(fill), fill) >= 4.5);
            }
        }
    }
    void phasesHaveLetterAndPattern()
    {
        const Theme theme = Theme::load(ThemeKind::Light);
        QSet<QChar> letters;
        for (const QString &name : Theme::phaseNames()) letters.insert(theme.phase(name).letter);
        QCOMPARE(letters.size(), qsizetype(Theme::phaseNames().size()));
        QVERIFY(theme.phase(QStringLiteral("scan")).letter != QLatin1Char('M'));
        // As sessions name them.
        QCOMPARE(theme.phase(QStringLiteral("BlasOpt")).letter, QLatin1Char('B'));
        QCOMPARE(theme.phase(QStringLiteral("specialize_device")).letter, QLatin1Char('D'));
        for (const char *name : {"inline", "useless", "uncanonicalize", "final_merge", "schedule"})
            QVERIFY2(theme.phase(QString::fromLatin1(name)).letter != QLatin1Char('M'), name);
        QCOMPARE(theme.phase(QStringLiteral("scan")).name, QStringLiteral("scan"));
    }
    void textScaleReachesFontsAndSizes()
    {
        const Theme one = Theme::load(ThemeKind::Light, 1.0);
        const Theme two = Theme::load(ThemeKind::Light, 2.0);
        QCOMPARE(two.font(FontRole::Body).pixelSize(), 2 * one.font(FontRole::Body).pixelSize());
        QCOMPARE(two.size(Size::Row), 2 * one.size(Size::Row));
        QCOMPARE(one.font(FontRole::Body).pixelSize(), 13);
        QCOMPARE(one.size(Size::RunBar), 44);
    }
    void reducedMotionStopsEverything()
    {
        Theme theme = Theme::load(ThemeKind::Light);
        QCOMPARE(theme.motionMs("step"), 400);
        theme.setReducedMotion(true);
        QCOMPARE(theme.motionMs("step"), 0);
    }
    void hotMapHidesTheTiny()
    {
        QVERIFY(Theme::hotPosition(0.0005) < 0);
        QCOMPARE(Theme::hotPosition(1.0), 1.0);
        QCOMPARE(Theme::hotPosition(0.25), 0.5);
    }
    void styleSheetHasNoTokenLeft()
    {
        const QString sheet = styleSheetOf(Theme::load(ThemeKind::Dark));
        QVERIFY(!sheet.contains(QLatin1Char('@')));
        QVERIFY(!sheet.contains(QStringLiteral("{{")));
        QVERIFY(sheet.contains(QStringLiteral("#1c2027")));
    }
    void everyIconOfTheFolderDraws()
    {
        const QStringList names = QDir(QStringLiteral(":/croton/icons")).entryList({QStringLiteral("*.svg")});
        QVERIFY(names.size() > 30);
        for (const QString &file : names) {
            const QString name = file.chopped(4);
            const QImage image = iconPixmap(name, 24, Qt::red).toImage();
            bool inked = false;
            for (int y = 0; y < image.height() && !inked; ++y)
                for (int x = 0; x < image.width() && !inked; ++x) inked = qAlpha(image.pixel(x, y)) > 60;
            QVERIFY2(inked, qPrintable(name));
        }
    }
    void digitsHaveEqualWidth()
    {
        const QFont font = Theme::load(ThemeKind::Light).font(FontRole::Cell);
        QCOMPARE(tabularWidth(font, QStringLiteral("1111")), tabularWidth(font, QStringLiteral("0000")));
    }
    void namedFontsAreTakenWhenInstalled()
    {
        const Theme theme = Theme::load(ThemeKind::Light);
        const QStringList installed = QFontDatabase::families();
        if (installed.contains(QStringLiteral("Inter"))) QCOMPARE(theme.uiFamily(), QStringLiteral("Inter"));
        if (installed.contains(QStringLiteral("JetBrains Mono"))) QCOMPARE(theme.monoFamily(), QStringLiteral("JetBrains Mono"));
        QVERIFY(!theme.monoFamily().isEmpty());
    }
};

QTEST_MAIN(ThemeTest)
#include "theme_test.moc"
