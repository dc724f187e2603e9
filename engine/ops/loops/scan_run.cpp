// The loop of a Scan: where each step reads and writes.
#include "engine/codegen/loop_writer.h"
#include "engine/device/device.h"
#include "engine/ops/loops/scan.h"
#include "engine/ops/shapes/transfer.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <cstring>

namespace engine {
namespace {

std::string rowsText(const Dims &shape) { return "(" + std::to_string(shape[0]) + " rows)"; }

Dims rowShape(const Dims &shape) { return Dims(std::span<const std::int64_t>(shape).subspan(1)); }

Tensor rowOf(const Tensor &array, std::int64_t row)
{
    char *data = array.as<char>() + row * array.strides()[0];
    return Tensor(array.dtype(), rowShape(array.shape()), Dims(std::span<const std::int64_t>(array.strides()).subspan(1)), data,
                  array.storage());
}

Tensor makeEmpty(DeviceId device, DType dtype, const Dims &shape)
{
    return device == DeviceId::Host ? Tensor::empty(dtype, shape) : emptyOn(device, dtype, shape);
}
Tensor copyOnSameDevice(const Tensor &array) { return array.device() == DeviceId::Host ? array.copy() : denseCopy(array); }

// From one array to another of the same sizes, which lies where the first one does.
void copyInto(const Tensor &from, const Tensor &to)
{
    if (to.device() == DeviceId::Host) copyConverted(from.view(), to.view());
    else copyOnDevice(from, to);
}

// A row of a buffer that moves on with every step, and begins again where the buffer ends.
struct Cursor {
    char *base = nullptr;
    std::int64_t stride = 0, row = 0, rows = 1;

    void *at(std::int64_t step) const { return base + (row + step) % rows * stride; }
    void *next()
    {
        char *here = base + row * stride;
        if (++row == rows) row = 0;
        return here;
    }
};

Cursor cursorOn(const Tensor &array, std::int64_t start)
{
    const std::int64_t rows = std::max<std::int64_t>(array.shape()[0], 1);
    return {array.as<char>(), array.strides()[0], (start % rows + rows) % rows, rows};
}

// A result of a step: where it goes.
struct Collected {
    Tensor buffer; ///< not there before the first step has told the size of its rows
    Cursor cursor;
    std::int64_t start = 0; ///< the row of step 0
    std::size_t output = 0;
    Tensor aside; ///< taken here first, where a step still reads the row that it writes, or where rows are not dense
};

class Loop {
public:
    Loop(const Scan &op, std::span<const Value> inputs, std::span<Value> outputs) : m_op(op), m_inputs(inputs), m_outputs(outputs)
    {
        m_steps = inputs[0].tensor().intAt(0);
        if (m_steps < 0)
            throw ShapeMismatch("Scan was asked to run for negative number of step " + std::to_string(m_steps),
                                "n_steps counts steps: 0 or more");
        checkLengths();
        for (const ScanState &state : op.states()) openState(state);
        for (std::size_t i = 0; i < op.info().nitSot; ++i) openNit(i);
    }

    void run(ScanBody &body)
    {
        if (m_steps > 0) {
            if (!runLaidOut(body)) runOnValues(body);
        } else {
            giveRowsOfNoSteps(body);
        }
        finish();
    }

private:
    Tensor input(std::size_t i) const { return m_inputs[i].tensor(); }
    bool isPlanned(std::size_t o, const Dims &shape, DType dtype, DeviceId device) const
    {
        const Value &value = m_outputs[o];
        return value.isTensor() && value.tensor().shape() == shape && value.tensor().dtype() == dtype && value.tensor().device() == device;
    }
    Tensor memoryFor(std::size_t o, const Dims &shape, DType dtype, DeviceId device) const
    {
        return isPlanned(o, shape, dtype, device) ? m_outputs[o].tensor() : makeEmpty(device, dtype, shape);
    }

    void checkLengths() const
    {
        for (std::size_t i = 0; i < m_op.info().sequences; ++i) {
            const Tensor sequence = input(m_op.outerSequence(i));
            if (sequence.shape()[0] >= m_steps) continue;
            throw ShapeMismatch("Sequence is shorter then the required number of steps : sequence " + std::to_string(i) + " of " +
                                    m_op.info().name + " has " + std::to_string(sequence.shape()[0]) + " elements for " +
                                    std::to_string(m_steps) + " steps",
                                "ask for fewer n_steps, or leave n_steps out");
        }
    }

