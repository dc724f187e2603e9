#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/store/reader.h"
#include "views/flame/flame_rows.h"
#endif

#include "tests/views/feed.h"
#include "views/common/controls.h"
#include "views/common/palette.h"
#include "views/common/picture_panel.h"
#include "views/flame/flame_canvas.h"
#include "views/flame/flame_view.h"

#include <QTableView>
#include <QtTest>

using namespace views;
using profiler::FlameKind;
using profiler::FlameNode;

class FlameTest : public QObject {
    Q_OBJECT

    std::shared_ptr<const SessionData> m_session;
    std::unique_ptr<SelectionHub> m_hub;
    std::unique_ptr<FlameView> m_view;

    void feed(FeedParts changed, SelectionParts selected = {}) { m_view->feed(feedOf(m_session, *m_hub, changed, selected)); }
    const FlameNode &node(std::size_t index) const { return m_session->derived<FlameRows>().flame.nodes.at(index); }
    std::size_t first(FlameKind kind) const
    {
        const auto &nodes = m_session->derived<FlameRows>().flame.nodes;
        for (std::size_t i = m_session->derived<FlameRows>().flame.findFunction(m_session->busiestFunction()->id); i < nodes.size(); ++i)
            if (nodes[i].kind == kind) return i;
        return 0;
    }
    void click(std::size_t index)
    {
        QTest::mouseClick(m_view->canvas(), Qt::LeftButton, {}, m_view->canvas()->rectOf(index).center().toPoint());
    }

private Q_SLOTS:
    void initTestCase()
    {
        applyTheme(*qApp, Theme::load(ThemeKind::Light));
        m_session = readSession(*profiler::SessionReader::open(CROTON_REAL_SESSION), nullptr);
    }
    void init()
    {
        m_hub = std::make_unique<SelectionHub>();
        Selection first;
        first.function = raw(m_session->busiestFunction()->id);
        m_hub->reset(first);
        m_view = std::make_unique<FlameView>(*m_hub);
        connect(m_hub.get(), &SelectionHub::selectionChanged, m_view.get(),
                [this](const Selection &, SelectionParts parts) { feed(FeedPart::Selection, parts); });
        m_view->resize(1000, 240);
        m_view->show();
        feed(kAllFeedParts);
    }
    void cleanup() { m_view.reset(); }

