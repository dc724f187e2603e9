#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/store/reader.h"
#include "profiler/session/store/trials.h"
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
#include "views/profile/what_if_slider.h"

#include <QCheckBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
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
    void aSliderBringsAnOpNearerToItsRoof()
    {
        WhatIfPanel panel(m_hub, m_session, room(), true);
        QVERIFY(!panel.ops().empty());
        QVERIFY(panel.headline().contains(formats::time(room().nowNs * 1e-9)));
        QVERIFY(panel.headline().contains(formats::time(room().leastNs * 1e-9)));
        QVERIFY(panel.change().atRoof.empty());
        const profiler::ApplyRoof &first = room().applies.front();
        WhatIfSlider &slider = *panel.ops().front();
        QCOMPARE(slider.valueText(), formats::time(first.nowNs * 1e-9));
        slider.setStep(slider.last() / 2);
        QCOMPARE(panel.change().atRoof.size(), std::size_t{1});
        QCOMPARE(panel.change().atRoof[0].apply, first.what.apply);
        QCOMPARE(panel.change().atRoof[0].share, 0.5);
        QVERIFY2(panel.answer().contains(formats::time((room().nowNs - first.gainNs() / 2) * 1e-9)), qPrintable(panel.answer()));
        slider.setStep(slider.last());
        QCOMPARE(slider.valueText(), formats::time(first.leastNs * 1e-9));
        QVERIFY2(panel.answer().contains(formats::time((room().nowNs - first.gainNs()) * 1e-9)), qPrintable(panel.answer()));
        QVERIFY(!panel.verify()->isVisibleTo(&panel));
        QVERIFY2(panel.verified().contains("No run can"), qPrintable(panel.verified()));
        panel.show();
        slider.slider()->setFocus();
        QTest::keyClick(slider.slider(), Qt::Key_Home);
        QVERIFY(panel.change().atRoof.empty());
    }
    void threadsCanBeRun()
    {
        WhatIfPanel panel(m_hub, m_session, room(), true);
        QSignalSpy commands(&m_hub, &SelectionHub::requested);
        QVERIFY(!panel.verify()->isVisibleTo(&panel));
        QCOMPARE(panel.change().threads, 0);
        panel.choose({.threads = 2 * room().threads});
        QCOMPARE(panel.change().threads, 2 * room().threads);
        QVERIFY(panel.answer().contains("at best"));
        QVERIFY(panel.verify()->isVisibleTo(&panel));
        QCOMPARE(panel.verified(), QStringLiteral("Not yet."));
        panel.verify()->click();
        QCOMPARE(commands[0][0].value<Request>(),
                 Request(MeasureSession{{"whatif", "--function", QString::number(raw(room().function)), "--verify", "--threads",
                                         QString::number(panel.change().threads)}}));
        Measuring::of(m_hub).set({{"whatif"}, "Running", -1, true, {}, {}});
        QVERIFY(!panel.verify()->isEnabled());
        Measuring::of(m_hub).set({});
        QVERIFY(panel.verify()->isEnabled());
        WhatIfPanel without(m_hub, m_session, room(), false);
        without.choose({.threads = 2 * room().threads});
        QVERIFY(!without.verify()->isEnabled());
        QVERIFY(!without.verify()->toolTip().isEmpty());
    }
    // A card of which nothing was measured, then one with roofs.
    void anotherDeviceIsPredictedOnceItsRoofsAreKnown()
    {
        const auto session = std::make_shared<SessionData>();
        session->functions = m_session->functions;
        session->profile = m_session->profile;
        session->devices = {{"cpu", "", true, "", 0}, {"another0", "a card", true, "", 0}, {"gone0", "", false, "no driver", 0}};
        const profiler::Headroom bare = profiler::makeHeadroom(session->profile, room().function);
        QSignalSpy commands(&m_hub, &SelectionHub::requested);
        WhatIfPanel panel(m_hub, session, bare, true);
        QCOMPARE(panel.device()->count(), 3);
        panel.choose({.device = "another0"});
        QCOMPARE(panel.change().device, std::string("another0"));
        QVERIFY2(panel.answer().contains("not measured yet"), qPrintable(panel.answer()));
        QVERIFY(panel.measureRoofs()->isVisibleTo(&panel));
        panel.measureRoofs()->click();
        QCOMPARE(commands[0][0].value<Request>(),
                 Request(MeasureSession{{"whatif", "--function", QString::number(raw(room().function)), "--device", "another0"}}));
        for (const auto &[name, value] : {std::pair("flops.float32", 1e12), {"flops.float64", 1e12}, {"bandwidth.memory", 1e11}})
            session->profile.machine.roofs.push_back({"another0", name, value, ""});
        const profiler::Headroom measured = profiler::makeHeadroom(session->profile, room().function);
        WhatIfPanel knowing(m_hub, session, measured, true);
        knowing.choose(panel.change()); // as it is taken over
        QVERIFY2(knowing.answer().contains(formats::time(profiler::callNsIf(measured, {.device = "another0"}) * 1e-9)),
                 qPrintable(knowing.answer()));
        QVERIFY(!knowing.measureRoofs()->isVisibleTo(&knowing));
        QVERIFY(knowing.verify()->isVisibleTo(&knowing));
    }
    void devicesOfThisMachineAreOffered()
    {
        WhatIfPanel panel(m_hub, m_session, room(), true);
        const int before = panel.device()->count();
        Measuring::of(m_hub).setDevices({{"cpu", {}, true}, {"another7", {}, true}, {"gone7", "no driver", false}});
        QCOMPARE(panel.device()->count(), before + 2);
        panel.choose({.device = "another7"});
        QCOMPARE(panel.change().device, std::string("another7"));
        Measuring::of(m_hub).set({}); // again: nothing is offered twice, and what is chosen stays
        QCOMPARE(panel.device()->count(), before + 2);
        QCOMPARE(panel.change().device, std::string("another7"));
        Measuring::of(m_hub).setDevices({});
    }
    void copiesAreLeftOutOneByOne()
    {
        const auto session = std::make_shared<SessionData>();
        session->functions = m_session->functions;
        session->profile = m_session->profile;
        std::vector<profiler::ApplyKey> keys;
        for (const profiler::ApplyRoof &row : room().applies) keys.push_back(row.what.apply);
        QVERIFY(keys.size() > 6);
        for (std::size_t i = 0; i < 6; ++i) {
            session->profile.devices.transfers.push_back(
                {room().function, keys[i].graph, keys[i].apply, i % 2 ? "DtoH" : "HtoD", "another0", 10, 1000, 0});
            for (profiler::ApplyRow &row : session->profile.applies)
                if (row.graph == keys[i].graph && row.apply == keys[i].apply) row.role = profiler::OpRole::Transfer;
        }
        const profiler::Headroom copying = profiler::makeHeadroom(session->profile, room().function);
        WhatIfPanel panel(m_hub, session, copying, true);
        QCOMPARE(panel.transfers().size(), std::size_t{5}); // four, and the others together
        panel.transfers()[1]->setChecked(true);
        QCOMPARE(panel.change().gone.size(), std::size_t{1});
        panel.transfers()[4]->setChecked(true);
        QCOMPARE(panel.change().gone.size(), std::size_t{3});
        QVERIFY(panel.answer().contains(formats::time(profiler::callNsIf(copying, panel.change()) * 1e-9)));
    }
    void whatARunFoundStandsBesideWhatWasPredicted()
    {
        profiler::Scratch scratch;
        const std::string path = scratch / "verified.croton";
        std::filesystem::copy_file(CROTON_REAL_SESSION, path);
        const profiler::WhatIf more{.threads = 2 * room().threads};
        const std::string flags = "threads=" + std::to_string(more.threads);
        const profiler::VerifiedRow rows[] = {{room().function, flags, 1.5e6, -1, {}},
                                              {room().function, "memory_budget=order", 2.5e6, 100, {}},
                                              {room().function, "device=another0", -1, -1, "no such device"}};
        profiler::storeVerified(path, rows);
        const auto session = readSession(*profiler::SessionReader::open(path), nullptr);
        WhatIfPanel panel(m_hub, session, session->derived<Headrooms>().functions.at(room().function), true);
        QVERIFY(panel.verified().isEmpty());
        QVERIFY2(panel.runs().contains(QString::fromStdString(flags)) && !panel.runs().contains("memory_budget") &&
                     !panel.runs().contains("another0"),
                 qPrintable(panel.runs()));
        panel.choose(more);
        QVERIFY2(panel.verified().contains(formats::time(1.5e-3)), qPrintable(panel.verified()));
        QVERIFY(panel.answer().contains(formats::time(profiler::callNsIf(room(), panel.change()) * 1e-9)));
        panel.ops().front()->setStep(panel.ops().front()->last()); // no run has that
        QVERIFY2(panel.verified().contains("alone"), qPrintable(panel.verified()));
        panel.choose({});
        QVERIFY(panel.verified().isEmpty());
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
    void withoutRoofsNothingIsDrawnAtThem()
    {
        profiler::ProfileData bare = m_session->profile;
        bare.machine.roofs.clear();
        WhatIfPanel panel(m_hub, m_session, profiler::makeHeadroom(bare, room().function), true);
        QVERIFY2(panel.headline().contains("not known"), qPrintable(panel.headline()));
        QVERIFY(!panel.picture()->isVisibleTo(&panel));
        WhatIfPanel knowing(m_hub, m_session, room(), true);
        QVERIFY(knowing.picture()->isVisibleTo(&knowing));
    }
    void partsOfTheSummaryAreInTheUnitOfTheWhole()
    {
        ProfileSummary summary;
        summary.seconds = 0.0204;
        summary.calls = 100;
        summary.parts = {{QStringLiteral("GPU ops"), 'G', 0.00025, 0.012, Color::Gpu, false}};
        SummaryView view(m_hub);
        view.resize(320, 600);
        view.show();
        view.setSummary(summary);
        QStringList texts;
        for (const QLabel *label : view.findChildren<QLabel *>()) texts << label->text();
        QVERIFY2(texts.contains(formats::timeLike(0.00025, 0.0204)), qPrintable(texts.join(u'|')));
        QVERIFY(!texts.contains(formats::seconds(0.00025))); // which says nothing: 0.000 s
        // What the total is of stands beside it, or below where it has no room.
        const auto shown = [&view] {
            QStringList shown;
            for (const QLabel *label : view.findChildren<QLabel *>())
                if (label->text().startsWith("in thunks") && label->isVisibleTo(&view))
                    shown << QLatin1String(label->metaObject()->className());
            return shown;
        };
        QCOMPARE(shown(), QStringList("views::ElidedLabel"));
        view.resize(150, 600);
        QCoreApplication::processEvents();
        QCOMPARE(shown(), QStringList("views::TextLabel"));
    }
    void theSummaryOfAFunctionHasIt()
    {
        SummaryView view(m_hub);
        Selection first;
        first.function = raw(m_session->functions.front().id);
        m_hub.reset(first);
        view.resize(320, 900);
        view.feed(feedOf(m_session, m_hub, kAllFeedParts));
        auto *panel = view.findChild<WhatIfPanel *>();
        QVERIFY(panel);
        QVERIFY(panel->sizeHint().width() < 320);
        panel->choose({.threads = 2 * room().threads});
        view.feed(feedOf(m_session, m_hub, kAllFeedParts)); // measured meanwhile
        QVERIFY(view.findChild<WhatIfPanel *>() != panel);
        QCOMPARE(view.findChild<WhatIfPanel *>()->change().threads, 2 * room().threads);
    }
};

QTEST_MAIN(WhatIfTest)
#include "what_if_test.moc"
