// Writes the steps of a loop over small arrays as one kernel. Arrays of few elements become variables of C, which stay in registers from
// step to step; others lie in memory of the kernel's own, or where they are read and written from step to step.
#pragma once

#include "engine/codegen/kernel.h"
#include "engine/graph/op/op.h"
#include "engine/scalar/scalar_program.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace engine {

/// An array of a step. Views and what is overwritten share the memory of another one, their root.
struct LoopArray {
    enum class Kind : std::uint8_t {
        Input,    ///< given to the loop: the same in each step, or a row of an array
        Constant, ///< in memory that never moves
        Local,    ///< made in a step
    };
    Kind kind = Kind::Local; ///< of a root
    DType dtype = DType::Float64;
    Dims shape, strides;     ///< bytes
    std::size_t root = 0;    ///< which array's memory it is
    std::int64_t offset = 0; ///< bytes from the first element of the root
    const void *constant = nullptr;
};

/// How the steps of a loop hang together.
struct LoopTies {
    std::size_t moving = 0; ///< the first inputs of a step are rows of arrays, which move on
    /// By moving input: what it is in the next step, a result or an input of this step. -1: what its memory holds by then.
    struct Carried {
        int result = -1, input = -1;
    };
    std::vector<Carried> carried;
    std::vector<bool> isSequence;      ///< by moving input: only read
    std::size_t results = 0;           ///< that go to rows of arrays
    std::vector<bool> isReadMeanwhile; ///< by result: its row may be one that the step reads
    bool endsEarly = false;            ///< the last result says so
};

/// What a kernel of a loop is called with: the addresses of the inputs of a step, those of the arrays of results, then numbers: steps done
/// (written; negative: a condition ended the loop), and of each moving input and each result the bytes from row to row, the row to begin
/// with, and how many there are. Then the places of arrays that applies which run by themselves look up, and these applies.
struct LoopText {
    KernelText text;
    std::vector<std::size_t> called; ///< positions of the applies that run by themselves
};

class LoopWriter {
public:
    struct Applied {
        const Op *op = nullptr;
        std::vector<std::size_t> inputs, outputs; ///< arrays
        bool isIdle = false;                      ///< a view: nothing to do
    };
    LoopWriter(std::vector<LoopArray> arrays, std::vector<std::size_t> inputs, std::vector<std::size_t> outputs, const LoopTies &ties);

    /// Nothing if a kernel would be too long, or none of the applies can be written.
    /// `call` runs an apply by itself: of the places of arrays, and what the kernel is given for that apply.
    std::optional<LoopText> write(std::span<const Applied> applies, RtLoop call);

    // What ops write, of the apply at hand. False: they cannot.
    const LoopArray &input(std::size_t i) const { return m_arrays[m_applied->inputs[i]]; }
    const LoopArray &output(std::size_t o) const { return m_arrays[m_applied->outputs[o]]; }
    std::size_t inputCount() const { return m_applied->inputs.size(); }
    std::size_t outputCount() const { return m_applied->outputs.size(); }
    /// The integer that input i holds; nothing: it is known only when it runs.
    std::optional<std::int64_t> integer(std::size_t i) const;
    /// Each element of the outputs from those of the inputs, which stretch.
    bool writeElements(const ScalarProgram &program);
    /// The elements (of a program; null: of the input) combined over some axes.
    bool writeFold(const ScalarProgram *program, RtReduce reduce, std::span<const int> axes, RtKind accumulator);
    /// Some inputs of the apply; -1: there is none.
    struct Product {
        int a = 0, b = 1, z = -1, alpha = -1, beta = -1;
        bool isOuter = false; ///< of two vectors
    };
    bool writeProduct(const Product &product);
    /// Some elements of an array of the apply: in elements of it, from its first one on.
    struct Part {
        std::size_t array = 0;
        std::int64_t offset = 0;
        Dims steps;
    };
    Part all(std::size_t array) const;
    std::size_t inputArray(std::size_t i) const { return m_applied->inputs[i]; }
    std::size_t outputArray(std::size_t o) const { return m_applied->outputs[o]; }
    bool writeCopy(const Part &to, const Part &from, const Dims &shape, bool adds = false);
    bool writeZeros(std::size_t array);
    /// Integers that are known, into the first output.
    bool writeIntegers(std::span<const std::int64_t> values);

private:
    struct Index { ///< of an element: a number, or a text with the variables of loops
        std::int64_t number = 0;
        std::string text;
    };
    using Texts = std::vector<std::string>;
    bool isScalars(std::size_t root) const { return m_isScalars[root]; }
    std::int64_t itemSize(std::size_t array) const;
    Dims stepsOf(std::size_t array) const;
    std::vector<std::int64_t> offsetsOf(std::size_t array) const;
    std::string name(std::size_t root, std::int64_t element) const;
    std::string load(std::size_t array, std::int64_t element);
    std::string load(std::size_t array, const std::string &element);
    void store(std::size_t array, std::int64_t element, const std::string &value);
    std::string constantText(std::size_t root, std::int64_t element) const;
    std::string memoryOf(std::size_t array);
    std::string fresh(const char *prefix) { return prefix + std::to_string(m_names++); }
    void line(const std::string &text);
    std::size_t mathOf(RtLoop loop);