    void openState(const ScanState &state)
    {
        const Tensor initial = input(state.outerInput);
        const std::int64_t history = state.history();
        const std::int64_t rows = initial.shape()[0];
        if (rows < std::max<std::int64_t>(history, 1) && m_steps > 0)
            throw ShapeMismatch("the initial state of output " + std::to_string(state.outerOutput) + " of " + m_op.info().name + " " +
                                    rowsText(initial.shape()) + " is shorter than its taps reach back (" + std::to_string(history) + ")",
                                "with several taps the initial state has one more leading dimension, one row per step back");
        const bool isOverwritten =
            std::find(m_op.info().overwritten.begin(), m_op.info().overwritten.end(), state.outerOutput) != m_op.info().overwritten.end();
        Tensor buffer = initial;
        if (!isOverwritten) {
            buffer = memoryFor(state.outerOutput, initial.shape(), initial.dtype(), initial.device());
            // The rows that steps write first need no values.
            const bool isWritten = state.kind != ScanState::Kind::MitMot && history + m_steps >= rows;
            copyRows(initial, buffer, isWritten ? std::min(history, rows) : rows);
        }
        for (std::size_t k = 0; k < state.out.size(); ++k) {
            Collected result{buffer, cursorOn(buffer, history + state.out[k]), history + state.out[k], state.outerOutput, {}};
            bool isReadMeanwhile = false;
            for (int tap : state.in) isReadMeanwhile |= rows > 0 && (tap - state.out[k]) % rows == 0;
            if (isReadMeanwhile || !rowsAreDense(buffer))
                result.aside = makeEmpty(buffer.device(), buffer.dtype(), rowShape(buffer.shape()));
            m_results.push_back(std::move(result));
        }
        m_buffers.push_back(std::move(buffer));
    }

    void openNit(std::size_t i)
    {
        const std::size_t output = m_op.nitOutput(i);
        const std::int64_t rows = input(m_op.outerLength(i)).intAt(0);
        m_nitRows.push_back(rows);
        Collected result;
        result.output = output;
        const Value &planned = m_outputs[output];
        if (planned.isTensor() && planned.tensor().shape()[0] == rows) give(result, planned.tensor());
        m_results.push_back(std::move(result));
    }

    static void give(Collected &result, const Tensor &buffer)
    {
        result.buffer = buffer;
        result.cursor = cursorOn(buffer, 0);
        if (!rowsAreDense(buffer)) result.aside = makeEmpty(buffer.device(), buffer.dtype(), rowShape(buffer.shape()));
    }

    static bool rowsAreDense(const Tensor &buffer)
    {
        std::int64_t bytes = static_cast<std::int64_t>(sizeOf(buffer.dtype()));
        for (std::size_t axis = buffer.shape().size(); axis-- > 1;) {
            if (buffer.shape()[axis] != 1 && buffer.strides()[axis] != bytes) return false;
            bytes *= buffer.shape()[axis];
        }
        return true;
    }

    static void copyRows(const Tensor &from, const Tensor &to, std::int64_t rows)
    {
        if (rows == 0 || from.data() == to.data()) return;
        Dims shape = from.shape();
        shape[0] = rows;
        copyInto(Tensor(from.dtype(), shape, from.strides(), from.data(), from.storage()),
                 Tensor(to.dtype(), shape, to.strides(), to.data(), to.storage()));
    }

    [[noreturn]] void refuseRow(std::size_t result, const Dims &made, const Dims &wanted) const
    {
        throw ShapeMismatch("step " + std::to_string(m_done) + " of " + m_op.info().name + " gave an array of shape " + made.text() +
                                " for output " + std::to_string(m_results[result].output) + ", whose rows have the shape " + wanted.text(),
                            "the initial state must have the shape of what a step returns, and all steps must give the same sizes");
    }

    // --- with memory laid out ---------------------------------------------------------------------------
    bool areArrays() const
    {
        return std::all_of(m_inputs.begin(), m_inputs.end(), [](const Value &value) { return value.isTensor(); });
    }

