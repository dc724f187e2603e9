// Compiles the shape rules of applies, one apply after the other, into a shape program.
#pragma once

#include "engine/runtime/sizes/shape_program.h"

#include <tuple>
#include <utility>

namespace engine {

class ShapeCompiler final : public ShapeBuilder {
public:
    explicit ShapeCompiler(const FunctionGraph &graph) : m_graph(graph) {}

    /// An array that is there before the program runs: its sizes are looked up, and its value where it is an integer that
    /// matters. Again: nothing.
    void addInput(VarId var);
    /// What the apply reads is an input, a constant, or an output of an apply that was added. False: the sizes of its outputs
    /// do not follow from all that, or not everything is an array; it is left out.
    bool add(ApplyId apply);
    /// Are the sizes of an array known by now?
    bool knows(VarId var) const { return m_program.m_shapes.contains(raw(var)); }
    /// What has to hold for an apply that was added.
    std::vector<SizeRule> rulesOf(ApplyId apply);
    /// Does a symbol depend on values of inputs, not only on their sizes?
    bool readsValues(Sym symbol) const { return m_fromValues[symbol]; }
    /// The program of everything that was added. Its inputs are these, all else that addInput() was told is forgotten.
    ShapeProgram finish(std::span<const VarId> inputs);

    Sym constant(std::int64_t value) override;
    Sym dim(int input, int axis) override;
    std::optional<Sym> value(int input, int element) override { return valueOf(inputVar(input), element); }
    int inputCount() const override { return static_cast<int>(m_graph.apply(m_apply).inputs.size()); }
    int inputRank(int input) const override { return m_graph.var(inputVar(input)).type.rank(); }
    bool inputBroadcastable(int input, int axis) const override { return m_graph.var(inputVar(input)).type.isBroadcastable(axis); }
    std::optional<std::int64_t> known(Sym symbol) const override;
    Sym add(Sym a, Sym b) override { return emit(Code::Add, a, b); }
    Sym sub(Sym a, Sym b) override { return emit(Code::Sub, a, b); }
    Sym mul(Sym a, Sym b) override { return emit(Code::Mul, a, b); }
    Sym floorDiv(Sym a, Sym b) override { return emit(Code::FloorDiv, a, b); }
    Sym mod(Sym a, Sym b) override { return emit(Code::Mod, a, b); }
    Sym min(Sym a, Sym b) override { return emit(Code::Min, a, b); }
    Sym max(Sym a, Sym b) override { return emit(Code::Max, a, b); }
    Sym less(Sym a, Sym b) override { return emit(Code::Less, a, b); }
    Sym select(Sym condition, Sym a, Sym b) override { return emit(Code::Select, condition, a, b); }

private:
    using Code = ShapeProgram::Code;
    static constexpr int kMaxDepth = 400; // chains of integer scalars longer than this are computed at run time

    VarId inputVar(int input) const { return m_graph.inputOf(m_apply, static_cast<std::size_t>(input)); }
    void needConstant(VarId var);
    Sym fresh(std::int64_t value);
    Sym emit(Code code, Sym a, Sym b, Sym c = Sym{0});
    std::optional<Sym> valueOf(VarId var, int element);

    const FunctionGraph &m_graph;
    ShapeProgram m_program;
    ApplyId m_apply = kNoApply;
    int m_depth = 0;
    Indexed<Sym, bool> m_known, m_fromValues;
    std::unordered_map<std::int64_t, Sym> m_constants;
    std::unordered_map<std::uint32_t, std::uint32_t> m_inputIndex;
    std::unordered_map<std::uint64_t, std::optional<Sym>> m_values;
    std::vector<std::pair<std::tuple<Code, Sym, Sym, Sym>, Sym>> m_recent;
    std::size_t m_next = 0;
};

} // namespace engine