    bool chooseForms(std::span<const Applied> applies, std::span<const bool> isCalled);
    bool writeApply(const Applied &applied);
    void writeCall(const Applied &applied, std::size_t number);
    void writeBegin();
    void writeRows();
    void writeEnd();
    void writeResult(std::size_t result);
    std::string rowPointer(std::size_t result) const { return "q" + std::to_string(result); }
    bool isDirect(std::size_t result) const;
    bool isCarried(std::size_t input) const;

    bool writeUnrolled(const ScalarProgram &program, const Dims &shape, std::vector<Texts> &values);
    bool writeLoops(const ScalarProgram &program, const Dims &shape, std::span<const std::string> targets);
    std::string loopsOver(const Dims &shape, int &depth);
    bool isShort(const ScalarProgram &program, std::uint32_t block) const;
    Dims broadcastShape() const;
    std::string callText(const ScalarProgram::Step &step, const std::string &out, const Texts &in, const std::string &count);
    void foldTexts(const Texts &elements, RtReduce reduce, RtKind accumulator, RtKind element, std::string &result);
    std::string foldMemory(const std::string &array, std::int64_t count, RtReduce reduce, RtKind accumulator, RtKind element);
    bool writeMatrixVector(const Product &product);
    std::string multiplyAdd(DType dtype, const std::string &a, const std::string &b, const std::string &sum) const;

    std::vector<LoopArray> m_arrays;
    std::vector<std::size_t> m_inputs, m_outputs;
    LoopTies m_ties;
    std::vector<bool> m_isScalars;                     // by array: a root whose elements are variables
    std::vector<std::vector<std::int64_t>> m_elements; // by array: of such a root
    std::vector<bool> m_isUsed;
    std::vector<int> m_directResult; // by root: the result into whose row it is written; -1
    const Applied *m_applied = nullptr;
    std::string m_out;
    std::vector<RtLoop> m_math;
    RtLoop m_call = nullptr;
    std::size_t m_names = 0, m_lines = 0;
    int m_depth = 2;
};

/// How an op is written in a loop. A file of an op registers it: IN_LOOPS(Op, [](const Op &op, LoopWriter &writer) { … }).
using WriteInLoop = bool (*)(const Op &op, LoopWriter &writer);
bool registerInLoops(std::size_t classKey, WriteInLoop write);
/// Null: such an op runs by itself in each step.
WriteInLoop inLoops(const Op &op);

} // namespace engine

#define IN_LOOPS(Class, ...)                                                                                                               \
    [[maybe_unused]] static const bool k_inLoops##Class =                                                                                  \
        ::engine::registerInLoops(typeid(Class).hash_code(), [](const ::engine::Op &op, ::engine::LoopWriter &writer) -> bool {            \
            return (__VA_ARGS__)(static_cast<const Class &>(op), writer);                                                                  \
        });
