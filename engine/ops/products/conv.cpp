#include "engine/ops/products/conv.h"

#include "engine/gradient/gradient.h"
#include "engine/graph/op/op_document.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/elements/run_support.h"
#include "engine/ops/index/index.h"
#include "engine/ops/products/conv_run.h"
#include "engine/ops/shapes/shape.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/indexed.h"

#include <algorithm>

namespace engine {
namespace {

constexpr std::array<const char *, 3> kPasses{"forward", "weights", "inputs"};
constexpr std::array<const char *, 4> kMethods{"abstract", "gemm", "direct", "dnn"};
constexpr std::array<const char *, 4> kBorders{"valid", "full", "half", "given"};
/// Names of Theano's classes, those of devices without Gpu: [spatial - 2][method][pass]; the direct ones are Croton's.
constexpr const char *kClasses[2][4][3] = {{{"AbstractConv2d", "AbstractConv2d_gradWeights", "AbstractConv2d_gradInputs"},
                                            {"CorrMM", "CorrMM_gradWeights", "CorrMM_gradInputs"},
                                            {"DirectConv2d", "DirectConv2d_gradWeights", "DirectConv2d_gradInputs"},
                                            {"DnnConv", "DnnConvGradW", "DnnConvGradI"}},
                                           {{"AbstractConv3d", "AbstractConv3d_gradWeights", "AbstractConv3d_gradInputs"},
                                            {"Corr3dMM", "Corr3dMM_gradWeights", "Corr3dMM_gradInputs"},
                                            {"DirectConv3d", "DirectConv3d_gradWeights", "DirectConv3d_gradInputs"},
                                            {"DnnConv", "DnnConvGradW", "DnnConvGradI"}}};

/// "(1, 1)"
template <class Values, class Text>
std::string tuple(const Values &values, Text text)
{
    std::string result = "(";
    for (std::size_t i = 0; i < values.size(); ++i) result += (i ? ", " : "") + text(values[i]);
    return result + ")";
}
std::string tuple(const std::vector<std::int64_t> &values)
{
    return tuple(values, [](std::int64_t value) { return std::to_string(value); });
}
std::string hints(const std::vector<std::int64_t> &sizes, int spatial)
{
    const std::vector<std::int64_t> all =
        sizes.empty() ? std::vector<std::int64_t>(static_cast<std::size_t>(spatial) + 2, kUnknownDim) : sizes;
    return tuple(all, [](std::int64_t size) { return size == kUnknownDim ? std::string("None") : std::to_string(size); });
}

std::string borderText(const ConvInfo &info, const char *quote)
{
    if (info.border != ConvBorder::Given) return quote + std::string(kBorders[indexOf(info.border)]) + quote;
    if (info.before == info.after) return tuple(info.before);
    std::string result = "(";
    for (std::size_t i = 0; i < info.before.size(); ++i)
        result += (i ? ", (" : "(") + std::to_string(info.before[i]) + ", " + std::to_string(info.after[i]) + ")";
    return result + ")";
}

/// Zeros before and after an axis.
struct Border {
    std::int64_t before, after;
};
Border borderOf(const ConvInfo &info, std::size_t axis, std::int64_t kernel)
{
    const std::int64_t spread = (kernel - 1) * info.dilation[axis] + 1;
    switch (info.border) {
    case ConvBorder::Full: return {spread - 1, spread - 1};
    case ConvBorder::Half: return {spread / 2, spread / 2};
    case ConvBorder::Given: return {info.before[axis], info.after[axis]};
    default: return {0, 0};
    }
}

/// The kernels backwards along their spatial axes, dense.
template <class T>
std::vector<T> backwards(const T *kernels, std::int64_t count, std::int64_t pixels)
{
    std::vector<T> result(static_cast<std::size_t>(count * pixels));
    for (std::int64_t k = 0; k < count; ++k)
        std::reverse_copy(kernels + k * pixels, kernels + (k + 1) * pixels, result.begin() + k * pixels);
    return result;
}

} // namespace

// --- names ------------------------------------------------------------------------------------------------

std::string_view Convolution::className() const { return kClasses[m_info.spatial() - 2][indexOf(m_info.method)][indexOf(m_info.pass)]; }

std::string_view Convolution::moduleName() const
{
    if (m_info.method == ConvMethod::Abstract) return "theano.tensor.nnet.abstract_conv";
    if (m_info.method == ConvMethod::Dnn) return "theano.tensor.nnet.dnn";
    return m_info.spatial() == 2 ? "theano.tensor.nnet.corr" : "theano.tensor.nnet.corr3d";
}

std::string Convolution::exactName() const
{
    const std::string name(className());
    if (m_info.method != ConvMethod::Abstract)
        return name + "{" + borderText(m_info, "") + ", " + tuple(m_info.stride) + ", " + tuple(m_info.dilation) + ", " +
               std::to_string(m_info.groups) + (m_info.method == ConvMethod::Dnn ? m_info.flip ? ", conv}" : ", cross}" : " False}");
    return name + "{convdim=" + std::to_string(m_info.spatial()) + ", border_mode=" + borderText(m_info, "'") +
           ", subsample=" + tuple(m_info.stride) + ", filter_flip=" + (m_info.flip ? "True" : "False") +
           ", imshp=" + hints(m_info.image, m_info.spatial()) + ", kshp=" + hints(m_info.kernels, m_info.spatial()) +
           ", filter_dilation=" + tuple(m_info.dilation) + ", num_groups=" + std::to_string(m_info.groups) + ", unshared=False}";
}

std::string Convolution::shortName() const
{
    static constexpr const char *kPassNames[] = {"", " grad kernels", " grad image"};
    return "conv" + std::to_string(m_info.spatial()) + "d" + kPassNames[indexOf(m_info.pass)];
}

std::string Convolution::identity() const { return exactName() + (m_info.flip ? " flipped" : ""); }

OpRef Convolution::by(ConvMethod method) const
{
    ConvInfo info = m_info;
    info.method = method;
    info.flip = info.flip && method == ConvMethod::Dnn;
    info.image.clear();
    info.kernels.clear();
    return makeOp<Convolution>(std::move(info));
}

// --- types and sizes ----------------------------------------------------------------------------------------

std::vector<Type> Convolution::outputTypes(std::span<const Operand> inputs) const
{
    const int rank = m_info.spatial() + 2;
    const std::string symbol = "[" + shortName() + "] ";
    for (std::size_t i = 0; i < 2; ++i) {
        const Type type = inputs[i].type;
        if (!type.isTensor() || type.rank() != rank)
            throw ShapeMismatch(symbol + "wants arrays of " + std::to_string(rank) + " dimensions, got " + type.text());
        if (!isFloat(type.dtype()))
            throw TypeMismatch(symbol + "wants floats, got " + type.text(), "cast it, as in T.cast(x, theano.config.floatX)");
    }
    const Type a = inputs[0].type, b = inputs[1].type;
    std::vector<std::int64_t> shape(static_cast<std::size_t>(rank), kUnknownDim);
    switch (m_info.pass) {
    case ConvPass::Forward: shape[0] = a.shape()[0], shape[1] = b.shape()[0]; break;
    case ConvPass::Weights: shape[0] = b.shape()[1], shape[1] = m_info.groups == 1 ? a.shape()[1] : kUnknownDim; break;
    case ConvPass::Inputs: shape[0] = b.shape()[0], shape[1] = m_info.groups == 1 ? a.shape()[1] : kUnknownDim; break;
    }
    if (m_info.pass != ConvPass::Forward) {
        const Type sizes = inputs[2].type;
        if (!sizes.isTensor() || sizes.rank() != 1 || !isInteger(sizes.dtype()))
            throw TypeMismatch(symbol + "wants the sizes as a vector of integers, got " + sizes.text());
    }
    return {Type::tensor(promote(a.dtype(), b.dtype()), shape)};
}

bool Convolution::inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const
{
    const Sym groups = shapes.constant(m_info.groups);
    SymShape shape;
    switch (m_info.pass) {
    case ConvPass::Forward: shape = {shapes.dim(0, 0), shapes.dim(1, 0)}; break;
    case ConvPass::Weights: shape = {shapes.dim(1, 1), shapes.floorDiv(shapes.dim(0, 1), groups)}; break;
    case ConvPass::Inputs: shape = {shapes.dim(1, 0), shapes.mul(shapes.dim(0, 1), groups)}; break;
    }
    for (int axis = 0; axis < m_info.spatial(); ++axis) {
        if (m_info.pass != ConvPass::Forward) {
            const std::optional<Sym> size = shapes.value(2, axis);
            if (!size) return false;
            shape.push_back(*size);
            continue;
        }
        const auto place = static_cast<std::size_t>(axis);
        const Sym one = shapes.constant(1), kernel = shapes.dim(1, axis + 2);
        const Sym reach = shapes.mul(shapes.sub(kernel, one), shapes.constant(m_info.dilation[place])); // spread - 1
        Sym free = shapes.sub(shapes.dim(0, axis + 2), reach);
        if (m_info.border == ConvBorder::Full) free = shapes.add(free, shapes.mul(reach, shapes.constant(2)));
        if (m_info.border == ConvBorder::Half)
            free = shapes.add(free, shapes.mul(shapes.floorDiv(shapes.add(reach, one), shapes.constant(2)), shapes.constant(2)));
        if (m_info.border == ConvBorder::Given) free = shapes.add(free, shapes.constant(m_info.before[place] + m_info.after[place]));
        const Sym steps = shapes.floorDiv(shapes.sub(free, one), shapes.constant(m_info.stride[place]));
        shape.push_back(shapes.max(shapes.add(steps, one), shapes.constant(0)));
    }
    outputs = {shape};
    return true;
}

std::vector<SizeRule> Convolution::sizeRules(ShapeBuilder &shapes) const
{
    switch (m_info.pass) {
    case ConvPass::Forward:
        if (m_info.groups == 1) return {{shapes.dim(0, 1), shapes.dim(1, 1), 0, 1, 1, 1}};
        return {{shapes.dim(0, 1), shapes.mul(shapes.dim(1, 1), shapes.constant(m_info.groups)), 0, 1, 1, 1,
                 "the image has another number of channels than the kernels of all groups"}};
    case ConvPass::Weights: return {{shapes.dim(0, 0), shapes.dim(1, 0), 0, 0, 1, 0}};
    default: return {{shapes.dim(0, 0), shapes.dim(1, 1), 0, 0, 1, 1}};
    }
}

ConvSizes Convolution::sizesOf(const Dims &image, const Dims &kernels, const Dims *out) const
{
    const std::string symbol = "[" + shortName() + "] ";
    const auto mismatch = [&](const std::string &what) {
        throw ShapeMismatch(symbol + what + ": image " + image.text() + ", kernels " + kernels.text() +
                            (out ? ", what comes out " + out->text() : std::string()));
    };
    ConvSizes sizes;
    sizes.images = image[0];
    sizes.channels = image[1];
    sizes.filters = kernels[0];
    sizes.groups = m_info.groups;
    if (image[1] != kernels[1] * m_info.groups) mismatch("the image has another number of channels than the kernels");
    if (kernels[0] % m_info.groups) mismatch("the kernels do not share out among " + std::to_string(m_info.groups) + " groups");
    const auto spatial = static_cast<std::size_t>(m_info.spatial());
    for (std::size_t axis = 0; axis < spatial; ++axis) {
        const std::size_t at = axis + 3 - spatial;
        sizes.in[at] = image[axis + 2];
        sizes.kernel[at] = kernels[axis + 2];
        sizes.stride[at] = m_info.stride[axis];
        sizes.dilation[at] = m_info.dilation[axis];
        const Border border = borderOf(m_info, axis, kernels[axis + 2]);
        sizes.before[at] = border.before;
        sizes.after[at] = border.after;
        const std::int64_t spread = (kernels[axis + 2] - 1) * m_info.dilation[axis] + 1;
        const std::int64_t free = image[axis + 2] + border.before + border.after - spread;
        if (kernels[axis + 2] < 1 || free < 0) mismatch("the kernels are larger than the image with its border");
        sizes.out[at] = free / m_info.stride[axis] + 1;
        if (out && (*out)[axis + 2] != sizes.out[at]) mismatch("the sizes do not belong together");
    }
    if (out && ((*out)[0] != image[0] || (*out)[1] != kernels[0])) mismatch("the sizes do not belong together");
    return sizes;
}

// --- gradient -----------------------------------------------------------------------------------------------

namespace {

VarRef spatialSizes(const VarRef &x)
{
    const IndexItem behind[] = {IndexItem::slice(constantOf(DType::Int64, 2))};
    return subtensor(shape(x), behind);
}

ConvInfo withPass(ConvInfo info, ConvPass pass)
{
    info.pass = pass;
    return info;
}

} // namespace

std::vector<VarRef> Convolution::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    const VarRef &a = node.input(0), &b = node.input(1), &g = outputGrads[0];
    const auto forward = [&](const VarRef &image, const VarRef &kernels) {
        return convolve(withPass(m_info, ConvPass::Forward), image, kernels);
    };
    const auto ofKernels = [&](const VarRef &image, const VarRef &out, const VarRef &like) {
        return cast(convolve(withPass(m_info, ConvPass::Weights), image, out, spatialSizes(like)), like->type().dtype());
    };
    const auto ofImage = [&](const VarRef &kernels, const VarRef &out, const VarRef &like) {
        return cast(convolve(withPass(m_info, ConvPass::Inputs), kernels, out, spatialSizes(like)), like->type().dtype());
    };
    switch (m_info.pass) {
    case ConvPass::Forward: return {ofImage(b, g, a), ofKernels(a, g, b)};
    case ConvPass::Weights: return {ofImage(g, b, a), cast(forward(a, g), b->type().dtype()), disconnected()};
    default: return {ofKernels(g, b, a), cast(forward(g, a), b->type().dtype()), disconnected()};
    }
}

