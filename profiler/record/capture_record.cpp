#include "profiler/record/capture_record.h"

#include "engine/compile/request/shared_values.h"
#include "engine/device/device.h"
#include "engine/graph/op/op_card.h"
#include "engine/liveness/sizes.h"
#include "engine/tensor/clock.h"
#include "engine/text/graph_document.h"
#include "profiler/session/codec/array_codec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

namespace profiler {
namespace {

constexpr std::array kLevels{"None", "Merge", "FastCompile", "FastRun"};

std::string shapeText(const engine::Dims &shape)
{
    std::string text;
    for (const std::int64_t size : shape) text += (text.empty() ? "" : ",") + std::to_string(size);
    return text;
}

// The window of an argument has no storage that would tell where it lies.
engine::Tensor seenByHost(const engine::Tensor &tensor, engine::DeviceId device)
{
    return device == engine::DeviceId::Host ? tensor : engine::onHost(engine::copyOf(tensor, device));
}

std::vector<std::uint8_t> bytesOf(const engine::Tensor &host)
{
    std::vector<std::uint8_t> bytes(host.bytes());
    if (bytes.empty()) return bytes;
    if (host.isContiguous()) std::memcpy(bytes.data(), host.data(), bytes.size());
    else {
        engine::Dims strides(host.shape().size(), 0);
        auto stride = static_cast<std::int64_t>(engine::sizeOf(host.dtype()));
        for (std::size_t axis = strides.size(); axis-- > 0; stride *= host.shape()[axis]) strides[axis] = stride;
        engine::copyConverted(host.view(), engine::Tensor(host.dtype(), host.shape(), strides, bytes.data(), nullptr).view());
    }
    return bytes;
}

std::string ownOp(const engine::FunctionGraph &graph)
{
    for (const engine::ApplyId id : graph.liveApplies())
        if (const engine::Op &op = *graph.apply(id).op; !op.card().isDocumented()) return op.name();
    return {};
}

} // namespace

void CaptureRecord::compileStarted(std::uint32_t id, const engine::FunctionSpec &spec, const engine::FunctionGraph &original)
{
    if (spec.parent) return;
    CapturedFunction row;
    row.function = FunctionId{id};
    row.outputs = static_cast<int>(spec.outputs.size());
    row.mode = spec.mode.name;
    row.level = kLevels[static_cast<std::size_t>(spec.mode.level)];
    row.linker = engine::nameOf(spec.mode.linker);
    row.device = engine::deviceOf(spec.mode.device).info().name;
    row.allowGc = spec.mode.allowGc;
    row.including = spec.mode.including;
    row.excluding = spec.mode.excluding;
    if (const std::string op = ownOp(original); !op.empty())
        row.problem = "its op " + op + " is the script's own, which only the script can make";
    const std::string text = engine::writeGraphDocument(original, engine::SharedValues::Shapes);
    std::vector<std::uint8_t> bytes(text.begin(), text.end());
    row.document = arrayKey(bytes);
    m_writer.addCapturedArray(row.document, std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes)), 1);
    m_writer.setCapturedFunction(std::move(row));
    const std::lock_guard lock(m_mutex);
    m_functions.try_emplace(id);
}

CaptureRecord::OneFunction *CaptureRecord::find(std::uint32_t id)
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_functions.find(id);
    return found == m_functions.end() ? nullptr : &found->second;
}

bool CaptureRecord::isChosen(std::uint64_t call) const
{
    std::uint64_t number = 1;
    for (int i = 0; i < m_options.chosen && number <= call; ++i)
        if (number *= 10; number == call + 1) return true;
    return false;
}

// Copying is to take a quarter of the time of calls at most: what is slower than it is worth is not looked at.
bool CaptureRecord::wants(const engine::Function &function)
{
    OneFunction *one = find(function.id());
    if (!one) return false;
    one->isSure = one->calls == 0 || isChosen(one->calls);
    one->isTaken = one->isSure || one->copyNs < 500'000'000 + one->callNs / 4;
    one->notLookedAt += !one->isTaken;
    return true; // its calls are counted
}

void CaptureRecord::given(const engine::Function &function, std::span<const engine::Value> inputs)
{
    OneFunction *one = find(function.id());
    if (!one || !one->isTaken) return;
    const std::uint64_t begin = engine::nowNs();
    one->now = {};
    one->now.info = {FunctionId{function.id()}, static_cast<std::int64_t>(one->calls), CaptureReason::Slowest, 0};
    const auto &explicitInputs = function.spec().inputs;
    const engine::FunctionGraph &graph = function.graph();
    for (std::size_t i = 0; i < inputs.size(); ++i)
        one->now.values.push_back(
            keep(inputs[i], CapturedRole::Input, i, explicitInputs[i].variable->name(), graph.var(graph.inputs()[i]).type));
    const std::vector<engine::VarRef> shared = function.sharedVariables();
    for (std::size_t i = 0; i < shared.size(); ++i) one->now.values.push_back(keepShared(shared[i], CapturedRole::Shared, i));
    if (!one->isSure) one->copyNs += engine::nowNs() - begin;
}

