#include "app/studio/pages/handout_pictures.h"

#include "views/common/theme.h"
#include "views/graph/graph_canvas.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace app {

using namespace views;

namespace {

constexpr double kBorder = 12;
constexpr double kReadable = 0.58;    // of the size on screen: letters of 12 px are 7 points high
constexpr double kLeast = 0.45;       // rather small letters than pieces side by side
constexpr double kComfortable = 0.75; // no piece needs to be larger
constexpr double kLowest = 0.6;       // of a page: a picture up to that height stands among text
constexpr double kSharp = 2.5;        // pixels for each of the screen
constexpr double kOverlap = 14;       // so that edges are seen to go on
constexpr std::size_t kMostPieces = 6;

struct Span {
    double from, to;
};

/// Cuts a length into parts of at most so much, where least is cut through: between nodes, if there is such a place in the last half.
std::vector<Span> cut(double from, double to, double most, std::vector<Span> nodes)
{
    std::sort(nodes.begin(), nodes.end(), [](const Span &a, const Span &b) { return a.from < b.from; });
    std::vector<double> gaps;
    double reached = from;
    for (const Span &node : nodes) {
        if (node.from > reached && reached > from) gaps.push_back((reached + node.from) / 2);
        reached = std::max(reached, node.to);
    }
    std::vector<Span> parts;
    while (to - from > most) {
        // What is left is shared evenly, so that no part is a mere strip.
        const double wanted = from + (to - from) / std::ceil((to - from) / most);
        double at = wanted, best = most / 2;
        for (double gap : gaps)
            if (gap <= from + most && std::abs(gap - wanted) < best) {
                best = std::abs(gap - wanted);
                at = gap;
            }
        parts.push_back({from, at});
        from = at;
    }
    parts.push_back({from, to});
    return parts;
}

PaperPiece painted(const GraphCanvas &canvas, const QRectF &area, double scale)
{
    PaperPiece piece;
    piece.size = area.size() * scale;
    piece.image = QImage((area.size() * kSharp * scale).toSize().expandedTo(QSize(1, 1)), QImage::Format_RGB32);
    piece.image.fill(Theme::current().color(Color::Canvas));
    QPainter painter(&piece.image);
    painter.scale(kSharp * scale, kSharp * scale);
    painter.translate(-area.topLeft());
    canvas.drawing().paint(painter);
    return piece;
}

} // namespace

std::vector<PaperPiece> onPaper(const GraphCanvas &canvas, const QSizeF &page)
{
    if (canvas.scene().nodes.empty()) return {};
    const QRectF all = canvas.drawing().bounds().adjusted(-kBorder, -kBorder, kBorder, kBorder);
    const double wide = page.width() / all.width();
    const double inText = std::min({wide, kLowest * page.height() / all.height(), 1.0});
    const double onPage = std::min({wide, page.height() / all.height(), 1.0});
    if (inText >= kReadable) return {painted(canvas, all, inText)};
    if (onPage >= kReadable) return {painted(canvas, all, onPage)};
    std::vector<QRectF> places;
    std::vector<Span> across, down;
    for (const PictureNode &node : canvas.picture().nodes) {
        const QRectF place = places.emplace_back(node.rect);
        across.push_back({place.left(), place.right()});
        down.push_back({place.top(), place.bottom()});
    }
    const double scale = wide >= kLeast ? std::min(wide, kComfortable) : kReadable;
    const double room = 2 * kOverlap;
    const std::vector<Span> rows = cut(all.top(), all.bottom(), page.height() / scale - room, down);
    std::vector<Span> columns{{all.left(), all.right()}};
    if (wide < kLeast) columns = cut(all.left(), all.right(), page.width() / scale - room, across);
    if (columns.size() * rows.size() > kMostPieces) return {painted(canvas, all, onPage)}; // a map: what it holds is read on the screen
    std::vector<PaperPiece> pieces;
    for (const Span &row : rows)
        for (const Span &column : columns) {
            const QRectF area(QPointF(column.from, row.from), QPointF(column.to, row.to));
            if (std::none_of(places.begin(), places.end(), [&area](const QRectF &place) { return area.intersects(place); })) continue;
            pieces.push_back(painted(canvas, area.adjusted(-kOverlap, -kOverlap, kOverlap, kOverlap) & all, scale));
        }
    return pieces;
}

} // namespace app
