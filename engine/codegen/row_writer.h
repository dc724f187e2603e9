// What kernels for rows that lie (row_kernel.cpp) and for rows that stand (column_kernel.cpp) have in common: their stages, and what a
// stage does to some elements side by side.
#pragma once

#include "engine/codegen/row_kernel.h"
#include "engine/codegen/row_stages.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace engine::rowkernel {

std::string numbered(const char *letter, std::size_t number);

class Writer {
public:
    /// `lanes` elements are worked on side by side.
    Writer(const RowProgram &program, int lanes) : m_program(program), m_lanes(lanes), m_width(std::to_string(lanes)) {}
    virtual ~Writer() = default;

    std::optional<RowKernelText> write();

protected:
    /// How a loop is done in parts: `partOf[n]` is the part that makes node n.
    struct Loop {
        int stage;
        std::vector<std::uint32_t> made;
        std::vector<std::uint32_t> combined; // of what is made or read
        std::vector<int> partOf;             // by node, -1: not made here
        std::vector<bool> isCarried;         // by node: from one part to a later one
        std::vector<std::uint32_t> fetched;  // read for exponentials
        int parts = 1;
    };

    virtual std::string sizes() const = 0; ///< declared for all rows
    virtual std::string bufferElements() const = 0;
    virtual void buffersFor(std::uint32_t callOverRow) = 0;
    virtual void literals() = 0; ///< those that primitives want in memory
    virtual void passes() = 0;   ///< loops over rows
    void pass();                 ///< what is in such a loop
    virtual void operands() = 0;
    virtual void number(std::uint32_t id) = 0;
    virtual void callOverRow(std::uint32_t id) = 0;
    virtual void beginCombined(std::uint32_t id) = 0;
    virtual void endCombined(std::uint32_t id) = 0;
    virtual void elements(const Loop &loop) = 0;
    virtual void result(std::size_t output) = 0; ///< a number
    virtual std::string nameOfNumber(std::uint32_t id) const = 0;
    virtual const char *placeOfLane() const = 0;
    virtual std::string inputAt(std::uint32_t id, int stage, bool isRest);
    virtual std::string keptRow(std::uint32_t id) const { return numbered("t", id); }
    virtual std::string combinedOf(const Node &combined, const std::string &target, const std::string &element) const = 0;
    /// Is there odd‹id› beside the lanes, and none‹id›, which changes nothing?
    virtual bool marksOddOnes(const Node &) const { return false; }

    void line(int depth, const std::string &text) { m_out += std::string(static_cast<std::size_t>(depth) * 4, ' ') + text + "\n"; }
    const Node &node(std::uint32_t id) const { return m_stages.node(id); }
    std::string typeOf(std::uint32_t id) const;      ///< in memory
    std::string valueTypeOf(std::uint32_t id) const; ///< of an element in a loop
    std::string textOf(std::uint32_t id) const;
    std::string expressionOf(std::uint32_t id) const;
    void buffer(const std::string &name, const std::string &type);
    std::string call(const ScalarProgram::Step &step) { return lookedUp(reinterpret_cast<void (*)()>(step.loop)); }
    std::string lookedUp(void (*function)());
    static std::string nameOf(const ScalarProgram::Step &step);
    static std::string startOf(const Node &combined);
    /// All loops that do something, in their order.
    const std::vector<Loop> &loops() const { return m_loops; }
    bool reads(const Loop &loop, std::uint32_t id) const;
    bool writes(const Loop &loop, const RowProgram::Output &output) const { return output.isRow && m_stages.stageOf(output) == loop.stage; }
    /// Memory of so many elements is brought near.
    void fetch(const std::string &from, DType dtype, bool isWritten);
    /// Whole lanes, or those that are left over behind them.
    void lanesOf(const Loop &loop, bool isRest);

    const RowProgram &m_program;
    Stages m_stages;
    const int m_lanes;
    const std::string m_width;

private:
    void numbersAfter(int loops);
    void callsAfter(int stage);
    void plan();
    Loop planned(int stage) const;
    std::string bodyOf(const Loop &loop, int part, bool isRest);

    std::string m_out;
    std::vector<Loop> m_loops;
    std::vector<RtLoop> m_math;
    int m_buffers = 0;
    std::size_t m_bufferBytes = 0; // an element
};

} // namespace engine::rowkernel
