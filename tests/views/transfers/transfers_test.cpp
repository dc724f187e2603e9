#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/store/reader.h"
#include "views/session/session_data.h"
#endif

#include "views/common/palette.h"
#include "views/transfers/transfers_view.h"

#include <QTableView>
#include <QtTest>

using namespace views;

class TransfersTest : public QObject {
    Q_OBJECT

    static ViewFeed feedOf(std::shared_ptr<const SessionData> session)
    {
        ViewFeed feed;
        feed.session = std::move(session);
        feed.changed = kAllFeedParts;
        return feed;
    }

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, Theme::load(ThemeKind::Light)); }

    void aSessionOfTheCpuSaysSo()
    {
        SelectionHub hub;
        TransfersView view(hub);
        view.show();
        view.feed(feedOf(readSession(*profiler::SessionReader::open(CROTON_REAL_SESSION), nullptr)));
        QVERIFY2(view.sentence().contains("ran on the CPU"), qPrintable(view.sentence()));
        view.feed(feedOf(nullptr));
        QVERIFY2(view.sentence().contains("No session"), qPrintable(view.sentence()));
    }
    void theReasonIsTheTrueOne()
    {
        SessionData session;
        QVERIFY(whyNoTransfers(&session).contains("No function was called"));
        profiler::FunctionInfo function;
        function.name = "train";
        function.device = "cuda0";
        function.run.calls = 1;
        session.functions.push_back(function);
        QVERIFY2(whyNoTransfers(&session).contains("train ran on cuda0"), qPrintable(whyNoTransfers(&session)));
        session.functions.front().device = "cpu";
        profiler::DeviceInfo device;
        device.name = "cuda0";
        device.reason = "there is no driver";
        session.devices.push_back(device);
        QVERIFY2(whyNoTransfers(&session).contains("cuda0: there is no driver"), qPrintable(whyNoTransfers(&session)));
    }
    void anOpThatCopiesSomethingIsNoCopy()
    {
        const auto session = std::make_shared<SessionData>();
        auto graph = std::make_shared<GraphData>();
        std::vector<profiler::ApplyRow> applies(2);
        const char *const classes[] = {"theano.gpuarray.basic_ops.HostFromGpu",
                                       "theano.gpuarray.nnet.GpuCrossentropySoftmaxArgmax1HotWithBias"};
        for (std::uint32_t i = 0; i < 2; ++i) {
            applies[i].graph = profiler::GraphId{1};
            applies[i].apply = profiler::ApplyId{i};
            applies[i].opClass = applies[i].label = classes[i];
            profiler::Transfer transfer;
            transfer.graph = profiler::GraphId{1};
            transfer.apply = profiler::ApplyId{i};
            transfer.direction = "DtoH";
            transfer.count = 1;
            session->profile.devices.transfers.push_back(transfer);
        }
        graph->applies = applies;
        session->graphs.emplace(profiler::GraphId{1}, graph);
        const TextTable table = transferTable(*session);
        QCOMPARE(table.rows[0].cells.back().text, QString::fromLatin1(classes[0]));
        QCOMPARE(table.rows[1].cells.back().text, QStringLiteral("within ") + QString::fromLatin1(classes[1]));
    }
    void copiesAreListedAndSummedUp()
    {
        const auto session = std::make_shared<SessionData>();
        for (const char *direction : {"HtoD", "DtoH"}) {
            profiler::Transfer transfer;
            transfer.function = profiler::FunctionId{0};
            transfer.graph = profiler::GraphId{1};
            transfer.apply = profiler::ApplyId{7};
            transfer.direction = direction;
            transfer.device = "cuda0";
            transfer.count = 10;
            transfer.bytes = 4'000'000;
            transfer.totalNs = 2'000'000;
            session->profile.devices.transfers.push_back(transfer);
        }
        SelectionHub hub;
        TransfersView view(hub);
        view.show();
        view.feed(feedOf(session));
        QVERIFY(view.sentence().isEmpty());
        QCOMPARE(view.table()->rows()->rowCount(), 2);
        QCOMPARE(view.table()->rows()->index(0, 0).data().toString(), QStringLiteral("host to device"));
        QCOMPARE(view.table()->rows()->table().rows[0].cells[5].value, 2e9); // bytes a second
        view.table()->selectRow(1);
        QCOMPARE(hub.selection().node, (NodeRef{Side::Optimized, NodeKind::Apply, 7}));
        // What a simulation takes is no time of a card.
        const auto simulated = std::make_shared<SessionData>();
        simulated->profile.devices.transfers = session->profile.devices.transfers;
        simulated->info.simulated = "cuda0";
        view.feed(feedOf(simulated));
        QCOMPARE(view.table()->rows()->index(0, 1).data().toString(), QStringLiteral("cuda0 (simulated)"));
        for (int column : {4, 5}) QCOMPARE(view.table()->rows()->index(0, column).data().toString(), QStringLiteral("–"));
    }
};

QTEST_MAIN(TransfersTest)
#include "transfers_test.moc"
