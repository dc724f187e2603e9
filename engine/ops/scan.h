// Scan: a graph that runs step after step over the leading axis of arrays.
#pragma once

#include "engine/graph/op_class.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace engine {

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
    int sequences = 0;
    std::vector<MitMot> mitMot;
    std::vector<std::vector<int>> mitSot;
    int sitSot = 0;
    int nitSot = 0;
    int shared = 0;
    int nonSequences = 0;
    bool isWhile = false;
    int truncate = -1;            ///< how many steps the gradient goes back; -1: all
    std::vector<int> overwritten; ///< outputs that take the memory of their initial state
    std::string name;
};

/// A buffer along whose leading axis the steps read and write: mit_mot, mit_sot, sit_sot.
struct ScanState {
    enum class Kind { MitMot, MitSot, SitSot };
    Kind kind = Kind::SitSot;
    std::vector<int> in, out; ///< taps
    int outerInput = 0, outerOutput = 0;
    int firstInner = 0, firstResult = 0; ///< inner input of the first tap, inner output of the first written one
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
    int outerSequence(int i) const { return 1 + i; }
    int outerShared(int i) const { return 1 + m_info.sequences + stateCount() + i; }
    int outerLength(int i) const { return outerShared(m_info.shared) + i; }
    int outerNonSequence(int i) const { return outerLength(m_info.nitSot) + i; }
    int outerInputs() const { return outerNonSequence(m_info.nonSequences); }
    int nitOutput(int i) const { return stateCount() + i; }
    int sharedOutput(int i) const { return stateCount() + m_info.nitSot + i; }
    int outerOutputs() const { return sharedOutput(m_info.shared); }
    int innerShared(int i) const { return m_info.sequences + m_taps + i; }
    int innerNonSequence(int i) const { return innerShared(m_info.shared) + i; }
    int innerInputs() const { return innerNonSequence(m_info.nonSequences); }
    int nitResult(int i) const { return m_written + i; }
    int sharedResult(int i) const { return m_written + m_info.nitSot + i; }
    int condition() const { return sharedResult(m_info.shared); }
    int stateCount() const { return static_cast<int>(m_states.size()); }
    /// The outer input from which inner input `i` comes, and whether it is a row of that.
    struct Source {
        int outer = 0;
        bool isRow = false;
    };
    Source sourceOf(int innerInput) const { return m_sources[static_cast<std::size_t>(innerInput)]; }

    OP_NAME("Scan", "theano.scan_module.scan_op");
    OP_RULES(outputTypes, inferShape, gradient, rop, connectionPattern, exactName, shortName, identity);
    bool equals(const Op &other) const override;
    std::vector<Alias> destroyMap() const override;
    bool worksOnValues() const override { return true; }
    void performValues(std::span<const Value> inputs, std::span<Value> outputs) const override;
    bool canFold() const override { return false; }
    const InnerGraph *inner() const override { return &m_inner; }

private:
    void findPlaces();
    void checkBody() const;

    ScanInfo m_info;
    InnerGraph m_inner;
    std::string m_identity;
    std::vector<ScanState> m_states;
    std::vector<Source> m_sources; // by inner input
    int m_taps = 0, m_written = 0;
    InnerGraph m_sized; // the outputs whose sizes the body decides
    struct Compiled;
    mutable std::shared_ptr<Compiled> m_compiled; // made when it is first asked for
};

OpRef scanOp(ScanInfo info, InnerGraph body);

/// The compiled graph of a Scan while it loops.
class ScanBody {
public:
    virtual ~ScanBody() = default;
    /// Lays out memory for steps on arrays like these. False: sizes show only when a step runs, or something is no array; then
    /// only stepOnValues() can be used.
    virtual bool layOut(std::span<const View> inputs) = 0;
    /// Of a step, once it is laid out.
    virtual Dims outputShape(std::size_t output) const = 0;
    /// One step: the inputs lie there, the results are written there in C order.
    virtual void step(std::span<void *const> inputs, std::span<void *const> outputs) = 0;
    virtual void stepOnValues(std::span<const Value> inputs, std::vector<Value> &outputs) = 0;
};

/// All steps. Results go into the tensors that `outputs` holds where their sizes are right.
void runScan(const Scan &op, std::span<const Value> inputs, std::span<Value> outputs, ScanBody &body);

/// Compiles a body; each call of the result begins a loop. compile/ gives the maker before main() begins.
using ScanBodies = std::function<std::unique_ptr<ScanBody>()>;
bool setScanBodyMaker(ScanBodies (*make)(const InnerGraph &body, const std::string &name));

} // namespace engine
