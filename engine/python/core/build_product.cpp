#include "engine/python/core/build.h"

#include "engine/ops/loops/control.h"
#include "engine/ops/loops/graph_op.h"
#include "engine/ops/loops/scan.h"
#include "engine/ops/products/conv.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/products/pool.h"

namespace python {

void addProductBuilders(py::module_ &module)
{
    module.def(
        "tensordot",
        [](const Operand &a, const Operand &b, const std::vector<int> &axesA, const std::vector<int> &axesB) {
            return engine::tensordot(a.variable, b.variable, axesA, axesB);
        },
        py::call_guard<BuildScope>());
    // Sizes are given for gradients; a border is "valid", "full", "half" or a (before, after) an axis.
    module.def(
        "convolve",
        [](int pass, const Operand &a, const Operand &b, std::optional<Operand> sizes, const py::object &border,
           std::vector<std::int64_t> stride, std::vector<std::int64_t> dilation, bool flip, std::int64_t groups,
           std::vector<std::int64_t> image, std::vector<std::int64_t> kernels) {
            engine::ConvInfo info;
            info.pass = static_cast<engine::ConvPass>(pass);
            if (py::isinstance<py::str>(border)) {
                const auto name = border.cast<std::string>();
                info.border = name == "full"   ? engine::ConvBorder::Full
                              : name == "half" ? engine::ConvBorder::Half
                                               : engine::ConvBorder::Valid;
            } else {
                info.border = engine::ConvBorder::Given;
                for (const auto &[before, after] : border.cast<std::vector<std::pair<std::int64_t, std::int64_t>>>()) {
                    info.before.push_back(before);
                    info.after.push_back(after);
                }
            }
            info.stride = std::move(stride);
            info.dilation = std::move(dilation);
            info.flip = flip;
            info.groups = groups;
            info.image = std::move(image);
            info.kernels = std::move(kernels);
            return engine::convolve(info, a.variable, b.variable, sizes ? sizes->variable : engine::VarRef());
        },
        py::call_guard<BuildScope>());
    module.def(
        "pooling",
        [](int pass, int mode, int axes, bool ignoreBorder, const Operands &inputs) {
            return engine::pooling({static_cast<engine::PoolPass>(pass), static_cast<engine::PoolMode>(mode), axes, ignoreBorder},
                                   variables(inputs));
        },
        py::call_guard<BuildScope>());
    module.def("if_else_op", [](int count, const std::string &name) { return engine::makeOp<engine::IfElse>(count, name); });
    module.def("op_from_graph", engine::opFromGraph);
    module.def("scan_op",
               [](std::vector<engine::VarRef> inputs, std::vector<engine::VarRef> outputs, const std::string &name, std::size_t sequences,
                  const std::vector<std::pair<std::vector<int>, std::vector<int>>> &mitMot, std::vector<std::vector<int>> mitSot,
                  std::size_t sitSot, std::size_t nitSot, std::size_t shared, std::size_t nonSequences, bool isWhile, int truncate) {
                   engine::ScanInfo info;
                   info.sequences = sequences;
                   for (const auto &[read, written] : mitMot) info.mitMot.push_back({read, written});
                   info.mitSot = std::move(mitSot);
                   info.sitSot = sitSot;
                   info.nitSot = nitSot;
                   info.shared = shared;
                   info.nonSequences = nonSequences;
                   info.isWhile = isWhile;
                   info.truncate = truncate;
                   info.name = name;
                   return engine::scanOp(std::move(info), {std::move(inputs), std::move(outputs)});
               });
    module.def("scan_info", [](const engine::OpRef &op) -> py::object {
        const engine::Scan *scan = engine::opCast<engine::Scan>(op);
        if (!scan) return py::none();
        const engine::ScanInfo &info = scan->info();
        std::vector<std::pair<std::vector<int>, std::vector<int>>> mitMot;
        for (const auto &one : info.mitMot) mitMot.emplace_back(one.in, one.out);
        py::dict result;
        result["n_seqs"] = info.sequences;
        result["mit_mot"] = mitMot;
        result["mit_sot"] = info.mitSot;
        result["n_sit_sot"] = info.sitSot;
        result["n_nit_sot"] = info.nitSot;
        result["n_shared_outs"] = info.shared;
        result["n_non_seqs"] = info.nonSequences;
        result["as_while"] = info.isWhile;
        result["truncate_gradient"] = info.truncate;
        result["name"] = info.name;
        result["overwritten"] = info.overwritten;
        return result;
    });
}

} // namespace python