std::vector<VarRef> Convolution::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    const VarRef sizes = m_info.pass == ConvPass::Forward ? VarRef() : node.input(2);
    VarRef total;
    if (evalPoints[0]) total = convolve(m_info, evalPoints[0], node.input(1), sizes);
    if (evalPoints[1]) {
        const VarRef term = convolve(m_info, node.input(0), evalPoints[1], sizes);
        total = total ? add(total, term) : term;
    }
    return {total};
}

std::vector<std::vector<bool>> Convolution::connectionPattern(const Apply &node) const { return connectedInputs(node, 2); }

// --- running ------------------------------------------------------------------------------------------------

Cost Convolution::cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const
{
    const Dims &kernels = m_info.pass == ConvPass::Forward ? inputs[1] : m_info.pass == ConvPass::Weights ? outputs[0] : inputs[0];
    const Dims &out = m_info.pass == ConvPass::Forward ? outputs[0] : inputs[1];
    if (kernels[0] == 0) return {};
    const std::int64_t window = kernels.product() / kernels[0];
    return {2.0 * static_cast<double>(out.product()) * static_cast<double>(window)};
}

void Convolution::perform(PerformArgs &args) const
{
    const View &a = args.inputs[0], &b = args.inputs[1];
    Dims image = shapeOfView(a), kernels = shapeOfView(m_info.pass == ConvPass::Inputs ? a : b), out = shapeOfView(b);
    if (m_info.pass != ConvPass::Forward) {
        const Dense<std::int64_t> given = integers(args.inputs[2]);
        if (args.inputs[2].size() != m_info.spatial())
            throw ShapeMismatch("[" + shortName() + "] wants " + std::to_string(m_info.spatial()) + " sizes, got " +
                                std::to_string(args.inputs[2].size()));
        Dims &open = m_info.pass == ConvPass::Weights ? kernels : image;
        if (m_info.pass == ConvPass::Weights) open = {out[1], image[1] / m_info.groups};
        else open = {out[0], kernels[1] * m_info.groups};
        for (int axis = 0; axis < m_info.spatial(); ++axis) open.push_back(given[axis]);
    }
    const ConvSizes sizes = sizesOf(image, kernels, m_info.pass == ConvPass::Forward ? nullptr : &out);
    if (m_info.pass == ConvPass::Forward) {
        out = {image[0], kernels[0]};
        for (int axis = 3 - m_info.spatial(); axis < 3; ++axis) out.push_back(sizes.out[axis]);
    }
    const View &target = output(args, 0, m_info.pass == ConvPass::Forward ? out : m_info.pass == ConvPass::Weights ? kernels : image);

    withFloat(target.dtype, [&]<class T>(DType work) {
        const Dense<T> first(a, work), second(b, work);
        DenseOutput<T> result(target, work);
        std::vector<T> turned;
        const auto forwards = [&](const T *given) {
            if (!m_info.flip) return given;
            turned = backwards(given, sizes.filters * sizes.groupChannels(), sizes.kernelPixels());
            return static_cast<const T *>(turned.data());
        };
        ConvArrays<T> arrays;
        arrays.result = result.data();
        switch (m_info.pass) {
        case ConvPass::Forward: arrays.image = first.data(), arrays.kernels = forwards(second.data()); break;
        case ConvPass::Weights: arrays.image = first.data(), arrays.out = second.data(); break;
        case ConvPass::Inputs: arrays.kernels = forwards(first.data()), arrays.out = second.data(); break;
        }
        const auto byLibrary = [&] {
            if constexpr (std::is_same_v<T, float>) return convolveByLibrary(m_info.pass, sizes, arrays);
            else return false;
        };
        const bool isStepwise = std::all_of(m_info.stride.begin(), m_info.stride.end(), [](std::int64_t step) { return step == 1; });
        const bool isDirect =
            m_info.method == ConvMethod::Direct ||
            (isStepwise && m_info.method == ConvMethod::Gemm && isForOwnLoops(m_info.pass, sizes.groupChannels(), sizes.groupFilters()));
        if (isDirect) convolveDirectly(m_info.pass, sizes, arrays);
        else if (!byLibrary()) convolveByProducts(m_info.pass, sizes, arrays);
        if (m_info.pass == ConvPass::Weights && m_info.flip) {
            const std::vector<T> kept = backwards(result.data(), sizes.filters * sizes.groupChannels(), sizes.kernelPixels());
            std::copy(kept.begin(), kept.end(), result.data());
        }
        result.finish();
    });
}

