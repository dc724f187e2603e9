// Binds the reader of ONNX models. Its library is loaded when the first model is opened.
#include "engine/onnx/model/model.h"
#include "engine/python/core/array.h"
#include "engine/python/core/build.h"

#include <dlfcn.h>

#include <filesystem>

namespace python {
namespace {

namespace onnx = engine::onnx;

/// Beside the engine.
std::string libraryPath()
{
    Dl_info info{};
    constexpr std::string_view (*ofTheEngine)(engine::DType) = &engine::nameOf;
    dladdr(reinterpret_cast<const void *>(ofTheEngine), &info);
    return std::filesystem::path(info.dli_fname ? info.dli_fname : "").parent_path() / "libcroton_onnx.so";
}

const onnx::Library &library()
{
    static const onnx::Library *const found = [] {
        const std::string path = libraryPath();
        if (!std::filesystem::exists(path))
            throw engine::UserError("This build of Croton does not read models in ONNX's format",
                                    "install libonnx-dev and libprotobuf-dev and build it again");
        void *const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!module) throw engine::UserError(std::string("What reads models in ONNX's format does not load: ") + dlerror());
        const auto ask = reinterpret_cast<decltype(&crotonOnnxLibrary)>(dlsym(module, "crotonOnnxLibrary"));
        if (!ask) throw engine::UserError(path + " is of another version");
        return ask();
    }();
    return *found;
}

py::dict described(const onnx::Model &model)
{
    py::list inputs, outputs;
    for (const onnx::ModelInput &input : model.inputs) inputs.append(py::make_tuple(input.name, input.dtype, input.sizes, input.variable));
    for (const onnx::ModelOutput &output : model.outputs) outputs.append(py::make_tuple(output.name, output.variable));
    py::dict result;
    result["name"] = model.name;
    result["producer"] = model.producer;
    result["documentation"] = model.documentation;
    result["ir_version"] = model.irVersion;
    result["opsets"] = model.opsets;
    result["metadata"] = model.metadata;
    result["nodes"] = model.nodes;
    result["inputs"] = inputs;
    result["outputs"] = outputs;
    return result;
}

} // namespace

void addOnnx(py::module_ &module)
{
    static PyObject *const needed = py::exception<onnx::ValueNeeded>(module, "ModelValueNeeded", PyExc_ValueError).release().ptr();
    module.def(
        "read_onnx",
        [](const std::string &given, bool isPath, const std::map<std::string, std::int64_t> &dims,
           const std::map<std::string, std::vector<std::int64_t>> &shapes, const py::dict &values, bool onlyInputs) {
            onnx::ReadOptions options;
            options.dims = dims;
            options.shapes = shapes;
            options.onlyInputs = onlyInputs;
            for (const auto &[name, array] : values) options.values[py::cast<std::string>(name)] = tensorOf(array.ptr()).copy();
            try {
                return described(isPath ? library().readFile(given, std::move(options)) : library().read(given, options));
            } catch (const onnx::ValueNeeded &error) {
                py::object raised = py::reinterpret_borrow<py::object>(needed)(std::string(error.what()));
                raised.attr("input") = error.input();
                PyErr_SetObject(needed, raised.ptr());
                throw py::error_already_set();
            }
        },
        py::call_guard<BuildScope>());
    module.def("read_onnx_tensor", [](const py::bytes &bytes) { return arrayOf(library().tensor(std::string(bytes))); });
    module.def("onnx_ops", [] { return library().ops(); });
}

} // namespace python
