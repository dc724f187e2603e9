// Models that are wrong, or were made to harm: a sentence each.
#include "tests/engine/onnx/models.h"

namespace engine::onnx {
namespace {

std::string mistakeIn(const std::string &bytes, const ReadOptions &options = {})
{
    try {
        readModel(bytes, options);
    } catch (const ModelError &error) {
        return error.what();
    }
    return "read";
}

ModelMaker oneNode(const std::string &op, const std::vector<std::string> &inputs = {"x"})
{
    ModelMaker maker;
    maker.input("x", {"2", "3"}).output("y");
    maker.node(op, inputs, {"y"});
    return maker;
}

TEST(OnnxMistakes, WhatIsNoModel)
{
    EXPECT_NE(mistakeIn("no model").find("no ModelProto message"), std::string::npos);
    EXPECT_NE(mistakeIn("").find("has no graph"), std::string::npos);
    const std::string whole = oneNode("Relu").bytes();
    EXPECT_NE(mistakeIn(whole.substr(0, whole.size() - 3)), "read");
}

TEST(OnnxMistakes, AnUnknownOpNamesNodeAndOpset)
{
    EXPECT_EQ(mistakeIn(oneNode("Frobnicate").bytes()),
              "Frobnicate that makes \"y\" (opset 17) is an op that Croton does not read in this opset");
}

TEST(OnnxMistakes, ACircle)
{
    ModelMaker maker;
    maker.input("x", {"2"}).output("y");
    maker.node("Add", {"x", "b"}, {"a"});
    maker.node("Relu", {"a"}, {"b"});
    maker.node("Relu", {"a"}, {"y"});
    EXPECT_NE(mistakeIn(maker.bytes()).find("reads \"b\", which no node before it makes"), std::string::npos);
}

TEST(OnnxMistakes, AFunctionThatCallsItself)
{
    ModelMaker maker;
    maker.input("x", {"2"}).output("y");
    auto *function = maker.model.add_functions();
    function->set_name("Again");
    function->set_domain("own");
    function->add_input("a");
    function->add_output("c");
    auto *call = function->add_node();
    call->set_op_type("Again");
    call->set_domain("own");
    call->add_input("a");
    call->add_output("c");
    maker.node("Again", {"x"}, {"y"})->set_domain("own");
    EXPECT_NE(mistakeIn(maker.bytes()).find("does one call itself?"), std::string::npos);
}

TEST(OnnxMistakes, SizesThatLie)
{
    ModelMaker maker = oneNode("Add", {"x", "w"});
    auto *weights = maker.floats("w", {1'000'000'000'000, 1'000'000'000'000}, {1});
    EXPECT_NE(mistakeIn(maker.bytes()).find("has sizes that no memory holds"), std::string::npos);
    weights->set_dims(1, 1);
    EXPECT_NE(mistakeIn(maker.bytes()).find("has fewer elements than its sizes ask for"), std::string::npos);
    weights->set_dims(0, 2);
    weights->set_raw_data("abc");
    EXPECT_NE(mistakeIn(maker.bytes()).find("has 3 bytes, but its sizes ask for 8"), std::string::npos);
    weights->set_dims(0, -2);
    EXPECT_NE(mistakeIn(maker.bytes()).find("has the size -2"), std::string::npos);
}

TEST(OnnxMistakes, TypesThatAreNotThere)
{
    ModelMaker maker = oneNode("Add", {"x", "w"});
    maker.floats("w", {1}, {1})->set_data_type(23);
    EXPECT_NE(mistakeIn(maker.bytes()).find("float4e2m1"), std::string::npos);
    ModelMaker other = oneNode("And", {"x", "x"});
    EXPECT_NE(mistakeIn(other.bytes()), "read");
}

TEST(OnnxMistakes, WeightsOutsideOfTheFolder)
{
    for (const char *place : {"../secret", "/etc/passwd", ""}) {
        ModelMaker maker = oneNode("Add", {"x", "w"});
        auto *weights = maker.floats("w", {1}, {});
        weights->set_data_location(proto::TensorProto::EXTERNAL);
        auto *entry = weights->add_external_data();
        entry->set_key("location");
        entry->set_value(place);
        ReadOptions options;
        options.folder = testing::TempDir();
        EXPECT_NE(mistakeIn(maker.bytes(), options).find("which is not inside the model's folder"), std::string::npos) << place;
    }
}

TEST(OnnxMistakes, GraphsInGraphsWithoutEnd)
{
    ModelMaker maker = oneNode("If");
    proto::NodeProto *node = maker.graph()->mutable_node(0);
    for (int i = 0; i < 27; ++i) {
        auto *attribute = node->add_attribute();
        attribute->set_name("then_branch");
        attribute->set_type(proto::AttributeProto::GRAPH);
        node = ModelMaker::node(attribute->mutable_g(), "If", {"x"}, {"y"});
    }
    EXPECT_NE(mistakeIn(maker.bytes()).find("more than 24 deep"), std::string::npos);
}

TEST(OnnxMistakes, ANameThatIsThereTwice)
{
    ModelMaker maker = oneNode("Relu");
    maker.node("Neg", {"x"}, {"y"});
    EXPECT_NE(mistakeIn(maker.bytes()).find("which is there already"), std::string::npos);
}

TEST(OnnxMistakes, AxesThatAreNotThere)
{
    ModelMaker maker = oneNode("Softmax");
    setInt(maker.graph()->mutable_node(0), "axis", 7);
    EXPECT_NE(mistakeIn(maker.bytes()).find("has the axis 7 for an array of 2 axes"), std::string::npos);
}

TEST(OnnxMistakes, BlocksThatDoNotDivideTheImage)
{
    const auto told = [](const std::string &op, const std::vector<std::string> &sizes, std::int64_t block) {
        ModelMaker maker;
        maker.input("x", sizes).output("y");
        setInt(maker.node(op, {"x"}, {"y"}), "blocksize", block);
        return mistakeIn(maker.bytes());
    };
    EXPECT_EQ(told("DepthToSpace", {"1", "8", "3", "3"}, 2), "read");
    EXPECT_NE(told("DepthToSpace", {"1", "6", "3", "3"}, 2).find("a multiple of the block's area"), std::string::npos);
    EXPECT_NE(told("DepthToSpace", {"1", "8", "3", "3"}, std::int64_t(1) << 40).find("a multiple of the block's area"), std::string::npos);
    EXPECT_EQ(told("SpaceToDepth", {"1", "2", "4", "6"}, 2), "read");
    EXPECT_NE(told("SpaceToDepth", {"1", "2", "5", "6"}, 2).find("are multiples of the block"), std::string::npos);
    EXPECT_NE(told("SpaceToDepth", {"1", "2", "4", "6"}, 0).find("a block of at least 1"), std::string::npos);
}

} // namespace
} // namespace engine::onnx