void CaptureRecord::took(const engine::Function &function, std::uint64_t ns)
{
    OneFunction *one = find(function.id());
    if (!one) return;
    one->callNs += ns;
    one->now.info.ns = static_cast<std::int64_t>(ns);
    ++one->calls;
    // Before a kernel takes over calls are slow for a reason that ends.
    const std::uint64_t swap = const_cast<engine::Function &>(function).statistics().lastSwap.get();
    if (swap != one->lastSwap) {
        one->lastSwap = swap;
        one->hasSlowest = false;
    }
}

void CaptureRecord::returned(const engine::Function &function, std::span<const engine::Value> outputs)
{
    OneFunction *one = find(function.id());
    if (!one || !one->isTaken || one->calls == 0) return;
    const std::uint64_t begin = engine::nowNs();
    const bool isFirst = one->now.info.call == 0;
    const bool isSlowest = !isFirst && (!one->hasSlowest || one->now.info.ns > one->slowest.info.ns);
    if (one->isSure || isSlowest) {
        for (std::size_t i = 0; i < outputs.size(); ++i)
            one->now.values.push_back(keep(outputs[i], CapturedRole::Output, i, function.spec().outputs[i]->name(), {}));
        const auto &updates = function.spec().updates;
        for (std::size_t i = 0; i < updates.size(); ++i) one->now.values.push_back(keepShared(updates[i].first, CapturedRole::Update, i));
    }
    if (one->isSure) {
        one->now.info.reason = isFirst ? CaptureReason::First : CaptureReason::Chosen;
        write(one->now);
    }
    if (isSlowest) {
        one->slowest = std::move(one->now);
        one->slowest.info.reason = CaptureReason::Slowest;
        one->hasSlowest = true;
        one->isSlowestWritten = false;
        one->isSlowestSure = one->isSure;
        one->slowestSince = begin;
    }
    if (one->hasSlowest && !one->isSlowestWritten && begin - one->slowestSince > m_options.slowestEveryNs)
        writeSlowest(function.id(), *one);
    one->now = {};
    if (!one->isSure) one->copyNs += engine::nowNs() - begin;
}

CaptureRecord::Kept CaptureRecord::keep(const engine::Value &value, CapturedRole role, std::size_t position, const std::string &name,
                                        engine::Type type)
{
    Kept kept;
    kept.row.role = role;
    kept.row.position = static_cast<int>(position);
    kept.row.name = name;
    if (!value.isTensor()) {
        kept.row.reason = "it is an object of the script's and no array";
        return kept;
    }
    const engine::Tensor &tensor = value.tensor();
    const engine::DeviceId device = type.valid() && type.isTensor() ? type.device() : tensor.device();
    kept.row.dtype = engine::nameOf(tensor.dtype());
    kept.row.shape = shapeText(tensor.shape());
    if (tensor.bytes() > m_options.limitBytes) describe(kept.row, seenByHost(tensor, device));
    else kept.data = std::make_shared<Bytes>(Bytes{bytesOf(seenByHost(tensor, device)), {}});
    return kept;
}

// What nobody has set since is not copied again; where others may write into its memory nobody knows that.
CaptureRecord::Kept CaptureRecord::keepShared(const engine::VarRef &variable, CapturedRole role, std::size_t position)
{
    const engine::Container &container = *variable->container();
    const std::uint64_t generation = container.generation();
    const engine::Value value = engine::sharedValue(container);
    const bool isKnown = value.isTensor() && value.tensor().storage() && value.tensor().storage()->memory() == engine::Memory::Ours;
    if (isKnown) {
        const std::lock_guard lock(m_mutex);
        const auto found = m_shared.find(&container);
        if (found != m_shared.end() && found->second.generation == generation && !found->second.container.expired()) {
            Kept kept;
            kept.row.role = role;
            kept.row.position = static_cast<int>(position);
            kept.row.name = variable->name();
            kept.row.dtype = engine::nameOf(value.tensor().dtype());
            kept.row.shape = shapeText(value.tensor().shape());
            kept.data = found->second.data;
            return kept;
        }
    }
    Kept kept = keep(value, role, position, variable->name(), {});
    if (isKnown && kept.data) {
        const std::lock_guard lock(m_mutex);
        m_shared[&container] = {variable->container(), generation, kept.data};
    }
    return kept;
}

