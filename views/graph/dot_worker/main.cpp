// croton-dot: lays one graph out with Graphviz. A program of its own because the library can abort, cannot be cancelled
// and cannot run twice at once: the studio kills it instead. Reads a request from stdin, writes the answer to stdout.

#include "views/graph/dot_worker/protocol.h"

#include <graphviz/gvc.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>

namespace {

using views::dot::Answer;
using views::dot::Point;
using views::dot::Request;

char *text(const char *literal) { return const_cast<char *>(literal); } // the C interface lacks const

std::string inches(double px)
{
    char buffer[48];
    std::snprintf(buffer, sizeof buffer, "%.4f", px / 72);
    return buffer;
}

std::string readAll(std::FILE *file)
{
    std::string bytes;
    char chunk[65536];
    for (std::size_t got; (got = std::fread(chunk, 1, sizeof chunk, file)) > 0;) bytes.append(chunk, got);
    return bytes;
}

std::optional<Answer> layOut(const Request &request)
{
    agseterr(AGERR); // warnings on stderr help nobody
    GVC_t *context = gvContext();
    Agraph_t *graph = agopen(text("g"), Agdirected, nullptr);
    agattr(graph, AGRAPH, text("nodesep"), inches(request.gapX).data());
    agattr(graph, AGRAPH, text("ranksep"), inches(request.gapY).data());
    agattr(graph, AGRAPH, text("nslimit"), text("1")); // three times faster, no visible price
    agattr(graph, AGRAPH, text("nslimit1"), text("1"));
    agattr(graph, AGNODE, text("shape"), text("box"));
    agattr(graph, AGNODE, text("fixedsize"), text("true"));
    agattr(graph, AGNODE, text("label"), text(""));   // the studio measures and draws labels
    agattr(graph, AGEDGE, text("dir"), text("none")); // and arrow heads
    Agsym_t *width = agattr(graph, AGNODE, text("width"), text("1"));
    Agsym_t *height = agattr(graph, AGNODE, text("height"), text("0.5"));

    Agraph_t *top = nullptr;
    std::vector<Agnode_t *> nodes;
    for (const Request::Node &node : request.nodes) {
        std::string name = "n" + std::to_string(nodes.size());
        nodes.push_back(agnode(graph, name.data(), 1));
        agxset(nodes.back(), width, inches(node.width).data());
        agxset(nodes.back(), height, inches(node.height).data());
        if (node.top) {
            if (!top) {
                top = agsubg(graph, text("top"), 1);
                agattr(graph, AGRAPH, text("rank"), text(""));
                agset(top, text("rank"), text("min"));
            }
            agsubnode(top, nodes.back(), 1);
        }
    }
    std::vector<Agedge_t *> edges;
    for (const Request::Edge &edge : request.edges) edges.push_back(agedge(graph, nodes[edge.from], nodes[edge.to], nullptr, 1));
    if (gvLayout(context, graph, "dot") != 0) return std::nullopt;

    Answer answer;
    const double bottom = GD_bb(graph).UR.y;
    for (Agnode_t *node : nodes) answer.centers.push_back({ND_coord(node).x, bottom - ND_coord(node).y});
    for (Agedge_t *edge : edges) {
        std::vector<Point> &points = answer.splines.emplace_back();
        const splines *drawn = ED_spl(edge);
        if (!drawn || drawn->size == 0) continue;
        for (int i = 0; i < static_cast<int>(drawn->list[0].size); ++i)
            points.push_back({drawn->list[0].list[i].x, bottom - drawn->list[0].list[i].y});
    }
    return answer;
}

} // namespace

int main()
{
    std::setlocale(LC_NUMERIC, "C"); // Graphviz reads 1.5 by the locale's rules
    const auto request = views::dot::decodeRequest(readAll(stdin));
    if (!request) {
        std::fputs("croton-dot: the request is not one of this version\n", stderr);
        return 2;
    }
    const auto answer = layOut(*request);
    if (!answer) {
        std::fputs("croton-dot: Graphviz could not lay this graph out\n", stderr);
        return 1;
    }
    const std::string bytes = views::dot::encode(*answer);
    const bool written = std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() && std::fflush(stdout) == 0;
    std::_Exit(written ? 0 : 1); // the library's clean-up is slower than the end of the process
}