    // What the first step reads.
    std::vector<Tensor> rowsOfInputs() const
    {
        std::vector<Tensor> rows;
        for (std::size_t i = 0; i < m_op.innerInputs(); ++i) {
            const Scan::Source source = m_op.sourceOf(i);
            const Tensor outer = arrayOf(source.outer);
            rows.push_back(source.isRow ? rowOf(outer, 0) : outer);
        }
        return rows;
    }

    static std::vector<View> viewsOf(std::span<const Tensor> rows)
    {
        std::vector<View> views;
        for (const Tensor &row : rows) views.push_back(row.view());
        return views;
    }

    // Without a step that tells them, the sizes of rows follow from the body's rules where those know them.
    void giveRowsOfNoSteps(ScanBody &body)
    {
        const auto isOpen = [](const Collected &result) { return !result.buffer.valid(); };
        if (std::none_of(m_results.begin(), m_results.end(), isOpen) || !areArrays()) return;
        std::vector<Tensor> rows = rowsOfInputs();
        for (std::size_t i = 0; i < rows.size(); ++i) // there may be no row whose values could be read
            if (m_op.sourceOf(i).isRow) rows[i] = Tensor::zeros(rows[i].dtype(), rows[i].shape());
        const std::vector<Dims> shapes = body.outputShapesFor(viewsOf(rows));
        for (std::size_t r = 0; r < shapes.size() && r < m_results.size(); ++r)
            if (isOpen(m_results[r])) giveRows(m_results[r], shapes[r], dtypeOf(r));
    }

    bool runLaidOut(ScanBody &body)
    {
        const std::size_t sharedCount = m_op.info().shared;
        if (!areArrays()) return false;
        std::vector<Tensor> rows = rowsOfInputs();
        // What a step gives is the next one's: two arrays take turns.
        std::vector<Tensor> now, next;
        for (std::size_t i = 0; i < sharedCount; ++i) {
            Tensor &row = rows[m_op.innerShared(i)];
            row = copyOnSameDevice(row);
            now.push_back(row);
            next.push_back(makeEmpty(row.device(), row.dtype(), row.shape()));
        }
        setCursors();
        const bool isTied = canRunInKernel();
        if (isTied) m_ties = tiesOf();
        body.tie(isTied ? &m_ties : nullptr);
        if (!body.layOut(viewsOf(rows), m_op.innerShared(0) + sharedCount)) return false;
        for (std::size_t r = 0; r < m_results.size(); ++r) {
            const Dims shape = body.outputShape(r);
            if (!m_results[r].buffer.valid()) giveRows(m_results[r], shape, dtypeOf(r));
            const Dims wanted = rowShape(m_results[r].buffer.shape());
            if (!(wanted == shape)) refuseRow(r, shape, wanted);
        }
        for (std::size_t i = 0; i < sharedCount; ++i)
            if (!(body.outputShape(m_op.sharedResult(i)) == now[i].shape())) return false;

        if (isMap()) {
            runMap(body, rows);
            return true;
        }
        std::vector<void *> in, out(inner().outputs.size());
        for (const Tensor &row : rows) in.push_back(row.data());
        if (isTied && !writesDensely()) body.tie(nullptr);
        ScanBody::Arrays arrays;
        if (isTied) arrays = arraysOf(in);
        void *conditionAt = m_condition;
        const std::size_t moving = m_op.innerShared(0);
        const bool isWhile = m_op.info().isWhile;
        for (; m_done < m_steps; ++m_done) {
            if (m_done % kStepsBetweenLooks == 0) checkInterrupt();
            if (isTied && m_isDense) {
                begin(arrays);
                if (body.runSteps(arrays, m_steps - m_done)) {
                    checkInterrupt();
                    const std::int64_t done = std::abs(arrays.numbers[0]);
                    skip(done);
                    m_done += done;
                    if (arrays.numbers[0] < 0) break;
                    --m_done; // counted once more
                    continue;
                }
            }
            for (std::size_t i = 0; i < moving; ++i) in[i] = m_cursors[i].next();
            for (std::size_t r = 0; r < m_results.size(); ++r)
                out[r] = m_results[r].aside.valid() ? m_results[r].aside.data() : m_results[r].cursor.next();
            for (std::size_t i = 0; i < sharedCount; ++i) {
                in[m_op.innerShared(i)] = now[i].data();
                out[m_op.sharedResult(i)] = next[i].data();
            }
            if (isWhile) out.back() = conditionAt;
            body.step(in, out);
            for (Collected &result : m_results)
                if (result.aside.valid()) putRow(result, result.aside);
            std::swap(now, next);
            if (isWhile && isTrue(conditionAt)) {
                ++m_done;
                break;
            }
        }
        for (std::size_t i = 0; i < sharedCount; ++i) m_outputs[m_op.sharedOutput(i)] = Value(now[i]);
        return true;
    }