void CaptureRecord::describe(CapturedValue &row, const engine::Tensor &host) const
{
    row.reason =
        liveness::sizeText(host.bytes()) + " do not fit into the " + liveness::sizeText(m_options.limitBytes) + " of --capture-limit";
    row.seed = static_cast<std::int64_t>(host.bytes() % 1'000'003) + row.position + 1;
    if (host.size() == 0 || engine::isComplex(host.dtype())) return;
    const std::int64_t step = std::max<std::int64_t>(1, host.size() / static_cast<std::int64_t>(m_options.sampledElements));
    double sum = 0, squares = 0;
    row.min = HUGE_VAL, row.max = -HUGE_VAL;
    for (std::int64_t i = 0; i < host.size(); i += step) {
        const double value = host.at(i);
        if (!std::isfinite(value)) continue;
        ++row.counted;
        row.min = std::min(row.min, value);
        row.max = std::max(row.max, value);
        const double before = row.mean;
        sum += value;
        row.mean = sum / static_cast<double>(row.counted);
        squares += (value - before) * (value - row.mean);
    }
    if (row.counted == 0) row.min = row.max = 0;
    else row.deviation = std::sqrt(squares / static_cast<double>(row.counted));
}

void CaptureRecord::write(Call call)
{
    std::vector<CapturedValue> rows;
    std::size_t left = 0;
    const std::lock_guard lock(m_mutex);
    std::vector<std::string> &named = m_named[{raw(call.info.function), call.info.call}];
    for (Kept &kept : call.values) {
        CapturedValue row = std::move(kept.row);
        row.function = call.info.function;
        row.call = call.info.call;
        if (kept.data) {
            Bytes &data = *kept.data;
            if (data.key.empty()) data.key = arrayKey(data.bytes);
            const auto known = m_stored.find(data.key);
            const std::size_t size = data.bytes.size();
            const engine::DType dtype = engine::dtypeFromName(row.dtype).value_or(engine::DType::UInt8);
            if (known != m_stored.end() || m_storedBytes + size <= m_options.limitBytes) {
                if (known == m_stored.end()) {
                    m_storedBytes += size;
                    m_writer.addCapturedArray(data.key, {kept.data, &data.bytes}, engine::sizeOf(dtype));
                }
                Stored &stored = m_stored[data.key];
                stored.bytes = size;
                ++stored.calls;
                named.push_back(data.key);
                row.array = data.key;
            } else {
                engine::Dims shape;
                for (std::size_t at = 0; at < row.shape.size(); at = row.shape.find(',', at), at += at != std::string::npos)
                    shape.push_back(std::strtoll(row.shape.c_str() + at, nullptr, 10));
                engine::Tensor tensor = engine::Tensor::empty(dtype, shape);
                std::memcpy(tensor.data(), data.bytes.data(), data.bytes.size());
                describe(row, tensor);
            }
        }
        left += row.array.empty() && !row.dtype.empty();
        rows.push_back(std::move(row));
    }
    if (left)
        m_writer.countDrop("captured arrays", static_cast<std::int64_t>(left),
                           "more than --capture-limit allows; their statistics are kept");
    m_writer.addCapturedCall(call.info, std::move(rows));
}

void CaptureRecord::writeSlowest(std::uint32_t id, OneFunction &one)
{
    if (one.written) {
        // The one before: it goes, or is there by another reason.
        if (one.isWrittenSure) {
            one.written->reason = CaptureReason::Chosen;
            m_writer.addCapturedCall(*one.written, {});
        } else {
            forget({id, one.written->call});
            m_writer.removeCapturedCall(one.written->function, one.written->call);
        }
    }
    one.written = one.slowest.info;
    one.isWrittenSure = one.isSlowestSure;
    one.isSlowestWritten = true;
    if (one.isSlowestSure) m_writer.addCapturedCall(one.slowest.info, {});
    else write(one.slowest);
}

void CaptureRecord::forget(const CallName &call)
{
    const std::lock_guard lock(m_mutex);
    const auto named = m_named.find(call);
    if (named == m_named.end()) return;
    for (const std::string &key : named->second)
        if (const auto stored = m_stored.find(key); stored != m_stored.end() && --stored->second.calls == 0) {
            m_storedBytes -= stored->second.bytes;
            m_stored.erase(stored);
        }
    m_named.erase(named);
}

void CaptureRecord::dropped(std::uint32_t id)
{
    OneFunction *one = find(id);
    if (!one) return;
    if (one->hasSlowest && !one->isSlowestWritten) writeSlowest(id, *one);
    if (one->notLookedAt)
        m_writer.countDrop("calls looked at for the slowest", static_cast<std::int64_t>(one->notLookedAt),
                           "copying what they were given took more than a quarter of their time");
    one->hasSlowest = false;
    one->notLookedAt = 0;
}

void CaptureRecord::finish()
{
    std::vector<std::uint32_t> ids;
    {
        const std::lock_guard lock(m_mutex);
        for (const auto &[id, one] : m_functions) ids.push_back(id);
    }
    for (const std::uint32_t id : ids) dropped(id);
}

} // namespace profiler
