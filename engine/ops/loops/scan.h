// Scan: a graph that runs step after step over the leading axis of arrays.
#pragma once

#include "engine/graph/op/op_class.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace engine {

struct LoopTies;

/// What the inputs and outputs of a Scan are, in Theano's words and in Theano's order.
///   outer inputs:  number of steps, sequences, mit_mot, mit_sot, sit_sot, shared, lengths of nit_sot, non-sequences
///   outer outputs: mit_mot, mit_sot, sit_sot, nit_sot, shared
///   inner inputs:  an element of each sequence, every tap that is read (mit_mot, mit_sot, sit_sot), shared, non-sequences
///   inner outputs: every tap that is written (mit_mot, mit_sot, sit_sot), nit_sot, shared, the condition of a while
/// Taps count steps from the one at hand: -1 is what the last step gave.
struct ScanInfo {
    struct MitMot {
        std::vector<int> in, out;
        friend bool operator==(const MitMot &, const MitMot &) = default;
    };
    std::size_t sequences = 0;
    std::vector<MitMot> mitMot;
    std::vector<std::vector<int>> mitSot;
    std::size_t sitSot = 0;
    std::size_t nitSot = 0;
    std::size_t shared = 0;
    std::size_t nonSequences = 0;
    bool isWhile = false;
    int truncate = -1;            ///< how many steps the gradient goes back; -1: all
    std::vector<int> overwritten; ///< outputs that take the memory of their initial state
    bool inKernel = false;        ///< its steps may run in one kernel
    std::string name;
};

/// A buffer along whose leading axis the steps read and write: mit_mot, mit_sot, sit_sot.
struct ScanState {
    enum class Kind { MitMot, MitSot, SitSot };
    Kind kind = Kind::SitSot;
    std::vector<int> in, out; ///< taps
    std::size_t outerInput = 0, outerOutput = 0;
    std::size_t firstInner = 0, firstResult = 0; ///< inner input of the first tap, inner output of the first written one
    /// Rows before the one that step 0 writes at tap 0.
    int history() const;
};

class Scan final : public Op {
public:
    /// `body`: no shared variables, and all that it reads is an input.
    Scan(ScanInfo info, InnerGraph body);

    const ScanInfo &info() const { return m_info; }
    const std::vector<ScanState> &states() const { return m_states; }
    // Where things stand.
    std::size_t outerSequence(std::size_t i) const { return 1 + i; }
    std::size_t outerShared(std::size_t i) const { return 1 + m_info.sequences + stateCount() + i; }
    std::size_t outerLength(std::size_t i) const { return outerShared(m_info.shared) + i; }
    std::size_t outerNonSequence(std::size_t i) const { return outerLength(m_info.nitSot) + i; }
    std::size_t outerInputs() const { return outerNonSequence(m_info.nonSequences); }
    std::size_t nitOutput(std::size_t i) const { return stateCount() + i; }
    std::size_t sharedOutput(std::size_t i) const { return stateCount() + m_info.nitSot + i; }
    std::size_t outerOutputs() const { return sharedOutput(m_info.shared); }
    std::size_t innerShared(std::size_t i) const { return m_info.sequences + m_taps + i; }
    std::size_t innerNonSequence(std::size_t i) const { return innerShared(m_info.shared) + i; }
    std::size_t innerInputs() const { return innerNonSequence(m_info.nonSequences); }
    std::size_t nitResult(std::size_t i) const { return m_written + i; }
    std::size_t sharedResult(std::size_t i) const { return m_written + m_info.nitSot + i; }
    std::size_t condition() const { return sharedResult(m_info.shared); }
    std::size_t stateCount() const { return m_states.size(); }
    /// The outer input from which inner input `i` comes, and whether it is a row of that.
    struct Source {
        std::size_t outer = 0;
        bool isRow = false;
    };
    Source sourceOf(std::size_t innerInput) const { return m_sources[innerInput]; }

    OP_NAME("Scan", "theano.scan_module.scan_op");
    OP_RULES(outputTypes, inferShape, gradient, rop, connectionPattern, exactName, shortName, identity);
    bool equals(const Op &other) const override;
    std::vector<Alias> destroyMap() const override;
    bool worksOnValues() const override { return true; }
    void performValues(std::span<const Value> inputs, std::span<Value> outputs) const override;
    bool canFold() const override { return false; }
    const InnerGraph *inner() const override { return &m_inner; }
    /// Where its steps find their arrays: numbers of steps and what is no array of floats are read on the host all the same.
    DeviceId device() const { return m_device; }
    bool takesDeviceArrays() const override { return m_device != DeviceId::Host; }

private:
    void findPlaces();
    void checkBody() const;

    ScanInfo m_info;
    InnerGraph m_inner;
    DeviceId m_device = DeviceId::Host;
    std::string m_identity;
    std::vector<ScanState> m_states;
    std::vector<Source> m_sources; // by inner input
    std::size_t m_taps = 0, m_written = 0;
    InnerGraph m_sized; // the outputs whose sizes the body decides
    struct Compiled;
    mutable std::shared_ptr<Compiled> m_compiled; // made when it is first asked for
};

OpRef scanOp(ScanInfo info, InnerGraph body);

/// A loop looks for interrupts that often: what takes long within a step looks by itself.
inline constexpr std::int64_t kStepsBetweenLooks = 8;

/// The compiled graph of a Scan while it loops.
class ScanBody {
public:
    virtual ~ScanBody() = default;
    /// Lays out memory for steps on arrays like these, of which the first ones are others in each step. False: sizes show only when a step
    /// runs, or something is no array; then only stepOnValues() can be used.
    virtual bool layOut(std::span<const View> inputs, std::size_t moving) = 0;
    /// Of a step, once it is laid out.
    virtual Dims outputShape(std::size_t output) const = 0;
    /// Of a step on arrays like these, without running or laying out any; empty if sizes show only when a step runs.
    virtual std::vector<Dims> outputShapesFor(std::span<const View> inputs) = 0;
    /// One step: the inputs lie there, the results are written there in C order.
    virtual void step(std::span<void *const> inputs, std::span<void *const> outputs) = 0;
    virtual void stepOnValues(std::span<const Value> inputs, std::vector<Value> &outputs) = 0;

    /// Before layOut(): how its steps hang together, if they may run in one kernel; null: one by one.
    virtual void tie(const LoopTies *ties) { (void)ties; }
    /// The arrays of steps in one kernel: the first elements of what a step reads and of the arrays for its results, and numbers as a
    /// LoopText has them.
    struct Arrays {
        std::vector<void *> inputs, results;
        std::vector<std::int64_t> numbers;
    };
    /// Up to so many steps in one kernel, not so many that an interrupt would wait. False: the next step has to be run by itself.
    virtual bool runSteps(Arrays &arrays, std::int64_t steps) { return (void)arrays, (void)steps, false; }

    /// Where step `step` reads and writes; any thread may ask.
    using Places = std::function<void(std::int64_t step, std::span<void *> inputs, std::span<void *> outputs)>;
    /// Steps of which none reads what another one writes: on several threads where that pays.
    virtual void eachStep(std::int64_t steps, const Places &places) = 0;
};

/// All steps. Results go into the tensors that `outputs` holds where their sizes are right.
void runScan(const Scan &op, std::span<const Value> inputs, std::span<Value> outputs, ScanBody &body);

/// Compiles a body; each call of the result begins a loop. compile/ gives the maker before main() begins.
using ScanBodies = std::function<std::unique_ptr<ScanBody>()>;
bool setScanBodyMaker(ScanBodies (*make)(const InnerGraph &body, const std::string &name));

} // namespace engine
