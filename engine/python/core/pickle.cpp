// The engine's ops as text and back: what pickles of graphs are made of.
#include "engine/python/core/build.h"

#include "engine/graph/op/op_card.h"
#include "engine/text/graph_document.h"

namespace python {
namespace {

/// (class name, parameters as JSON); TypeError for an op that cannot be written.
std::pair<std::string, std::string> documentOf(const engine::OpRef &op)
{
    const engine::OpCard &card = op->card();
    if (!card.isDocumented()) throw py::type_error("the op " + op->name() + " cannot be pickled");
    engine::JsonWriter out;
    out.beginObject();
    card.write(*op, out);
    out.endObject();
    return {card.className, out.take()};
}

/// Its parameters as JSON: those of documents, and what Theano's class calls otherwise. An op that stands in no document has none.
std::string parametersOf(const engine::OpRef &op)
{
    const engine::OpCard &card = op->card();
    engine::JsonWriter out;
    out.beginObject();
    if (card.isDocumented()) card.write(*op, out);
    for (const auto &write : card.shown) write(*op, out);
    out.endObject();
    return out.take();
}

/// (classes of Theano's, role, name in documents, names of the constructor's parameters or None) of each card.
py::list publishedCards()
{
    py::list cards;
    for (const engine::OpCard *card : engine::allCards())
        cards.append(py::make_tuple(card->classes, engine::nameOf(card->role), card->className, card->parameters));
    return cards;
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
    const engine::OpCard *card = engine::findCard(className);
    if (!card) throw py::type_error("there is no op called " + className);
    const engine::JsonValue value = engine::readJson(text);
    const auto graph = [&](const engine::JsonValue &number, const std::string &place) -> engine::InnerGraph {
        const auto most = static_cast<std::int64_t>(graphs.size()) - 1;
        const Graph &found = graphs[engine::OpParameters::integerOf(number, place, 0, most)];
        return {found.first, found.second};
    };
    return card->read(engine::OpParameters(value, "op " + className, graph));
}

} // namespace

void addPickling(py::module_ &module)
{
    module.def("op_parameters", parametersOf);
    module.def("op_cards", publishedCards);
    module.def("op_parts", opParts);
    module.def("op_of_parts", ofParts);
}

} // namespace python
