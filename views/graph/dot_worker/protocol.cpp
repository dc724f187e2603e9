#include "views/graph/dot_worker/protocol.h"

#include <bit>
#include <cmath>

namespace views::dot {
namespace {

class Writer {
public:
    void u32(std::uint32_t value)
    {
        for (int shift = 0; shift < 32; shift += 8) m_bytes.push_back(static_cast<char>(value >> shift));
    }
    void f64(double value)
    {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        u32(static_cast<std::uint32_t>(bits));
        u32(static_cast<std::uint32_t>(bits >> 32));
    }
    void point(const Point &point)
    {
        f64(point.x);
        f64(point.y);
    }
    // Header: magic, length of what follows.
    std::string finish()
    {
        Writer header;
        header.u32(kMagic);
        header.u32(static_cast<std::uint32_t>(m_bytes.size()));
        return header.m_bytes + m_bytes;
    }

private:
    std::string m_bytes;
};

class Reader {
public:
    explicit Reader(std::string_view bytes) : m_bytes(bytes)
    {
        if (u32() != kMagic || u32() != m_bytes.size() - m_at) m_good = false;
    }
    std::uint32_t u32()
    {
        if (!m_good || m_bytes.size() - m_at < 4) {
            m_good = false;
            return 0;
        }
        std::uint32_t value = 0;
        for (int i = 0; i < 4; ++i) value |= std::uint32_t{static_cast<unsigned char>(m_bytes[m_at++])} << (8 * i);
        return value;
    }
    double f64()
    {
        const std::uint64_t low = u32();
        const std::uint64_t high = u32();
        const double value = std::bit_cast<double>(low | (high << 32));
        if (!std::isfinite(value)) m_good = false;
        return m_good ? value : 0;
    }
    Point point()
    {
        const double x = f64();
        return {x, f64()};
    }
    // A count of items of at least `size` bytes each: no allocation that the message could not fill.
    std::uint32_t count(std::uint32_t limit, std::size_t size)
    {
        const std::uint32_t value = u32();
        if (value > limit || value > (m_bytes.size() - m_at) / size) m_good = false;
        return m_good ? value : 0;
    }
    void require(bool condition) { m_good = m_good && condition; }
    [[nodiscard]] bool good() const { return m_good; }
    [[nodiscard]] bool atEnd() const { return m_good && m_at == m_bytes.size(); }

private:
    std::string_view m_bytes;
    std::size_t m_at = 0;
    bool m_good = true;
};

} // namespace

std::string encode(const Request &request)
{
    Writer out;
    out.f64(request.gapX);
    out.f64(request.gapY);
    out.u32(static_cast<std::uint32_t>(request.nodes.size()));
    for (const Request::Node &node : request.nodes) {
        out.f64(node.width);
        out.f64(node.height);
        out.u32(node.top ? 1 : 0);
    }
    out.u32(static_cast<std::uint32_t>(request.edges.size()));
    for (const Request::Edge &edge : request.edges) {
        out.u32(edge.from);
        out.u32(edge.to);
    }
    return out.finish();
}

std::string encode(const Answer &answer)
{
    Writer out;
    out.u32(static_cast<std::uint32_t>(answer.centers.size()));
    for (const Point &center : answer.centers) out.point(center);
    out.u32(static_cast<std::uint32_t>(answer.splines.size()));
    for (const auto &spline : answer.splines) {
        out.u32(static_cast<std::uint32_t>(spline.size()));
        for (const Point &point : spline) out.point(point);
    }
    return out.finish();
}

std::optional<Request> decodeRequest(std::string_view bytes)
{
    Reader in(bytes);
    Request request;
    request.gapX = in.f64();
    request.gapY = in.f64();
    request.nodes.resize(in.count(kMaxNodes, 20));
    for (Request::Node &node : request.nodes) {
        node.width = in.f64();
        node.height = in.f64();
        node.top = in.u32() != 0;
        in.require(node.width > 0 && node.height > 0);
    }
    request.edges.resize(in.count(kMaxEdges, 8));
    for (Request::Edge &edge : request.edges) {
        edge.from = in.u32();
        edge.to = in.u32();
        in.require(edge.from < request.nodes.size() && edge.to < request.nodes.size());
    }
    if (!in.atEnd()) return std::nullopt;
    return request;
}

std::optional<Answer> decodeAnswer(std::string_view bytes)
{
    Reader in(bytes);
    Answer answer;
    answer.centers.resize(in.count(kMaxNodes, 16));
    for (Point &center : answer.centers) center = in.point();
    answer.splines.resize(in.count(kMaxEdges, 4));
    for (auto &spline : answer.splines) {
        spline.resize(in.count(kMaxPoints, 16));
        for (Point &point : spline) point = in.point();
        in.require(spline.empty() || spline.size() % 3 == 1);
    }
    if (!in.atEnd()) return std::nullopt;
    return answer;
}

} // namespace views::dot
