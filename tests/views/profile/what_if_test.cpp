#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/reader.h"
#endif

#include "tests/views/feed.h"
#include "views/common/controls.h"
#include "views/common/formats.h"
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
        panel.threads()->setCurrentIndex(1);
        QVERIFY(panel.verify()->isVisibleTo(&panel));
        panel.verify()->click();
        QCOMPARE(commands[0][0].toString(), QStringLiteral("try threads=%1").arg(panel.change().threads));
        WhatIfPanel without(m_hub, m_session, room(), false);
        without.threads()->setCurrentIndex(1);
        QVERIFY(!without.verify()->isEnabled());
        QVERIFY(!without.verify()->toolTip().isEmpty());
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
