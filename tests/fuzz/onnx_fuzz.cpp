#include <fstream>

#include "tests/engine/onnx/models.h"
#include "tests/fuzz/mutate.h"

namespace engine::onnx {
namespace {

std::vector<std::string> corpus()
{
    std::vector<std::string> result;
    const std::vector<std::pair<const char *, std::vector<std::string>>> nodes{{"Add", {"x", "w"}},
                                                                               {"MatMul", {"x", "w"}},
                                                                               {"Conv", {"image", "kernels"}},
                                                                               {"MaxPool", {"image"}},
                                                                               {"Reshape", {"x", "sizes"}},
                                                                               {"Slice", {"x", "sizes", "sizes"}},
                                                                               {"Gather", {"x", "sizes"}},
                                                                               {"Softmax", {"x"}},
                                                                               {"Concat", {"x", "w"}},
                                                                               {"Pad", {"x", "sizes"}},
                                                                               {"Split", {"x"}},
                                                                               {"Expand", {"x", "sizes"}},
                                                                               {"Tile", {"x", "sizes"}},
                                                                               {"ReduceSum", {"x", "sizes"}},
                                                                               {"Einsum", {"x", "w"}},
                                                                               {"TopK", {"x", "sizes"}},
                                                                               {"Transpose", {"x"}},
                                                                               {"Resize", {"image", "", "", "sizes"}},
                                                                               {"ConstantOfShape", {"sizes"}},
                                                                               {"Squeeze", {"x"}},
                                                                               {"LayerNormalization", {"x", "w"}},
                                                                               {"DequantizeLinear", {"x", "w"}},
                                                                               {"CumSum", {"x", "sizes"}},
                                                                               {"OneHot", {"sizes", "sizes", "w"}},
                                                                               {"Trilu", {"x"}}};
    for (const auto &[op, inputs] : nodes) {
        ModelMaker maker;
        maker.input("x", {"2", "3"}).input("image", {"1", "2", "5", "n"}).output("y");
        maker.floats("w", {2, 3}, {1, 2, 3, 4, 5, 6});
        maker.floats("kernels", {2, 2, 1, 1}, {1, 2, 3, 4});
        auto *sizes = maker.graph()->add_initializer();
        sizes->set_name("sizes");
        sizes->set_data_type(proto::TensorProto::INT64);
        sizes->add_dims(2);
        sizes->add_int64_data(3);
        sizes->add_int64_data(2);
        auto *node = maker.node(op, inputs, {"y"});
        setInt(node, "axis", 0);
        auto *list = node->add_attribute();
        list->set_name("kernel_shape");
        list->set_type(proto::AttributeProto::INTS);
        list->add_ints(2);
        list->add_ints(2);
        auto *equation = node->add_attribute();
        equation->set_name("equation");
        equation->set_type(proto::AttributeProto::STRING);
        equation->set_s("ij,ij->i");
        result.push_back(maker.bytes());
    }
    return result;
}

std::vector<std::string> words()
{
    std::vector<std::string> result{"axes",
                                    "pads",
                                    "strides",
                                    "dilations",
                                    "perm",
                                    "group",
                                    "body",
                                    "then_branch",
                                    "...",
                                    "->",
                                    std::string("\xff\xff\xff\xff\x0f", 5),
                                    std::string("\0", 1)};
    for (const std::string &op : knownOps()) result.push_back(op.substr(0, op.find(' ')));
    return result;
}

bool read(const std::string &bytes)
{
    try {
        readModel(bytes, {});
        return true;
    } catch (const ModelError &error) {
        EXPECT_NE(std::string(error.what()), "");
    } catch (const std::exception &error) {
        std::ofstream("onnx_fuzz_failure.onnx", std::ios::binary) << bytes;
        ADD_FAILURE() << "not a ModelError: " << error.what() << " (the file is onnx_fuzz_failure.onnx)";
    }
    return false;
}

TEST(OnnxFuzz, HostileModelsAreReadOrRefused)
{
    for (const std::string &bytes : corpus()) read(bytes);
    fuzz::Mutator mutator(corpus(), words(), fuzz::seed());
    EXPECT_GT(fuzz::run(mutator, read), 0u);
}

} // namespace
} // namespace engine::onnx
