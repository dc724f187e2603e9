// The engine's ops as text and back: what pickles of graphs are made of.
#include "engine/python/core/build.h"

#include "engine/graph/op_registry.h"

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

engine::OpRef readDocument(const std::string &className, const std::string &text)
{
    const engine::OpDocument *document = engine::findOpDocument(std::string_view(className));
    if (!document) throw py::type_error("there is no op called " + className);
    const engine::JsonValue value = engine::readJson(text);
    return document->read(engine::OpParameters(value, "op " + className, 0));
}

} // namespace

void addPickling(py::module_ &module)
{
    module.def("op_document", documentOf);
    module.def("op_from_document", readDocument);
}

} // namespace python