// --- building -----------------------------------------------------------------------------------------------

VarRef convolve(const ConvInfo &info, const VarRef &a, const VarRef &b, const VarRef &sizes)
{
    const auto axes = info.stride.size();
    const std::string symbol = "[conv" + std::to_string(axes) + "d] ";
    if (axes < 2 || axes > 3) throw UserError("convolutions have 2 or 3 axes, not " + std::to_string(axes));
    if (info.dilation.size() != axes) throw UserError(symbol + "filter_dilation needs a number an axis");
    for (const std::int64_t step : info.stride)
        if (step < 1) throw UserError(symbol + "steps (subsample) are at least 1, got " + tuple(info.stride));
    for (const std::int64_t step : info.dilation)
        if (step < 1) throw UserError(symbol + "filter_dilation is at least 1, got " + tuple(info.dilation));
    if (info.border == ConvBorder::Given) {
        if (info.before.size() != axes || info.after.size() != axes)
            throw UserError(symbol + "border_mode needs a number or a pair an axis");
        for (std::size_t i = 0; i < axes; ++i)
            if (info.before[i] < 0 || info.after[i] < 0) throw UserError(symbol + "borders (border_mode) are at least 0");
    }
    if (info.groups < 1) throw UserError(symbol + "num_groups is at least 1, got " + std::to_string(info.groups));
    const OpRef op = makeOp<Convolution>(info);
    return info.pass == ConvPass::Forward ? engine::apply(op, {a, b}) : engine::apply(op, {a, b, sizes});
}