    // --- steps in one kernel ----------------------------------------------------------------------------
    /// What its rows allow; the rest shows when results are laid out.
    bool canRunInKernel() const
    {
        const ScanInfo &info = m_op.info();
        if (!info.inKernel || info.shared > 0 || m_op.device() != DeviceId::Host) return false;
        if (m_op.stateCount() == 0 && !info.isWhile) return false; // no step reads what another one writes: threads share them
        if (info.isWhile && !isDiscrete(inner().outputs.back()->type().dtype())) return false;
        for (std::size_t s = 0; s < m_buffers.size(); ++s) {
            const ScanState &state = m_op.states()[s];
            const std::int64_t rows = m_buffers[s].shape()[0];
            if (state.kind != ScanState::Kind::MitMot) continue;
            int low = 0, high = 0;
            for (const auto *taps : {&state.in, &state.out})
                for (int tap : *taps) low = std::min(low, tap), high = std::max(high, tap);
            if (rows < m_steps + high - low) return false; // rows that come round again
        }
        return true;
    }

    LoopTies tiesOf() const
    {
        LoopTies ties;
        ties.moving = m_op.innerShared(0);
        ties.carried.resize(ties.moving);
        ties.isSequence.assign(ties.moving, false);
        std::fill_n(ties.isSequence.begin(), m_op.info().sequences, true);
        ties.results = m_results.size();
        ties.isReadMeanwhile.assign(ties.results, false);
        ties.endsEarly = m_op.info().isWhile;
        for (const ScanState &state : m_op.states()) {
            for (std::size_t i = 0; i < state.in.size(); ++i) {
                LoopTies::Carried &from = ties.carried[state.firstInner + i];
                for (std::size_t k = 0; k < state.in.size(); ++k)
                    if (state.in[k] == state.in[i] + 1) from.input = static_cast<int>(state.firstInner + k);
                for (std::size_t k = 0; k < state.out.size(); ++k) {
                    if (state.out[k] == state.in[i] + 1) from.result = static_cast<int>(state.firstResult + k);
                    if (state.out[k] == state.in[i]) ties.isReadMeanwhile[state.firstResult + k] = true;
                }
            }
        }
        return ties;
    }

    /// May each result be written to its row? What a step reads meanwhile is written behind it.
    bool writesDensely()
    {
        m_isDense = true;
        for (std::size_t r = 0; r < m_results.size(); ++r) {
            const Tensor &buffer = m_results[r].buffer;
            m_isDense &= buffer.shape()[0] > 0 && rowsAreDense(buffer) && (!m_results[r].aside.valid() || m_ties.isReadMeanwhile[r]);
        }
        return m_isDense;
    }

    ScanBody::Arrays arraysOf(std::span<void *const> fixed) const
    {
        ScanBody::Arrays arrays;
        arrays.inputs.assign(fixed.begin(), fixed.end());
        for (std::size_t i = 0; i < m_cursors.size(); ++i) arrays.inputs[i] = m_cursors[i].base;
        for (const Collected &result : m_results) arrays.results.push_back(result.buffer.data());
        arrays.numbers.resize(1 + 3 * (m_cursors.size() + m_results.size()));
        return arrays;
    }

    template <class Visit>
    void eachCursor(Visit visit)
    {
        for (Cursor &cursor : m_cursors) visit(cursor);
        for (Collected &result : m_results) visit(result.cursor);
    }

    void begin(ScanBody::Arrays &arrays)
    {
        std::int64_t *number = arrays.numbers.data() + 1;
        eachCursor([&](const Cursor &cursor) {
            *number++ = cursor.stride;
            *number++ = cursor.row;
            *number++ = cursor.rows;
        });
    }

    void skip(std::int64_t steps)
    {
        eachCursor([&](Cursor &cursor) { cursor.row = (cursor.row + steps) % cursor.rows; });
    }