    void framesNestAndFillTheWidth()
    {
        FlameCanvas *canvas = m_view->canvas();
        QCOMPARE(canvas->zoom(), m_session->derived<FlameRows>().flame.findFunction(m_session->busiestFunction()->id));
        const auto &nodes = m_session->derived<FlameRows>().flame.nodes;
        for (std::size_t i = 1; i < nodes.size(); ++i) {
            const QRectF rect = canvas->rectOf(i), above = canvas->rectOf(nodes[i].parent);
            if (rect.isEmpty()) continue;
            QVERIFY(rect.top() > above.top() && rect.left() >= above.left() - 0.01 && rect.right() <= above.right() + 0.01);
            if (rect.width() > 2) QCOMPARE(canvas->nodeAt(rect.center()), i);
        }
        QCOMPARE(canvas->rectOf(0).width(), canvas->rectOf(canvas->zoom()).width());
    }
    void aFrameSelectsWhatItStandsFor()
    {
        click(first(FlameKind::Apply));
        QCOMPARE(m_hub->selection().node, (NodeRef{Side::Optimized, NodeKind::Apply, raw(node(first(FlameKind::Apply)).apply.apply)}));
        QCOMPARE(m_view->canvas()->chosen(), first(FlameKind::Apply));
        const std::size_t line = first(FlameKind::Line);
        click(line);
        QCOMPARE(m_hub->selection().source.line, node(line).source.line);
        QVERIFY(!m_hub->selection().node.isValid());
        QCOMPARE(m_view->canvas()->chosen(), line);
        // And the other way: what is selected elsewhere is marked here.
        const std::size_t apply = first(FlameKind::Apply);
        m_hub->selectNode({Side::Optimized, NodeKind::Apply, raw(node(apply).apply.apply)});
        QVERIFY(node(m_view->canvas()->chosen()).apply == node(apply).apply);
        m_hub->selectNode({});
        QCOMPARE(m_view->canvas()->chosen(), FlameCanvas::kNone);
    }
    void aDoubleClickZoomsAndKeysWalk()
    {
        FlameCanvas *canvas = m_view->canvas();
        const std::size_t line = first(FlameKind::Line);
        QTest::mouseDClick(canvas, Qt::LeftButton, {}, canvas->rectOf(line).center().toPoint());
        QCOMPARE(canvas->zoom(), line);
        QCOMPARE(canvas->rectOf(line).width(), canvas->rectOf(0).width());
        QVERIFY(m_view->panel()->caption().contains("in thunks"));
        QTest::keyClick(canvas, Qt::Key_Backspace);
        QCOMPARE(canvas->zoom(), node(line).parent);
        QTest::keyClick(canvas, Qt::Key_Space);
        QCOMPARE(canvas->zoom(), std::size_t{0});
        canvas->setChosen(0);
        for (int i = 0; i < 3; ++i) QTest::keyClick(canvas, Qt::Key_Down);
        QVERIFY(node(canvas->chosen()).kind == FlameKind::Apply);
        QTest::keyClick(canvas, Qt::Key_Up);
        QVERIFY(node(canvas->chosen()).kind == FlameKind::Line);
        const std::size_t here = canvas->chosen();
        QTest::keyClick(canvas, Qt::Key_Right);
        QCOMPARE(canvas->chosen(), node(here).end);
        QTest::keyClick(canvas, Qt::Key_Left);
        QCOMPARE(canvas->chosen(), here);
    }
    void aSearchKeepsWhatItFinds()
    {
        const QImage before = m_view->canvas()->grab().toImage();
        const std::size_t apply = first(FlameKind::Apply);
        m_view->search(QString::fromStdString(node(apply).name));
        QVERIFY2(m_view->found().contains("%"), qPrintable(m_view->found()));
        const QImage after = m_view->canvas()->grab().toImage();
        const QPoint hit = m_view->canvas()->rectOf(apply).toRect().bottomLeft() + QPoint(1, -2);
        const QPoint line = m_view->canvas()->rectOf(first(FlameKind::Function)).toRect().bottomLeft() + QPoint(1, -2);
        QCOMPARE(after.pixelColor(hit), before.pixelColor(hit));
        QVERIFY(after.pixelColor(line) != before.pixelColor(line));
        m_view->search("nothing of this name");
        QVERIFY2(m_view->found().contains("not found"), qPrintable(m_view->found()));
        m_view->search({});
        QCOMPARE(m_view->canvas()->grab().toImage(), before);
    }
    void theTableHoldsEveryFrame()
    {
        const auto &nodes = m_session->derived<FlameRows>().flame.nodes;
        QCOMPARE(m_view->panel()->model()->rowCount(), static_cast<int>(nodes.size()));
        m_view->panel()->showTable(true);
        const std::size_t apply = first(FlameKind::Apply);
        m_view->panel()->table()->selectRow(static_cast<int>(apply));
        QCOMPARE(m_hub->selection().node.id, std::int64_t{raw(node(apply).apply.apply)});
        QVERIFY(tableAsText(*m_view->panel()->model()).contains(QString::fromStdString(node(apply).detail)));
    }
    void aNarrowOneStillSaysPictureOrTable()
    {
        m_view->resize(300, 240);
        QCoreApplication::processEvents();
        const auto *box = m_view->panel()->findChild<LabeledCombo *>();
        QVERIFY(box && box->isVisible());
        QVERIFY2(box->width() >= box->sizeHint().width(), qPrintable(QString::number(box->width())));
    }
    /// Lines stand under those that called them, and what has no room is scrolled to.
    void callsOfTheProgramNest()
    {
        m_session = readSession(*profiler::SessionReader::open(CROTON_REAL_CALLS), nullptr);
        Selection selection;
        selection.function = raw(m_session->busiestFunction()->id);
        m_hub->reset(selection);
        m_view->resize(600, 150);
        feed(kAllFeedParts);
        QCoreApplication::processEvents();
        const FlameRows &rows = m_session->derived<FlameRows>();
        QCOMPARE(rows.levels, 7); // all, function, train.py, dense, squash, apply, what runs it
        std::size_t deepest = 0;
        for (std::size_t i = 0; i < rows.flame.nodes.size(); ++i)
            if (rows.flame.nodes[i].source.line == 5 && rows.flame.nodes[i].kind == FlameKind::Line) deepest = i;
        QVERIFY(deepest != 0);
        QVERIFY(rows.texts[deepest].contains(QStringLiteral("return tanh(z)")));
        const FlameNode &caller = node(node(deepest).parent);
        QCOMPARE(caller.source.line, 3);
        QCOMPARE(node(caller.parent).source.file.str(), std::string("train.py"));
        QVERIFY(!m_view->canvas()->visibleRegion().contains(m_view->canvas()->rectOf(deepest + 1).center().toPoint()));
        selection = m_hub->selection();
        selection.node = {Side::Optimized, NodeKind::Apply, raw(node(deepest + 1).apply.apply)};
        m_hub->select(selection);
        const std::size_t chosen = m_view->canvas()->chosen();
        QVERIFY(m_view->canvas()->visibleRegion().contains(m_view->canvas()->rectOf(chosen).center().toPoint()));
        m_session = readSession(*profiler::SessionReader::open(CROTON_REAL_SESSION), nullptr);
    }
    void withoutTimesItSaysWhy()
    {
        ViewFeed feed;
        feed.session = std::make_shared<SessionData>();
        feed.changed = kAllFeedParts;
        m_view->feed(feed);
        QVERIFY2(m_view->panel()->sentence().contains("no times"), qPrintable(m_view->panel()->sentence()));
        m_view->feed({});
    }
};

QTEST_MAIN(FlameTest)
#include "flame_test.moc"