namespace {

void writeNumbers(JsonWriter &out, const char *key, const std::vector<std::int64_t> &numbers)
{
    out.key(key);
    out.beginArray();
    for (const std::int64_t number : numbers) out.value(number);
    out.endArray();
}

constexpr std::int64_t kMost = std::int64_t(1) << 40;

std::vector<std::int64_t> numbers(const OpParameters &from, const char *key, std::int64_t least, std::size_t count)
{
    std::vector<std::int64_t> result = from.integers(key, least, kMost);
    if (result.size() != count) from.fail(key, std::to_string(count) + " numbers were expected, not " + std::to_string(result.size()));
    return result;
}

ConvInfo readInfo(const OpParameters &from)
{
    ConvInfo info;
    info.pass = static_cast<ConvPass>(from.choice("pass", kPasses));
    info.method = static_cast<ConvMethod>(from.choice("method", kMethods));
    info.border = static_cast<ConvBorder>(from.choice("border", kBorders));
    info.flip = from.flag("flip");
    info.groups = from.integer("groups", 1, kMost);
    info.stride = from.integers("stride", 1, kMost);
    const std::size_t axes = info.stride.size();
    if (axes < 2 || axes > 3) from.fail("stride", "2 or 3 numbers were expected, not " + std::to_string(axes));
    info.dilation = numbers(from, "dilation", 1, axes);
    if (info.border == ConvBorder::Given) {
        info.before = numbers(from, "before", 0, axes);
        info.after = numbers(from, "after", 0, axes);
    }
    for (auto [key, hint] : {std::pair{"image", &info.image}, std::pair{"kernels", &info.kernels}})
        if (from.has(key)) *hint = numbers(from, key, kUnknownDim, axes + 2);
    return info;
}

// Its name, or the zeros before and after each axis: (1, 2), ((0, 1), 2).
void writeBorder(const Convolution &op, JsonWriter &out)
{
    const ConvInfo &info = op.info();
    if (info.border != ConvBorder::Given) return out.value(kBorders[indexOf(info.border)]);
    out.beginArray();
    for (std::size_t i = 0; i < info.before.size(); ++i) {
        if (info.before[i] == info.after[i]) out.value(info.before[i]);
        else detail::writeValue(out, std::array{info.before[i], info.after[i]});
    }
    out.endArray();
}

// Those of the abstract ones and of the products: Theano has no others of its own.
std::vector<std::string_view> theanoClasses()
{
    std::vector<std::string_view> names;
    for (const auto &ofAxes : kClasses)
        for (const ConvMethod method : {ConvMethod::Abstract, ConvMethod::Gemm})
            names.insert(names.end(), std::begin(ofAxes[indexOf(method)]), std::end(ofAxes[indexOf(method)]));
    return names;
}

} // namespace

