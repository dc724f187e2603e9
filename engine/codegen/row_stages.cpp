#include "engine/codegen/row_stages.h"

#include "engine/codegen/step_text.h"
#include "engine/scalar/registers.h"

#include <algorithm>

namespace engine::rowkernel {
namespace {

using Step = ScalarProgram::Step;
using Block = ScalarProgram::Block;

constexpr std::uint32_t kNobody = 0xFFFFFFFFu;
constexpr std::size_t kMostNodes = 600; // compilers take long
constexpr int kHeaviest = 4;            // steps that are done again rather than kept for a later loop

bool isDivision(const Step &step) { return step.form == ScalarProgram::Form::Op && (step.op == RT_TRUE_DIV || step.op == RT_SQRT); }

} // namespace

std::uint32_t Stages::add(Node node)
{
    m_nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(m_nodes.size() - 1);
}

std::uint32_t Stages::addStep(const ScalarProgram &program, const Step &step, std::vector<std::uint32_t> arguments)
{
    Node node;
    node.type = program.blocks()[step.output].type;
    node.program = &program;
    node.step = &step;
    const std::vector<std::string> names(arguments.size(), "x");
    const bool hasText = stepText(program, step, names, [](std::uint32_t) { return false; }).has_value();
    for (std::uint32_t argument : arguments) {
        const Node &from = m_nodes[argument];
        node.isRow |= from.isRow;
        node.stage = std::max(node.stage, from.stage);
        node.weight += from.weight;
    }
    ++node.weight;
    if (node.isRow) {
        node.isPower = step.form == ScalarProgram::Form::Op && step.op == RT_EXP && step.kind == RT_F32;
        node.isExpensive = node.isPower || isWrittenOut(step) || isDivision(step);
    }
    node.isWideLog = !node.isRow && step.form == ScalarProgram::Form::Op && step.op == RT_LOG && step.kind == RT_F64;
    node.isCall = !hasText && !node.isPower && !node.isWideLog;
    if (node.isCall && node.isRow) {
        node.isKept = true;
        for (std::uint32_t argument : arguments)
            if (m_nodes[argument].kind != Node::Kind::Input && m_nodes[argument].isRow) m_nodes[argument].isKept = true;
        ++node.stage;
    }
    node.arguments = std::move(arguments);
    return add(std::move(node));
}

// What looks at single elements of a row finds them in memory: as they came in, or from the loop on that has made them.
bool Stages::keepFor(std::uint32_t row, Node &reader)
{
    Node &from = m_nodes[row];
    if (!from.isRow || (from.kind != Node::Kind::Input && from.kind != Node::Kind::Step)) return false;
    if (from.kind == Node::Kind::Input) return true;
    from.isKept = true;
    reader.stage = std::max(reader.stage, from.stage + (from.isCall ? 0 : 1));
    return true;
}

bool Stages::addAtPlace(const RowPart &part)
{
    using AtPlace = RowPart::AtPlace;
    if (m_areColumns || m_areInPieces) return false;
    Node node;
    for (int input : part.inputs) node.arguments.push_back(m_nodeOf[static_cast<std::size_t>(input)]);
    if (std::find(node.arguments.begin(), node.arguments.end(), kNobody) != node.arguments.end()) return false;
    const std::uint32_t row = node.arguments[0];
    node.type = part.atPlace == AtPlace::Largest ? RT_INT : m_nodes[row].type;
    if (part.atPlace != AtPlace::Largest) {
        const Node &place = m_nodes[node.arguments.back()];
        if (place.kind != Node::Kind::Input || place.isRow || place.type != RT_INT) return false;
    }
    switch (part.atPlace) {
    case AtPlace::Picked:
        node.kind = Node::Kind::Picked;
        if (!keepFor(row, node)) return false;
        break;
    case AtPlace::Largest:
        node.kind = Node::Kind::Largest;
        if (m_nodes[row].kind != Node::Kind::Step || (m_nodes[row].type != RT_F32 && m_nodes[row].type != RT_F64)) return false;
        if (!keepFor(row, node)) return false;
        break;
    default:
        node.kind = Node::Kind::Replaced;
        node.isRow = true;
        for (std::uint32_t argument : node.arguments) {
            node.stage = std::max(node.stage, m_nodes[argument].stage);
            node.weight += m_nodes[argument].weight;
        }
        ++node.weight;
        if (m_nodes[node.arguments[1]].type != node.type) return false;
    }
    m_nodeOf[static_cast<std::size_t>(part.outputs[0])] = add(std::move(node));
    return true;
}

bool Stages::addPart(const RowPart &part)
{
    if (part.atPlace != RowPart::AtPlace::Nothing) return addAtPlace(part);
    std::vector<std::uint32_t> results;
    if (part.program) {
        const auto blocks = part.program->blocks();
        std::vector<std::uint32_t> nodeOf(blocks.size(), kNobody);
        for (std::uint32_t b = 0; b < blocks.size(); ++b) {
            if (blocks[b].type == RT_COMPLEX) return false;
            if (blocks[b].kind == Block::Kind::Input) {
                nodeOf[b] = m_nodeOf[static_cast<std::size_t>(part.inputs[blocks[b].index])];
                if (nodeOf[b] == kNobody || m_nodes[nodeOf[b]].type != blocks[b].type) return false;
            } else if (blocks[b].kind == Block::Kind::Literal) {
                Node node;
                node.kind = Node::Kind::Literal;
                node.type = blocks[b].type;
                node.literal = part.program->literals()[blocks[b].index];
                nodeOf[b] = add(std::move(node));
            }
        }
        for (const Step &step : part.program->steps()) {
            std::vector<std::uint32_t> arguments;
            for (int i = 0; i < step.inputCount; ++i) arguments.push_back(nodeOf[step.inputs[i]]);
            nodeOf[step.output] = addStep(*part.program, step, std::move(arguments));
        }
        for (std::uint32_t output : part.program->outputs()) results.push_back(nodeOf[output]);
    } else {
        results.push_back(m_nodeOf[static_cast<std::size_t>(part.inputs[0])]);
    }
    if (std::find(results.begin(), results.end(), kNobody) != results.end()) return false;
    if (part.combine) {
        const RowPart::Combine &combine = *part.combine;
        const Node &element = m_nodes[results[0]];
        const RtKind result = registerKind(combine.result);
        const bool isSum = combine.reduce == RT_SUM || combine.reduce == RT_PROD;
        const bool isExtreme = combine.reduce == RT_MAX || combine.reduce == RT_MIN;
        const bool isFloat = combine.accumulator == RT_F32 || combine.accumulator == RT_F64;
        if (!element.isRow || !isFloat || !(isSum || (isExtreme && !m_areInPieces))) return false;
        if (element.type != combine.accumulator && !(isSum && element.type == RT_F32 && combine.accumulator == RT_F64)) return false;
        if (!isNativeRegister(combine.result) || (result != combine.accumulator && !(combine.accumulator == RT_F64 && result == RT_F32)))
            return false;
        Node node;
        node.kind = Node::Kind::Combined;
        node.type = result;
        node.combine = combine;
        node.arguments = {results[0]};
        node.stage = element.stage + 1;
        // Where their order matters, elements of rows are looked at again.
        if (isExtreme && !m_areColumns && element.kind != Node::Kind::Input) m_nodes[results[0]].isKept = true;
        results = {add(std::move(node))};
    }
    for (std::size_t o = 0; o < results.size(); ++o) m_nodeOf[static_cast<std::size_t>(part.outputs[o])] = results[o];
    return true;
}

bool Stages::build(const RowProgram &program)
{
    m_areColumns = program.areColumns;
    m_areInPieces = program.areInPieces;
    m_nodeOf.assign(static_cast<std::size_t>(program.values), kNobody);
    for (std::size_t i = 0; i < program.inputs.size(); ++i) {
        Node node;
        node.kind = Node::Kind::Input;
        node.type = registerKind(program.inputs[i].dtype);
        node.isRow = program.inputs[i].isRow;
        node.operand = i;
        node.isKept = program.inputs[i].isCopied;
        if (!isKernelMemory(program.inputs[i].dtype)) return false;
        m_nodeOf[static_cast<std::size_t>(program.inputs[i].value)] = add(std::move(node));
    }
    for (const RowPart &part : program.parts)
        if (!addPart(part) || m_nodes.size() > kMostNodes) return false;
    for (const RowProgram::Output &output : program.outputs) {
        const std::uint32_t id = ofValue(output.value);
        if (id == kNobody || !isKernelMemory(output.dtype)) return false;
        if ((m_nodes[id].isRow && !output.isRow) || registerKind(output.dtype) != m_nodes[id].type) return false;
        if (output.isRow) m_count = std::max(m_count, m_nodes[id].stage + 1); // a number that fills the row, too
    }
    for (const Node &node : m_nodes)
        for (std::uint32_t argument : node.arguments)
            if (node.isCall && node.isRow && m_nodes[argument].isRow && !m_nodes[argument].isKept && !isDirect(argument, program))
                return false;
    for (const Node &node : m_nodes) m_count = std::max(m_count, node.isRow ? node.stage + 1 : node.stage);
    chooseNeeded(program);
    chooseKept(program);
    return true;
}

void Stages::chooseNeeded(const RowProgram &program)
{
    for (const RowProgram::Output &output : program.outputs) m_nodes[ofValue(output.value)].isNeeded = true;
    for (std::size_t n = m_nodes.size(); n-- > 0;)
        if (m_nodes[n].isNeeded)
            for (std::uint32_t argument : m_nodes[n].arguments) m_nodes[argument].isNeeded = true;
}

int Stages::stageOf(const RowProgram::Output &output) const { return output.isLate ? m_count - 1 : node(ofValue(output.value)).stage; }

// From the last step to the first: what is done again in a later loop, and whatever that needs, is needed there.
void Stages::chooseKept(const RowProgram &program)
{
    std::vector<int> last(m_nodes.size(), -1);
    for (const RowProgram::Output &output : program.outputs) {
        const std::uint32_t id = ofValue(output.value);
        last[id] = std::max(last[id], stageOf(output));
    }
    for (std::size_t n = m_nodes.size(); n-- > 0;) {
        Node &node = m_nodes[n];
        if (node.kind == Node::Kind::Combined) {
            last[node.arguments[0]] = std::max(last[node.arguments[0]], node.stage - 1);
            continue;
        }
        if (!node.isRow || (node.kind != Node::Kind::Step && node.kind != Node::Kind::Replaced)) continue;
        if (last[n] > node.stage && (node.isExpensive || node.weight > kHeaviest)) node.isKept = true;
        const int needed = node.isCall ? node.stage - 1 : node.isKept ? node.stage : std::max(last[n], node.stage);
        for (std::uint32_t argument : node.arguments) last[argument] = std::max(last[argument], needed);
    }
}

bool Stages::isThere(std::uint32_t id, int stage) const
{
    const Node &node = m_nodes[id];
    return node.kind == Node::Kind::Input || (node.isKept && (node.isCall || node.stage < stage));
}

bool Stages::isDirect(std::uint32_t id, const RowProgram &program) const
{
    const Node &node = m_nodes[id];
    return node.kind == Node::Kind::Input && !program.inputs[node.operand].isSame && isNativeRegister(program.inputs[node.operand].dtype);
}

std::vector<std::uint32_t> Stages::madeIn(int stage, const RowProgram &program) const
{
    std::vector<bool> isMade(m_nodes.size(), false);
    const auto want = [&](std::uint32_t id) { isMade[id] = isMade[id] || (m_nodes[id].isRow && !isThere(id, stage)); };
    for (const RowProgram::Output &output : program.outputs)
        if (output.isRow && stageOf(output) == stage) want(ofValue(output.value));
    for (std::uint32_t n = 0; n < m_nodes.size(); ++n) {
        const Node &node = m_nodes[n];
        if (!node.isNeeded) continue;
        if (node.kind == Node::Kind::Combined && node.stage == stage + 1) want(node.arguments[0]);
        if (node.isRow && node.isKept && !node.isCall && node.stage == stage) want(n);
    }
    for (std::size_t n = m_nodes.size(); n-- > 0;)
        if (isMade[n])
            for (std::uint32_t argument : m_nodes[n].arguments) want(argument);
    std::vector<std::uint32_t> made;
    for (std::uint32_t n = 0; n < m_nodes.size(); ++n)
        if (isMade[n]) made.push_back(n);
    return made;
}

} // namespace engine::rowkernel
