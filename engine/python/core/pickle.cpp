// The engine's ops as text and back: what pickles of graphs are made of.
#include "engine/python/core/build.h"

#include "engine/graph/op_registry.h"
#include "engine/text/graph_document.h"

namespace python {
namespace {

/// (class name, parameters as JSON); TypeError for an op that cannot be written.
std::pair<std::string, std::string> documentOf(const engine::OpRef &op)
{
    const engine::OpDocument *document = engine::findOpDocument(*op);
    if (!document) throw py::type_error("the op " + op->name() + " cannot be pickled");
    engine::JsonWriter out;
    out.beginObject();
    document->write(*op, out);
    out.endObject();
    return {document->className, out.take()};
}

using Graph = std::pair<std::vector<engine::VarRef>, std::vector<engine::VarRef>>; // inputs, outputs

/// As documentOf, with the graphs inside the op beside the text: they may hold what no document can, ops of Python.
std::tuple<std::string, std::string, std::vector<Graph>> opParts(const engine::OpRef &op)
{
    engine::GraphsAside aside;
    auto [className, text] = documentOf(op);
    std::vector<Graph> graphs;
    for (const engine::InnerGraph *graph : aside.graphs) graphs.emplace_back(graph->inputs, graph->outputs);
    return {className, text, graphs};
}

engine::OpRef ofParts(const std::string &className, const std::string &text, const std::vector<Graph> &graphs)
{
    const engine::OpDocument *document = engine::findOpDocument(std::string_view(className));
    if (!document) throw py::type_error("there is no op called " + className);
    const engine::JsonValue value = engine::readJson(text);
    const auto graph = [&](const engine::JsonValue &number, const std::string &place) -> engine::InnerGraph {
        const auto most = static_cast<std::int64_t>(graphs.size()) - 1;
        const Graph &found = graphs[engine::OpParameters::integerOf(number, place, 0, most)];
        return {found.first, found.second};
    };
    return document->read(engine::OpParameters(value, "op " + className, graph));
}

} // namespace

void addPickling(py::module_ &module)
{
    module.def("op_document", documentOf);
    module.def("op_parts", opParts);
    module.def("op_of_parts", ofParts);
}

} // namespace python
