// The steps of a row kernel and when each is done: what row_kernel.cpp writes down.
#pragma once

#include "engine/codegen/row_kernel.h"

#include <cstdint>
#include <string>
#include <vector>

namespace engine::rowkernel {

struct Node {
    enum class Kind : std::uint8_t { Input, Literal, Step, Combined, Picked, Replaced, Largest };
    Kind kind = Kind::Step;
    RtKind type = RT_F64;
    bool isRow = false;
    std::vector<std::uint32_t> arguments;
    std::size_t operand = 0;                   // Input
    ScalarProgram::Literal literal{};          // Literal
    const ScalarProgram *program = nullptr;    // Step
    const ScalarProgram::Step *step = nullptr; // Step
    RowPart::Combine combine;                  // Combined
    bool isCall = false;                       // of a primitive, for the whole row
    bool isPower = false;                      // exp of float32: some elements of a loop at a time
    bool isWideLog = false;                    // log of float64 of a number: a call for one takes as long as some vectors do
    bool isExpensive = false;                  // better kept than done again
    bool isKept = false;                       // in a buffer of its own
    bool isNeeded = false;                     // for what comes out
    int stage = 0;  // of a row: the loop that makes it, or from which on a call has made it; of a number: the loops that come before
    int weight = 0; // steps from what is read
};

class Stages {
public:
    /// False: there is a step that kernels cannot do.
    bool build(const RowProgram &program);

    const std::vector<Node> &nodes() const { return m_nodes; }
    const Node &node(std::uint32_t id) const { return m_nodes[id]; }
    int count() const { return m_count; }
    std::uint32_t ofValue(int value) const { return m_nodeOf[static_cast<std::size_t>(value)]; }
    /// The loop that writes an output.
    int stageOf(const RowProgram::Output &output) const;
    /// Can it be read from memory in the loop of that stage?
    bool isThere(std::uint32_t id, int stage) const;
    /// What the loop of a stage makes, arguments first.
    std::vector<std::uint32_t> madeIn(int stage, const RowProgram &program) const;
    bool isDirect(std::uint32_t id, const RowProgram &program) const; ///< a row of memory as its registers are

private:
    bool addPart(const RowPart &part);
    bool addAtPlace(const RowPart &part);
    bool keepFor(std::uint32_t row, Node &reader);
    void chooseNeeded(const RowProgram &program);
    std::uint32_t add(Node node);
    std::uint32_t addStep(const ScalarProgram &program, const ScalarProgram::Step &step, std::vector<std::uint32_t> arguments);
    void chooseKept(const RowProgram &program);

    std::vector<Node> m_nodes;
    std::vector<std::uint32_t> m_nodeOf; // by value
    int m_count = 0;
    bool m_areColumns = false, m_areInPieces = false;
};

} // namespace engine::rowkernel
