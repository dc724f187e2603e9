#include "engine/python/core/build.h"

#include "engine/ops/loops/ctc.h"
#include "engine/ops/loops/graph_op.h"
#include "engine/ops/loops/scan.h"
#include "engine/ops/products/conv.h"
#include "engine/ops/products/dot.h"
#include "engine/ops/products/fft.h"
#include "engine/ops/products/linalg.h"
#include "engine/ops/products/pool.h"
#include "engine/ops/products/sparse.h"

namespace python {
namespace {

template <std::size_t N>
std::size_t placeOf(const std::string &name, const std::array<const char *, N> &names, const char *what)
{
    std::string all;
    for (std::size_t i = 0; i < N; ++i) {
        if (name == names[i]) return i;
        all += std::string(i ? ", '" : "'") + names[i] + "'";
    }
    throw engine::UserError(std::string(what) + " is one of " + all + ", not '" + name + "'");
}

void addLinearAlgebra(py::module_ &module)
{
    build(module, "matrix_inverse", engine::matrixInverse);
    build(module, "pinv", engine::pinv);
    build(module, "det", engine::det);
    build(module, "slogdet", engine::slogdet);
    build(module, "cholesky", engine::cholesky);
    build(module, "cholesky_grad", engine::choleskyGrad);
    module.def(
        "solve",
        [](const Operand &a, const Operand &b, const std::string &structure, bool lower, bool transposed, bool unitDiagonal) {
            const auto known = static_cast<engine::MatrixStructure>(placeOf(structure, engine::kStructureNames, "[solve] the structure"));
            return engine::solve(a.variable, b.variable, known, lower, transposed, unitDiagonal);
        },
        py::call_guard<BuildScope>());
    build(module, "eig", engine::eig);
    build(module, "eigh", engine::eigh);
    build(module, "general_eigh", engine::generalEigh);
    build(module, "svd", engine::svd);
    module.def(
        "qr",
        [](const Operand &a, const std::string &mode) {
            return engine::qr(a.variable, static_cast<engine::QrMode>(placeOf(mode, engine::kQrModes, "[qr] the mode")));
        },
        py::call_guard<BuildScope>());
    build(module, "lstsq", engine::leastSquares);
    build(module, "expm", engine::expm);
    build(module, "rfft", engine::rfft);
    build(module, "irfft", engine::irfft);
    build(module, "ctc", engine::ctc);
    build(module, "sparse_dot", engine::sparseDot);
    build(module, "sampled_dot", engine::sampledDot);
}

} // namespace

void addProductBuilders(py::module_ &module)
{
    addLinearAlgebra(module);
    build(module, "dot", engine::dot);
    build(module, "tensordot", engine::tensordot);
    build(module, "outer", engine::outer);
    build(module, "batched_dot", engine::batchedDot);
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