OP_CARD(
    Convolution, Convolution,
    [](const Op &op) {
        const std::size_t count = static_cast<const Convolution &>(op).pass() == ConvPass::Forward ? 2 : 3;
        return Arity{count, count};
    },
    WholeOp{[](const Convolution &op, JsonWriter &out) {
                const ConvInfo &info = op.info();
                out.member("pass", kPasses[indexOf(info.pass)]);
                out.member("method", kMethods[indexOf(info.method)]);
                out.member("border", kBorders[indexOf(info.border)]);
                out.member("flip", info.flip);
                out.member("groups", info.groups);
                writeNumbers(out, "stride", info.stride);
                writeNumbers(out, "dilation", info.dilation);
                if (info.border == ConvBorder::Given) {
                    writeNumbers(out, "before", info.before);
                    writeNumbers(out, "after", info.after);
                }
                if (!info.image.empty()) writeNumbers(out, "image", info.image);
                if (!info.kernels.empty()) writeNumbers(out, "kernels", info.kernels);
            },
            [](const OpParameters &from) -> OpRef { return makeOp<Convolution>(readInfo(from)); }})
    .classes(theanoClasses())
    .shown("border_mode", writeBorder)
    .shown("filter_flip", [](const Convolution &op) { return op.info().flip; })
    .shown("subsample", [](const Convolution &op) { return op.info().stride; })
    .shown("filter_dilation", [](const Convolution &op) { return op.info().dilation; })
    .shown("num_groups", [](const Convolution &op) { return op.info().groups; });

