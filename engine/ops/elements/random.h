// Random numbers: draws that take a state and give the next one, and samples that are made of uniform numbers.
#pragma once

#include "engine/graph/op/op_class.h"

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace engine {

/// Uniform numbers in ]0, 1[ from streams of MRG31k3p that take turns. Inputs: the states, a row of six int32 a stream, and the sizes of
/// the sample. Outputs: the states after it, the sample.
class MrgUniform final : public Op {
public:
    /// `pattern`: which sizes are known to be 1.
    MrgUniform(DType dtype, std::vector<bool> pattern, bool inplace) : m_dtype(dtype), m_pattern(std::move(pattern)), m_inplace(inplace) {}
    DType dtype() const { return m_dtype; }
    const std::vector<bool> &pattern() const { return m_pattern; }
    bool inplace() const { return m_inplace; }
    OP_NAME("mrg_uniform", "theano.sandbox.rng_mrg");
    OP_RULES(outputTypes, inferShape, overwritesFirst, gradient, cost, perform, exactName, identity, prepare, onDevices, readsInputOnHost,
             whyNotOnDevice, deviceName, deviceClass);
    /// Throws for sizes and states that do not go together; how many samples that is.
    std::int64_t samplesOf(const Dims &states, const Dims &sizes) const;

private:
    DType m_dtype;
    std::vector<bool> m_pattern;
    bool m_inplace;
};

/// How often each outcome comes up in n trials, or (Choice) which n outcomes come up, one row a distribution. Inputs: a distribution a row,
/// uniform numbers (those of the first trials come first), n.
class FromUniform final : public Op {
public:
    enum class Kind : std::uint8_t { Multinomial, Choice };
    static constexpr std::array kNames{"MultinomialFromUniform", "ChoiceFromUniform"};
    /// `dtype`: of the result; none: that of the distributions (Choice: int64). Choice: an outcome comes up once unless `replace`.
    FromUniform(Kind kind, std::optional<DType> dtype, bool replace = false) : m_kind(kind), m_dtype(dtype), m_replace(replace) {}
    Kind kind() const { return m_kind; }
    std::optional<DType> dtype() const { return m_dtype; }
    bool replace() const { return m_replace; }
    std::string_view className() const override { return kNames[static_cast<std::size_t>(m_kind)]; }
    std::string_view moduleName() const override { return "theano.sandbox.multinomial"; }
    OP_RULES(outputTypes, inferShape, sizeRules, gradient, cost, perform, exactName, identity);

private:
    Kind m_kind;
    std::optional<DType> m_dtype;
    bool m_replace;
};

/// A draw from a generator of the host language, by the name of its distribution. Inputs: the generator, the sizes (an empty vector: those
/// of the arguments), arguments. Outputs: the generator after it, the sample, which has `addedAxes` more axes than there are sizes.
class RandomFunction final : public Op {
public:
    RandomFunction(std::string distribution, DType dtype, std::vector<bool> pattern, bool inplace, int addedAxes)
        : m_distribution(std::move(distribution)), m_dtype(dtype), m_pattern(std::move(pattern)), m_inplace(inplace), m_addedAxes(addedAxes)
    {}
    const std::string &distribution() const { return m_distribution; }
    DType dtype() const { return m_dtype; }
    const std::vector<bool> &pattern() const { return m_pattern; }
    bool inplace() const { return m_inplace; }
    int addedAxes() const { return m_addedAxes; }
    OP_NAME("RandomFunction", "theano.tensor.raw_random");
    OP_RULES(outputTypes, inferShape, overwritesFirst, notFolded, gradient, exactName, identity);
    bool worksOnValues() const override { return true; }
    bool isCompiled() const override { return false; }
    void performValues(std::span<const Value> inputs, std::span<Value> outputs) const override;

private:
    std::string m_distribution;
    DType m_dtype;
    std::vector<bool> m_pattern;
    bool m_inplace;
    int m_addedAxes;
};

/// What draws for RandomFunction; whoever has generators sets it.
using RandomDraw = std::function<void(const RandomFunction &op, std::span<const Value> inputs, std::span<Value> outputs)>;
void setRandomDraw(RandomDraw draw);

/// Both outputs: the states after it, the sample.
std::vector<VarRef> mrgUniform(const VarRef &states, const VarRef &size, std::vector<bool> pattern, DType dtype);
std::vector<VarRef> randomFunction(std::span<const VarRef> inputs, std::string distribution, DType dtype, std::vector<bool> pattern,
                                   bool inplace, int addedAxes);
/// `count` states: the given one, and what each is 2^72 samples later.
Tensor mrgSubstreams(std::span<const std::int64_t> state, std::int64_t count);
/// The state 2^134 samples later: where the next streams begin.
std::vector<std::int64_t> mrgNextStream(std::span<const std::int64_t> state);
VarRef multinomialFromUniform(const VarRef &distributions, const VarRef &uniform, const VarRef &n, std::optional<DType> dtype);
VarRef choiceFromUniform(const VarRef &distributions, const VarRef &uniform, const VarRef &n, std::optional<DType> dtype, bool replace);

} // namespace engine
