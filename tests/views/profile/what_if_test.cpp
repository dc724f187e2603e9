#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/reader.h"
#include "profiler/session/trials.h"
#include "tests/profiler/session/scratch.h"
#include "views/profile/roof_picture.h"
#endif

#include "tests/views/feed.h"
#include "views/common/controls.h"
#include "views/common/formats.h"
#include "views/common/measuring.h"
#include "views/common/palette.h"
#include "views/profile/summary_view.h"
#include "views/profile/what_if_panel.h"

#include <QCheckBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>

using namespace views;

class WhatIfTest : public QObject {
    Q_OBJECT

    std::shared_ptr<const SessionData> m_session;
    SelectionHub m_hub;

    const profiler::Headroom &room() const { return m_session->derived<Headrooms>().functions.at(m_session->functions.front().id); }

private Q_SLOTS:
    void initTestCase()
    {
        applyTheme(*qApp, Theme::load(ThemeKind::Light));
        m_session = readSession(*profiler::SessionReader::open(CROTON_REAL_SESSION), nullptr);
    }
    void aChoiceSaysWhatACallWouldTake()
    {
        WhatIfPanel panel(m_hub, m_session, room(), true);
        QVERIFY(!panel.boxes().empty());
        QVERIFY(panel.headline().contains(formats::time(room().nowNs * 1e-9)));
        QVERIFY(panel.headline().contains(formats::time(room().leastNs * 1e-9)));
        QVERIFY(panel.change().atRoof.empty());
        panel.boxes().front()->setChecked(true);
        QCOMPARE(panel.change().atRoof, std::vector<profiler::ApplyKey>{room().applies.front().what.apply});
        QVERIFY(panel.answer().contains(formats::time(profiler::callNsIf(room(), panel.change()) * 1e-9)));
        QVERIFY(!panel.verify()->isVisibleTo(&panel));
    }
    void threadsCanBeRun()
    {
        WhatIfPanel panel(m_hub, m_session, room(), true);
        QSignalSpy commands(&m_hub, &SelectionHub::commandRequested);
        QVERIFY(!panel.verify()->isVisibleTo(&panel));
        panel.threads()->setCurrentIndex(1);
        QVERIFY(panel.verify()->isVisibleTo(&panel));
        QCOMPARE(panel.verified(), QStringLiteral("Not yet."));
        panel.verify()->click();
        QCOMPARE(commands[0][0].toString(), QStringLiteral("measure whatif\n--function\n%1\n--verify\n--threads\n%2")
                                                .arg(raw(room().function))
                                                .arg(panel.change().threads));
        Measuring::of(m_hub).set({{"whatif"}, "Running", -1, true, {}, {}});
        QVERIFY(!panel.verify()->isEnabled());
        Measuring::of(m_hub).set({});
        QVERIFY(panel.verify()->isEnabled());
        WhatIfPanel without(m_hub, m_session, room(), false);
        without.threads()->setCurrentIndex(1);
        QVERIFY(!without.verify()->isEnabled());
        QVERIFY(!without.verify()->toolTip().isEmpty());
    }
    void whatARunFoundStandsBesideWhatWasPredicted()
    {
        profiler::Scratch scratch;
        const std::string path = scratch / "verified.croton";
        std::filesystem::copy_file(CROTON_REAL_SESSION, path);
        WhatIfPanel asking(m_hub, m_session, room(), true);
        asking.threads()->setCurrentIndex(1);
        const profiler::VerifiedRow row{room().function, asking.flags().toStdString(), 1.5e6, -1, {}};
        profiler::storeVerified(path, std::span(&row, 1));
        const auto session = readSession(*profiler::SessionReader::open(path), nullptr);
        WhatIfPanel panel(m_hub, session, session->derived<Headrooms>().functions.at(room().function), true);
        QVERIFY(panel.verified().isEmpty());
        panel.threads()->setCurrentIndex(1);
        QVERIFY2(panel.verified().contains(formats::time(1.5e-3)), qPrintable(panel.verified()));
        QVERIFY(panel.answer().contains(formats::time(profiler::callNsIf(room(), panel.change()) * 1e-9)));
        panel.boxes().front()->setChecked(true); // no run has that
        QVERIFY2(panel.verified().contains("alone"), qPrintable(panel.verified()));
        panel.threads()->setCurrentIndex(0);
        QVERIFY2(panel.verified().contains("No run can"), qPrintable(panel.verified()));
    }
    void thePictureIsTheWholeCall()
    {
        WhatIfPanel panel(m_hub, m_session, room(), true);
        double now = 0, least = 0;
        for (const profiler::HeadroomShare &share : panel.picture()->shares()) now += share.nowNs, least += share.leastNs;
        QVERIFY(std::abs(now - room().nowNs) < 1e-6 * room().nowNs && std::abs(least - room().leastNs) < 1e-6 * room().nowNs);
        QCOMPARE(panel.picture()->asText().split(u'\n').size(), qsizetype(panel.picture()->shares().size() + 2));
        panel.resize(300, 700);
        panel.show();
        QTRY_VERIFY(panel.picture()->width() > 0);
        QTest::mouseClick(panel.picture(), Qt::LeftButton, {}, panel.picture()->rowRect(0).center().toPoint());
        QCOMPARE(m_hub.selection().node.id, std::int64_t{raw(room().applies.front().what.apply.apply)});
    }
    void theSummaryOfAFunctionHasIt()
    {
        SummaryView view(m_hub);
        Selection first;
        first.function = raw(m_session->functions.front().id);
        m_hub.reset(first);
        view.resize(320, 900);
        view.feed(feedOf(m_session, m_hub, kAllFeedParts));
        QVERIFY(view.findChild<WhatIfPanel *>());
        QVERIFY(view.findChild<WhatIfPanel *>()->sizeHint().width() < 320);
    }
};

QTEST_MAIN(WhatIfTest)
#include "what_if_test.moc"
