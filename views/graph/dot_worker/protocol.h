// What the layout worker and its client say to each other: one request, one answer, little endian, every length checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace views::dot {

inline constexpr std::uint32_t kMagic = 0x31544443; // "CDT1": the last digit is the version
inline constexpr std::uint32_t kMaxNodes = 20'000;
inline constexpr std::uint32_t kMaxEdges = 100'000;
inline constexpr std::uint32_t kMaxPoints = 4'000; // of one edge

struct Point {
    double x = 0;
    double y = 0;
};

struct Request {
    struct Node {
        double width = 0; // px; Graphviz gets points, one for one
        double height = 0;
        bool top = false; // in the first layer
    };
    struct Edge {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
    };
    double gapX = 0;
    double gapY = 0;
    std::vector<Node> nodes;
    std::vector<Edge> edges;
};

struct Answer {
    std::vector<Point> centers;              // y grows downwards
    std::vector<std::vector<Point>> splines; // by edge: 3i + 1 Bezier points, empty when it has none
};

[[nodiscard]] std::string encode(const Request &request);
[[nodiscard]] std::string encode(const Answer &answer);
// Nothing when the bytes are not exactly one well-formed message of this version.
[[nodiscard]] std::optional<Request> decodeRequest(std::string_view bytes);
[[nodiscard]] std::optional<Answer> decodeAnswer(std::string_view bytes);

} // namespace views::dot
