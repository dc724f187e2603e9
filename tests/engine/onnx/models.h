// Small models for tests.
#pragma once

#include "engine/compile/function/function.h"
#include "engine/onnx/model/model.h"
#include "engine/onnx/model/proto.h"

#include <gtest/gtest.h>

namespace engine::onnx {

class ModelMaker {
public:
    explicit ModelMaker(std::int64_t opset = 17)
    {
        model.set_ir_version(8);
        auto *import = model.add_opset_import();
        import->set_version(opset);
        graph()->set_name("small");
    }
    proto::GraphProto *graph() { return model.mutable_graph(); }
    static void declare(proto::ValueInfoProto *info, const std::string &name, const std::vector<std::string> &sizes,
                        int type = proto::TensorProto::FLOAT)
    {
        info->set_name(name);
        auto *tensor = info->mutable_type()->mutable_tensor_type();
        tensor->set_elem_type(type);
        tensor->mutable_shape();
        for (const std::string &size : sizes) {
            auto *dim = tensor->mutable_shape()->add_dim();
            if (size.find_first_not_of("0123456789") == std::string::npos) dim->set_dim_value(std::stoll(size));
            else dim->set_dim_param(size);
        }
    }
    ModelMaker &input(const std::string &name, const std::vector<std::string> &sizes, int type = proto::TensorProto::FLOAT)
    {
        declare(graph()->add_input(), name, sizes, type);
        return *this;
    }
    ModelMaker &output(const std::string &name)
    {
        graph()->add_output()->set_name(name);
        return *this;
    }
    static proto::NodeProto *node(proto::GraphProto *graph, const std::string &op, const std::vector<std::string> &inputs,
                                  const std::vector<std::string> &outputs)
    {
        auto *node = graph->add_node();
        node->set_op_type(op);
        for (const std::string &name : inputs) node->add_input(name);
        for (const std::string &name : outputs) node->add_output(name);
        return node;
    }
    proto::NodeProto *node(const std::string &op, const std::vector<std::string> &inputs, const std::vector<std::string> &outputs)
    {
        return node(graph(), op, inputs, outputs);
    }
    proto::TensorProto *floats(const std::string &name, const std::vector<std::int64_t> &sizes, const std::vector<float> &values)
    {
        auto *tensor = graph()->add_initializer();
        tensor->set_name(name);
        tensor->set_data_type(proto::TensorProto::FLOAT);
        for (const std::int64_t size : sizes) tensor->add_dims(size);
        for (const float value : values) tensor->add_float_data(value);
        return tensor;
    }
    std::string bytes() const { return model.SerializeAsString(); }
    Model read(const ReadOptions &options = {}) const { return readModel(bytes(), options); }

    proto::ModelProto model;
};

inline void setInt(proto::NodeProto *node, const std::string &name, std::int64_t value)
{
    auto *attribute = node->add_attribute();
    attribute->set_name(name);
    attribute->set_type(proto::AttributeProto::INT);
    attribute->set_i(value);
}

inline Tensor floatsOf(const Dims &shape, const std::vector<float> &values)
{
    const Tensor result = Tensor::empty(DType::Float32, shape);
    std::copy(values.begin(), values.end(), result.as<float>());
    return result;
}

inline std::vector<double> numbersOf(const Tensor &tensor)
{
    std::vector<double> result;
    for (std::int64_t i = 0; i < tensor.size(); ++i) result.push_back(tensor.at(i));
    return result;
}

/// The outputs of a model for those inputs.
inline std::vector<Tensor> run(const Model &model, const std::vector<Tensor> &inputs)
{
    FunctionSpec spec;
    for (const ModelInput &input : model.inputs) spec.inputs.push_back({input.variable});
    for (const ModelOutput &output : model.outputs) spec.outputs.push_back(output.variable);
    spec.onUnusedInput = OnUnusedInput::Ignore;
    spec.mode = Mode::named("FAST_RUN");
    spec.mode.linker = Linker::Py;
    std::vector<Value> values(inputs.begin(), inputs.end()), results;
    Function::compile(std::move(spec))->call(values, results);
    std::vector<Tensor> tensors;
    for (const Value &result : results) tensors.push_back(result.tensor());
    return tensors;
}

} // namespace engine::onnx
