#include "engine/python/core/build.h"

#include "engine/ops/dot.h"
#include "engine/ops/graph_op.h"
#include "engine/ops/scan.h"

namespace python {

void addProductBuilders(py::module_ &module)
{
    build(module, "dot", engine::dot);
    build(module, "tensordot", engine::tensordot);
    build(module, "outer", engine::outer);
    build(module, "batched_dot", engine::batchedDot);
    module.def("op_from_graph", engine::opFromGraph);
    module.def("scan_op", [](std::vector<engine::VarRef> inputs, std::vector<engine::VarRef> outputs, const std::string &name,
                             std::size_t sequences, std::vector<std::vector<int>> mitSot, std::size_t sitSot, std::size_t nitSot,
                             std::size_t shared, std::size_t nonSequences, bool isWhile, int truncate) {
        engine::ScanInfo info;
        info.sequences = sequences;
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