namespace {

/// border: "valid", "full", "half" or a number; stride and dilation: a number for all axes.
NotationBuilder convolution(std::size_t axes, ConvPass pass)
{
    return [axes, pass](NotationCall &call) -> NotationValue {
        const VarRef first = call.variable(pass == ConvPass::Inputs ? "kernels" : "image");
        const VarRef second = call.variable(pass == ConvPass::Forward ? "kernels" : "grad");
        const VarRef sizes = pass == ConvPass::Forward ? VarRef() : call.variable("sizes");
        const auto oneOf = [&](const char *name, std::span<const char *const> names, const NotationValue &given) {
            const auto found = std::find(names.begin(), names.end(), given.text);
            if (given.kind == NotationValue::Kind::Text && found != names.end()) return static_cast<std::size_t>(found - names.begin());
            std::string all;
            for (const char *one : names) all += (all.empty() ? "'" : ", '") + std::string(one) + "'";
            call.failAt(given, std::string(name) + " is one of " + all + ", not " + given.describe());
        };
        ConvInfo info;
        info.pass = pass;
        const NotationValue border = call.value("border", NotationValue::ofText("valid"));
        if (border.kind == NotationValue::Kind::Integer) {
            info.border = ConvBorder::Given;
            info.before.assign(axes, border.integer);
            info.after = info.before;
        } else {
            info.border = static_cast<ConvBorder>(oneOf("border", std::span(kBorders).first(3), border));
        }
        info.stride.assign(axes, call.integer("stride", 1));
        info.dilation.assign(axes, call.integer("dilation", 1));
        info.flip = call.flag("flip", true);
        info.groups = call.integer("groups", 1);
        info.method = static_cast<ConvMethod>(oneOf("method", kMethods, call.value("method", NotationValue::ofText("abstract"))));
        return convolve(info, first, second, sizes);
    };
}

} // namespace

NOTATION("conv2d(image, kernels, border='valid', stride=1, dilation=1, flip=True, groups=1, method='abstract')",
         convolution(2, ConvPass::Forward));
NOTATION("conv2d_grad_kernels(image, grad, sizes, …)", convolution(2, ConvPass::Weights));
NOTATION("conv2d_grad_image(kernels, grad, sizes, …)", convolution(2, ConvPass::Inputs));
NOTATION("conv3d(image, kernels, border='valid', stride=1, dilation=1, flip=True, groups=1, method='abstract')",
         convolution(3, ConvPass::Forward));
NOTATION("conv3d_grad_kernels(image, grad, sizes, …)", convolution(3, ConvPass::Weights));
NOTATION("conv3d_grad_image(kernels, grad, sizes, …)", convolution(3, ConvPass::Inputs));

} // namespace engine