    /// Does no step read or write what another one writes?
    bool isMap() const
    {
        const ScanInfo &info = m_op.info();
        return m_op.stateCount() == 0 && info.shared == 0 && !info.isWhile && m_steps > 1 &&
               std::all_of(m_results.begin(), m_results.end(),
                           [&](const Collected &result) { return !result.aside.valid() && result.cursor.rows >= m_steps; });
    }

    void runMap(ScanBody &body, std::span<const Tensor> rows)
    {
        body.eachStep(m_steps, [&](std::int64_t step, std::span<void *> in, std::span<void *> out) {
            for (std::size_t i = 0; i < in.size(); ++i) in[i] = i < m_cursors.size() ? m_cursors[i].at(step) : rows[i].data();
            for (std::size_t r = 0; r < out.size(); ++r) out[r] = m_results[r].cursor.at(step);
        });
        m_done = m_steps;
    }

    bool isTrue(const void *data) const
    {
        const char *bytes = static_cast<const char *>(data);
        const std::size_t size = sizeOf(inner().outputs.back()->type().dtype());
        return std::any_of(bytes, bytes + size, [](char byte) { return byte != 0; });
    }

    void putRow(Collected &result, const Tensor &made)
    {
        const Tensor row(result.buffer.dtype(), made.shape(), Dims(std::span<const std::int64_t>(result.buffer.strides()).subspan(1)),
                         result.cursor.next(), result.buffer.storage());
        copyInto(made, row);
    }

    // The arrays that steps read: states are read where they are written.
    Tensor arrayOf(std::size_t outer) const
    {
        const std::size_t first = m_op.outerSequence(m_op.info().sequences);
        return outer >= first && outer - first < m_op.stateCount() ? m_buffers[outer - first] : input(outer);
    }

    void setCursors()
    {
        m_cursors.clear();
        for (std::size_t i = 0; i < m_op.info().sequences; ++i) m_cursors.push_back(cursorOn(input(m_op.outerSequence(i)), 0));
        for (std::size_t s = 0; s < m_buffers.size(); ++s)
            for (int tap : m_op.states()[s].in) m_cursors.push_back(cursorOn(m_buffers[s], m_op.states()[s].history() + tap));
    }

    DType dtypeOf(std::size_t result) const { return inner().outputs[result]->type().dtype(); }
    const InnerGraph &inner() const { return *m_op.inner(); }

    void giveRows(Collected &result, const Dims &row, DType dtype)
    {
        Dims shape{m_nitRows[result.output - m_op.nitOutput(0)]};
        for (std::int64_t size : row) shape.push_back(size);
        give(result, makeEmpty(inner().outputs[static_cast<std::size_t>(&result - m_results.data())]->type().device(), dtype, shape));
    }

    // --- value by value ---------------------------------------------------------------------------------
    void runOnValues(ScanBody &body)
    {
        setCursors();
        for (Collected &result : m_results)
            if (result.buffer.valid()) result.cursor = cursorOn(result.buffer, result.start);
        std::vector<Value> shared, in, made;
        for (std::size_t i = 0; i < m_op.info().shared; ++i) shared.push_back(m_inputs[m_op.outerShared(i)]);
        for (m_done = 0; m_done < m_steps; ++m_done) {
            checkInterrupt();
            in.clear();
            for (std::size_t i = 0; i < m_op.innerInputs(); ++i) {
                const Scan::Source source = m_op.sourceOf(i);
                if (source.isRow) {
                    const Tensor whole = arrayOf(source.outer), row = rowOf(whole, 0);
                    // Somebody may keep it: it is not the buffer's.
                    in.emplace_back(
                        copyOnSameDevice(Tensor(row.dtype(), row.shape(), row.strides(), m_cursors[i].next(), whole.storage())));
                } else if (i < m_op.innerNonSequence(0)) {
                    in.push_back(shared[i - m_op.innerShared(0)]);
                } else {
                    in.push_back(m_inputs[source.outer]);
                }
            }
            body.stepOnValues(in, made);
            for (std::size_t r = 0; r < m_results.size(); ++r) {
                const Tensor &value = made[r].tensor();
                if (!m_results[r].buffer.valid()) giveRows(m_results[r], value.shape(), value.dtype());
                const Dims wanted = rowShape(m_results[r].buffer.shape());
                if (!(wanted == value.shape())) refuseRow(r, value.shape(), wanted);
                putRow(m_results[r], value);
            }
            for (std::size_t i = 0; i < m_op.info().shared; ++i) shared[i] = made[m_op.sharedResult(i)];
            if (m_op.info().isWhile && isTrue(made.back().tensor().copy().data())) {
                ++m_done;
                break;
            }
        }
        for (std::size_t i = 0; i < m_op.info().shared; ++i) m_outputs[m_op.sharedOutput(i)] = shared[i];
    }

