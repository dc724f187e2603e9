// Graphs on paper: what fits is one picture, what does not comes in pieces that fit a page with letters that can be read.
#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/session/store/reader.h"
#include "views/graph/graph_canvas.h"
#include "views/graph/graph_scenes.h"
#endif

#include "app/studio/pages/handout_pictures.h"
#include "views/common/palette.h"

#include <QtTest>

using namespace app;
using namespace views;

class HandoutTest : public QObject {
    Q_OBJECT

    static constexpr QSizeF kPage{493, 660}; // of A4, in points

    /// Parallel chains of ops.
    static void lay(GraphCanvas &canvas, int chains, int length)
    {
        Scene scene;
        for (int chain = 0; chain < chains; ++chain)
            for (int i = 0; i < length; ++i) {
                SceneNode node;
                node.key = sceneKey(1, SceneRole::Apply, static_cast<std::uint32_t>(chain * length + i));
                node.title = QStringLiteral("op %1").arg(i);
                scene.nodes.push_back(node);
                SceneEdge edge;
                edge.from = chain * length + i - 1;
                edge.to = chain * length + i;
                if (i > 0) scene.edges.push_back(edge);
            }
        scene.rebuildIndex();
        canvas.resize(900, 700);
        canvas.setUseGraphviz(false);
        canvas.setScene(std::move(scene), GraphCanvas::Change::Fresh);
        QTRY_VERIFY_WITH_TIMEOUT(canvas.isSettled(), 10000);
        canvas.settle();
    }
    /// Of the size on screen, where letters are 12 px high.
    static double scaleOf(const PaperPiece &piece, const GraphCanvas &canvas)
    {
        return piece.size.width() / (canvas.drawing().bounds().width() + 24);
    }

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, Theme::load(ThemeKind::Light)); }

    void aSmallGraphIsOnePictureAmongText()
    {
        GraphCanvas canvas;
        lay(canvas, 2, 5);
        const auto pieces = onPaper(canvas, kPage);
        QCOMPARE(pieces.size(), std::size_t(1));
        QVERIFY(pieces[0].size.height() < kPage.height() * 0.6 + 1 && pieces[0].size.width() <= kPage.width());
        QVERIFY(pieces[0].image.width() > 2 * pieces[0].size.width());
    }
    void aTallOneComesInPiecesThatCanBeRead()
    {
        GraphCanvas canvas;
        lay(canvas, 2, 45);
        const auto pieces = onPaper(canvas, kPage);
        QVERIFY2(pieces.size() >= 2 && pieces.size() <= 6, qPrintable(QString::number(pieces.size())));
        double height = 0;
        for (const PaperPiece &piece : pieces) {
            QVERIFY(piece.size.height() <= kPage.height() + 1 && piece.size.width() <= kPage.width() + 1);
            QVERIFY2(scaleOf(piece, canvas) * 12 >= 6.9, qPrintable(QString::number(scaleOf(piece, canvas))));
            height += piece.size.height();
        }
        QVERIFY2(height >= canvas.drawing().bounds().height() * scaleOf(pieces[0], canvas), "nothing is left out");
        for (const PaperPiece &piece : pieces)
            QVERIFY2(piece.size.height() > height / 4 / static_cast<double>(pieces.size()), "a mere strip");
    }
    void aWideOneHasNoEmptyPieces()
    {
        GraphCanvas canvas;
        lay(canvas, 14, 3);
        for (const PaperPiece &piece : onPaper(canvas, kPage)) {
            QVERIFY(piece.size.width() <= kPage.width() + 1);
            const QRgb ground = piece.image.pixel(0, 0);
            bool drawn = false;
            for (int y = 0; y < piece.image.height() && !drawn; ++y)
                for (int x = 0; x < piece.image.width() && !drawn; ++x) drawn = piece.image.pixel(x, y) != ground;
            QVERIFY(drawn);
        }
    }
    void whatWouldTakeTooManyPagesIsAMap()
    {
        GraphCanvas canvas;
        lay(canvas, 3, 400);
        const auto pieces = onPaper(canvas, kPage);
        QCOMPARE(pieces.size(), std::size_t(1));
        QVERIFY(pieces[0].size.height() <= kPage.height() + 1);
        GraphCanvas empty;
        QVERIFY(onPaper(empty, kPage).empty());
    }
};

QTEST_MAIN(HandoutTest)
#include "handout_test.moc"
