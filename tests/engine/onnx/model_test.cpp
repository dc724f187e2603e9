// What a model says becomes expressions with its names, places and values.
#include "tests/engine/onnx/models.h"

#include "engine/graph/ir/source.h"

#include <filesystem>
#include <fstream>

namespace engine::onnx {
namespace {

using Numbers = std::vector<double>;

// relu(x·w + b)
ModelMaker layer()
{
    ModelMaker maker;
    maker.input("x", {"batch", "2"}).output("y");
    maker.floats("w", {2, 3}, {1, 2, 3, 4, 5, 6});
    maker.floats("b", {3}, {0, -20, 1});
    maker.node("MatMul", {"x", "w"}, {"product"})->set_name("layers.0/MatMul");
    maker.node("Add", {"product", "b"}, {"sum"});
    maker.node("Relu", {"sum"}, {"y"});
    return maker;
}

TEST(OnnxModel, ALayerGivesItsValues)
{
    const Model model = layer().read();
    ASSERT_EQ(model.inputs.size(), 1u);
    EXPECT_EQ(model.inputs[0].sizes, (std::vector<std::string>{"batch", "2"}));
    EXPECT_EQ(numbersOf(run(model, {floatsOf({2, 2}, {1, 1, 2, -1})})[0]), (Numbers{5, 0, 10, 0, 0, 1}));
}

TEST(OnnxModel, NamesAndPlacesAreKept)
{
    const Model model = layer().read();
    const Apply *relu = model.outputs[0].variable->owner();
    ASSERT_NE(relu, nullptr);
    EXPECT_EQ(model.outputs[0].variable->name(), "y");
    EXPECT_EQ(sourceLine(relu->trace()).line, 3);
    const Apply *product = relu->input(0)->owner()->input(0)->owner();
    EXPECT_EQ(sourceLine(product->trace()).function, "layers.0/MatMul");
    EXPECT_EQ(model.nodes.at(0), "MatMul \"layers.0/MatMul\" (x, w) -> product");
}

TEST(OnnxModel, NamedDimensionsGetSizes)
{
    ReadOptions options;
    options.dims["batch"] = 8;
    EXPECT_EQ(layer().read(options).outputs[0].variable->type().detailedText(), "float32 (8, 3)");
}

TEST(OnnxModel, AnOpThatNeedsAValueNamesTheInput)
{
    ModelMaker maker;
    maker.input("x", {"2", "3"}).input("axes", {"1"}, proto::TensorProto::INT64).output("y");
    maker.node("ReduceSum", {"x", "axes"}, {"y"});
    try {
        maker.read();
        FAIL() << "the axes are not known";
    } catch (const ValueNeeded &needed) {
        EXPECT_EQ(needed.input(), "axes");
    }
    ReadOptions options;
    const std::int64_t axis[] = {1};
    options.values["axes"] = Tensor::fromInts(axis);
    // Opset 17 has the axes of other reductions as attributes, those of this one as an input.
    EXPECT_EQ(numbersOf(run(maker.read(options), {floatsOf({2, 3}, {1, 2, 3, 4, 5, 6})})[0]), (Numbers{6, 15}));
}

TEST(OnnxModel, FunctionsOfTheModelAreCalled)
{
    ModelMaker maker;
    maker.input("x", {"2"}).output("y");
    maker.model.add_opset_import()->set_domain("own");
    auto *function = maker.model.add_functions();
    function->set_name("Twice");
    function->set_domain("own");
    function->add_input("a");
    function->add_output("c");
    auto *add = function->add_node();
    add->set_op_type("Add");
    add->add_input("a");
    add->add_input("a");
    add->add_output("c");
    maker.node("Twice", {"x"}, {"y"})->set_domain("own");
    EXPECT_EQ(numbersOf(run(maker.read(), {floatsOf({2}, {1, 4})})[0]), (Numbers{2, 8}));
}

TEST(OnnxModel, ALoopCarriesItsStateAndReadsWhatIsAroundIt)
{
    ModelMaker maker;
    maker.input("x", {"2"}).output("last").output("all");
    auto *trips = maker.graph()->add_initializer();
    trips->set_name("trips");
    trips->set_data_type(proto::TensorProto::INT64);
    trips->add_int64_data(3);
    maker.floats("first", {2}, {0, 1});
    auto *attribute = maker.node("Loop", {"trips", "", "first"}, {"last", "all"})->add_attribute();
    attribute->set_name("body");
    attribute->set_type(proto::AttributeProto::GRAPH);
    proto::GraphProto *body = attribute->mutable_g();
    ModelMaker::declare(body->add_input(), "i", {}, proto::TensorProto::INT64);
    ModelMaker::declare(body->add_input(), "goes", {}, proto::TensorProto::BOOL);
    ModelMaker::declare(body->add_input(), "state", {"2"});
    ModelMaker::node(body, "Add", {"state", "x"}, {"next"});
    ModelMaker::node(body, "Identity", {"goes"}, {"on"});
    for (const char *name : {"on", "next", "next"}) body->add_output()->set_name(name);
    const std::vector<Tensor> results = run(maker.read(), {floatsOf({2}, {1, 10})});
    EXPECT_EQ(numbersOf(results[0]), (Numbers{3, 31}));
    EXPECT_EQ(numbersOf(results[1]), (Numbers{1, 11, 2, 21, 3, 31}));
}

TEST(OnnxModel, WeightsInAFileBesideIt)
{
    namespace fs = std::filesystem;
    const fs::path folder = fs::path(testing::TempDir()) / "onnx_weights";
    fs::create_directories(folder);
    const float values[] = {7, 1, 2};
    std::ofstream(folder / "weights.bin", std::ios::binary).write(reinterpret_cast<const char *>(values), sizeof values);
    ModelMaker maker;
    maker.input("x", {"2"}).output("y");
    auto *weights = maker.floats("w", {2}, {});
    weights->set_data_location(proto::TensorProto::EXTERNAL);
    for (const auto &[key, value] :
         std::initializer_list<std::pair<const char *, const char *>>{{"location", "weights.bin"}, {"offset", "4"}, {"length", "8"}}) {
        auto *entry = weights->add_external_data();
        entry->set_key(key);
        entry->set_value(value);
    }
    maker.node("Mul", {"x", "w"}, {"y"});
    std::ofstream(folder / "m.onnx", std::ios::binary) << maker.bytes();
    EXPECT_EQ(numbersOf(run(readModelFile((folder / "m.onnx").string(), {}), {floatsOf({2}, {3, 3})})[0]), (Numbers{3, 6}));
}

} // namespace
} // namespace engine::onnx