    // --- the end ----------------------------------------------------------------------------------------
    void finish()
    {
        if (m_steps == 0)
            for (std::size_t i = 0; i < m_op.info().shared; ++i) m_outputs[m_op.sharedOutput(i)] = m_inputs[m_op.outerShared(i)];
        for (std::size_t s = 0; s < m_buffers.size(); ++s) {
            const ScanState &state = m_op.states()[s];
            if (state.kind == ScanState::Kind::MitMot) put(state.outerOutput, m_buffers[s]);
            else close(state.outerOutput, m_buffers[s], state.history());
        }
        for (std::size_t i = 0; i < m_op.info().nitSot; ++i) {
            Collected &result = m_results[m_op.nitResult(i)];
            if (!result.buffer.valid()) { // no step told the size of its rows
                Dims row;
                for (std::int64_t size : inner().outputs[m_op.nitResult(i)]->type().shape()) row.push_back(std::max<std::int64_t>(size, 0));
                giveRows(result, row, dtypeOf(m_op.nitResult(i)));
            }
            close(result.output, result.buffer, 0);
        }
    }

    void put(std::size_t output, Tensor buffer) { m_outputs[output] = Value(std::move(buffer)); }

    // A buffer that is shorter than all steps holds the last rows, in a circle; one that is longer has rows that no step wrote.
    void close(std::size_t output, Tensor buffer, std::int64_t history)
    {
        const std::int64_t rows = buffer.shape()[0], written = history + m_done;
        if (written > rows && rows > 1 && written % rows != 0) rotate(buffer, written % rows);
        if (written < rows) {
            for (std::int64_t row = written; row < rows; ++row) clearRow(rowOf(buffer, row));
            if (m_done < m_steps) { // a condition ended the loop
                Dims shape = buffer.shape();
                shape[0] = std::max(written, rows - (m_steps - m_done));
                buffer = Tensor(buffer.dtype(), shape, buffer.strides(), buffer.data(), buffer.storage());
            }
        }
        put(output, std::move(buffer));
    }

    static void clearRow(const Tensor &row)
    {
        const Tensor zeros = Tensor::zeros(row.dtype(), row.shape());
        copyInto(row.device() == DeviceId::Host ? zeros : onDevice(zeros, row.device()), row);
    }

    static void rotate(const Tensor &buffer, std::int64_t first)
    {
        if (buffer.device() == DeviceId::Host && buffer.isContiguous()) { // without memory that no plan knows of
            const std::int64_t row = buffer.strides()[0];
            char *const data = buffer.as<char>();
            std::rotate(data, data + first * row, data + buffer.shape()[0] * row);
            return;
        }
        const Tensor before = copyOnSameDevice(buffer);
        const std::int64_t rows = buffer.shape()[0];
        for (std::int64_t row = 0; row < rows; ++row) copyInto(rowOf(before, (first + row) % rows), rowOf(buffer, row));
    }

    const Scan &m_op;
    std::span<const Value> m_inputs;
    std::span<Value> m_outputs;
    std::int64_t m_steps = 0, m_done = 0;
    std::vector<Tensor> m_buffers;    // by state
    std::vector<Collected> m_results; // by inner output: those of states, then of nit_sot
    std::vector<std::int64_t> m_nitRows;
    std::vector<Cursor> m_cursors; // by inner input that is a row
    LoopTies m_ties;
    bool m_isDense = false; // each result goes to its row
    alignas(16) char m_condition[16] = {};
};

} // namespace

void runScan(const Scan &op, std::span<const Value> inputs, std::span<Value> outputs, ScanBody &body)
{
    Loop(op, inputs, outputs).run(body);
}

} // namespace engine
