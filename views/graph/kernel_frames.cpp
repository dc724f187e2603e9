#include "views/graph/kernel_frames.h"

#include <QPolygonF>

#include <algorithm>

namespace views {
namespace {

bool isInside(const Scene &scene, int node, int ancestor)
{
    for (int at = node; at >= 0; at = scene.nodes[at].parent)
        if (at == ancestor) return true;
    return false;
}

// A way from the base of one box to the top of another, as wide as what both have in common.
QPolygonF way(const QRectF &from, const QRectF &to, double narrowest)
{
    const QRectF &upper = from.center().y() < to.center().y() ? from : to, &lower = &upper == &from ? to : from;
    const double left = std::max(upper.left(), lower.left()), right = std::min(upper.right(), lower.right());
    const bool sideBySide = upper.bottom() > lower.top();
    const double top = sideBySide ? upper.center().y() : upper.bottom() - narrowest,
                 bottom = sideBySide ? lower.center().y() : lower.top() + narrowest;
    // Not along the sides of the boxes: joining paths with common edges goes wrong.
    constexpr double kInset = 1;
    if (right - left >= narrowest + 2 * kInset) return QPolygonF(QRectF(left + kInset, top, right - left - 2 * kInset, bottom - top));
    const double a = std::clamp((left + right) / 2, upper.left() + narrowest / 2, upper.right() - narrowest / 2);
    const double b = std::clamp((left + right) / 2, lower.left() + narrowest / 2, lower.right() - narrowest / 2);
    const double half = narrowest / 2;
    return QPolygonF{{a - half, top}, {a + half, top}, {b + half, bottom}, {b - half, bottom}, {a - half, top}};
}

// Of an opened group, which may have hundreds of members: a rectangle, or a pale ground behind each of them.
FrameShape groundOf(const SceneFrame &frame, const Scene &scene, const Picture &picture, double padding)
{
    FrameShape shape;
    shape.anchor = picture.nodes[frame.members.front()].rect.center();
    for (int member : frame.members) shape.bounds |= picture.nodes[member].rect.adjusted(-padding, -padding, padding, padding);
    std::vector<char> own(scene.nodes.size(), 0);
    for (int member : frame.members) own[member] = 1;
    const std::vector<int> inside = picture.nodeIndex.query(shape.bounds);
    shape.whole = std::none_of(inside.begin(), inside.end(), [&](int node) {
        return !own[node] && !scene.nodes[node].ghost && picture.nodes[node].rect.intersects(shape.bounds);
    });
    shape.outline.setFillRule(Qt::WindingFill);
    if (shape.whole) shape.outline.addRoundedRect(shape.bounds, padding, padding);
    else
        for (int member : frame.members)
            shape.outline.addRoundedRect(picture.nodes[member].rect.adjusted(-padding, -padding, padding, padding), padding, padding);
    const auto top = *std::min_element(frame.members.begin(), frame.members.end(), [&](int a, int b) {
        const QRectF &first = picture.nodes[a].rect, &second = picture.nodes[b].rect;
        return std::pair(first.top(), first.left()) < std::pair(second.top(), second.left());
    });
    shape.captionsAt.push_back(shape.whole ? shape.bounds.topLeft() : picture.nodes[top].rect.topLeft() - QPointF(padding, padding));
    return shape;
}

FrameShape shapeOf(const SceneFrame &frame, const Scene &scene, const Picture &picture, double padding)
{
    FrameShape shape;
    shape.anchor = picture.nodes[frame.members.front()].rect.center();
    for (int member : frame.members) shape.bounds |= picture.nodes[member].rect.adjusted(-padding, -padding, padding, padding);
    const double radius = padding;
    std::vector<QRectF> others;
    for (int node : picture.nodeIndex.query(shape.bounds)) {
        const QRectF &rect = picture.nodes[node].rect;
        if (scene.nodes[node].ghost || !rect.intersects(shape.bounds)) continue;
        const bool own = std::any_of(frame.members.begin(), frame.members.end(),
                                     [&](int member) { return isInside(scene, node, member) || isInside(scene, member, node); });
        if (!own) others.push_back(rect);
    }
    if (others.empty()) {
        shape.outline.addRoundedRect(shape.bounds, radius, radius);
        shape.captionsAt.push_back(shape.bounds.topLeft());
        return shape;
    }
    const auto isFree = [&](const auto &shape) {
        return std::none_of(others.begin(), others.end(), [&](const QRectF &rect) { return shape.intersects(rect); });
    };
    // Where neighbours stand closer, the frame does, too.
    std::vector<QRectF> members;
    for (int member : frame.members) {
        const QRectF &rect = picture.nodes[member].rect;
        double room = padding;
        while (room > 1 && !isFree(rect.adjusted(-room, -room, room, room))) room /= 2;
        members.push_back(room > 1 ? rect.adjusted(-room, -room, room, room) : rect);
    }
    std::vector<std::size_t> part(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
        part[i] = i;
        QPainterPath box;
        box.addRoundedRect(members[i], radius, radius);
        shape.outline = shape.outline.united(box);
        for (std::size_t k = i; k-- > 0;) {
            QPainterPath between;
            between.addPolygon(way(members[k], members[i], padding));
            if (!isFree(between)) continue;
            shape.outline = shape.outline.united(between);
            part[i] = part[k];
            break;
        }
    }
    shape.outline = shape.outline.simplified();
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (part[i] != i) continue;
        std::size_t top = i;
        for (std::size_t k = i; k < members.size(); ++k)
            if (part[k] == i && members[k].top() < members[top].top()) top = k;
        shape.captionsAt.push_back(members[top].topLeft());
    }
    return shape;
}

} // namespace

std::vector<FrameShape> shapesOf(const Scene &scene, const Picture &picture, double padding)
{
    std::vector<FrameShape> shapes;
    const auto foldsInside = [&](const SceneFrame &frame) { // frames of groups lie in one another: the outer ones need more room
        int inside = 0;
        for (const SceneFrame &other : scene.frames)
            inside += isFold(other.fold) && sceneRole(other.fold) > sceneRole(frame.fold) && other.members.size() <= frame.members.size();
        return std::min(inside, 3);
    };
    for (const SceneFrame &frame : scene.frames)
        shapes.push_back(isFold(frame.fold) ? groundOf(frame, scene, picture, padding * (1 + 0.5 * foldsInside(frame)))
                                            : shapeOf(frame, scene, picture, padding));
    return shapes;
}

} // namespace views
