#include "profiler/session/codec/edit_codec.h"

#include "profiler/session/codec/varint.h"
#include "profiler/session/model/model.h"

namespace profiler {

namespace {

using Bytes = std::vector<std::uint8_t>;

enum Kind : std::uint64_t { kAddVariable = 1, kAddApply, kSetInput, kSetOutput, kRename, kPruneApply, kPruneVariable, kAddSources };

void put(Bytes &out, StringId id) { putVarint(out, raw(id)); }
void put(Bytes &out, ApplyId id) { putId(out, raw(id)); }
void put(Bytes &out, VariableId id) { putId(out, raw(id)); }

void put(Bytes &out, const std::vector<SourceRef> &sources)
{
    putVarint(out, sources.size());
    for (const SourceRef &source : sources) {
        put(out, source.file);
        putVarint(out, source.line);
    }
}

void put(Bytes &out, const std::vector<PortPair> &pairs)
{
    putVarint(out, pairs.size());
    for (const PortPair &pair : pairs) {
        putVarint(out, pair.output);
        putVarint(out, pair.input);
    }
}

std::uint64_t payload(Bytes &out, const AddVariable &edit)
{
    put(out, edit.id);
    putVarint(out, static_cast<std::uint64_t>(edit.kind));
    put(out, edit.type);
    put(out, edit.name);
    put(out, edit.value);
    put(out, edit.sources);
    return kAddVariable;
}

std::uint64_t payload(Bytes &out, const AddApply &edit)
{
    put(out, edit.id);
    put(out, edit.op);
    put(out, edit.friendly);
    put(out, edit.opClass);
    put(out, edit.device);
    putVarint(out, edit.inputs.size());
    for (VariableId input : edit.inputs) put(out, input);
    putVarint(out, edit.outputs.size());
    for (const OutputSpec &output : edit.outputs) {
        put(out, output.id);
        put(out, output.type);
        put(out, output.name);
    }
    put(out, edit.views);
    put(out, edit.destroys);
    put(out, edit.sources);
    return kAddApply;
}

std::uint64_t payload(Bytes &out, const SetInput &edit)
{
    put(out, edit.apply);
    putVarint(out, edit.port);
    put(out, edit.before);
    put(out, edit.after);
    return kSetInput;
}

std::uint64_t payload(Bytes &out, const SetOutput &edit)
{
    putVarint(out, edit.index);
    put(out, edit.before);
    put(out, edit.after);
    return kSetOutput;
}

std::uint64_t payload(Bytes &out, const Rename &edit)
{
    put(out, edit.variable);
    put(out, edit.before);
    put(out, edit.after);
    return kRename;
}

std::uint64_t payload(Bytes &out, const PruneApply &edit)
{
    put(out, edit.apply);
    return kPruneApply;
}

std::uint64_t payload(Bytes &out, const PruneVariable &edit)
{
    put(out, edit.variable);
    return kPruneVariable;
}

std::uint64_t payload(Bytes &out, const AddSources &edit)
{
    put(out, edit.apply);
    put(out, edit.sources);
    return kAddSources;
}

template <class OneEdit>
void appendEdit(Bytes &out, const OneEdit &edit)
{
    const std::size_t at = out.size();
    out.resize(at + 2); // for the kind, and a length of one byte
    out[at] = static_cast<std::uint8_t>(payload(out, edit));
    const std::size_t length = out.size() - at - 2;
    Bytes bytes;
    if (length >= 0x80) putVarint(bytes, length);
    out[at + 1] = bytes.empty() ? static_cast<std::uint8_t>(length) : bytes.front();
    if (bytes.size() > 1) out.insert(out.begin() + static_cast<std::ptrdiff_t>(at) + 2, bytes.begin() + 1, bytes.end());
}

// Reads fields of one record; each failure says what it is.
class Fields {
public:
    explicit Fields(std::span<const std::uint8_t> bytes, const char *what = "an edit record") : m_in(bytes), m_what(what) {}
    [[nodiscard]] bool atEnd() const { return m_in.atEnd(); }

    std::uint32_t number()
    {
        const auto value = m_in.next();
        if (!value || *value > 0xffffffffu)
            throw SessionError(std::string(m_what) + " is cut short or holds a number out of range", "the session file is damaged");
        return static_cast<std::uint32_t>(*value);
    }
    StringId string() { return StringId{number()}; }
    ApplyId apply() { return ApplyId{number() - 1}; }
    VariableId variable() { return VariableId{number() - 1}; }

    // The number of items of a list; each takes at least `bytesEach`, so a hostile length cannot allocate.
    std::uint32_t length(std::size_t bytesEach)
    {
        const std::uint32_t count = number();
        if (count > m_in.left() / bytesEach)
            throw SessionError(std::string(m_what) + " states a list longer than itself", "the session file is damaged");
        return count;
    }

    std::vector<SourceRef> sources()
    {
        std::vector<SourceRef> result(length(2));
        for (SourceRef &source : result) {
            source.file = string();
            source.line = number();
        }
        return result;
    }

    std::vector<PortPair> pairs()
    {
        std::vector<PortPair> result(length(2));
        for (PortPair &pair : result) {
            pair.output = number();
            pair.input = number();
        }
        return result;
    }

private:
    VarintReader m_in;
    const char *m_what;
};

AddVariable readAddVariable(Fields &in)
{
    AddVariable edit;
    edit.id = in.variable();
    const std::uint32_t kind = in.number();
    if (kind < 1 || kind > 3)
        throw SessionError("an edit adds a variable of unknown kind " + std::to_string(kind), "the session file is damaged");
    edit.kind = static_cast<VariableKind>(kind);
    edit.type = in.string();
    edit.name = in.string();
    edit.value = in.string();
    edit.sources = in.sources();
    return edit;
}

AddApply readAddApply(Fields &in)
{
    AddApply edit;
    edit.id = in.apply();
    edit.op = in.string();
    edit.friendly = in.string();
    edit.opClass = in.string();
    edit.device = in.string();
    edit.inputs.resize(in.length(1));
    for (VariableId &input : edit.inputs) input = in.variable();
    edit.outputs.resize(in.length(3));
    for (OutputSpec &output : edit.outputs) {
        output.id = in.variable();
        output.type = in.string();
        output.name = in.string();
    }
    edit.views = in.pairs();
    edit.destroys = in.pairs();
    edit.sources = in.sources();
    return edit;
}

} // namespace

template <class OneEdit>
void addEdit(StepFacts &step, const OneEdit &edit)
{
    appendEdit(step.edits, edit);
    ++step.editCount;
}

template void addEdit(StepFacts &step, const AddVariable &edit);
template void addEdit(StepFacts &step, const AddApply &edit);
template void addEdit(StepFacts &step, const SetInput &edit);
template void addEdit(StepFacts &step, const SetOutput &edit);
template void addEdit(StepFacts &step, const Rename &edit);
template void addEdit(StepFacts &step, const PruneApply &edit);
template void addEdit(StepFacts &step, const PruneVariable &edit);
template void addEdit(StepFacts &step, const AddSources &edit);

EditList::EditList(const std::vector<Edit> &edits) : m_bytes(encodeEdits(edits)) {}

void EditList::push_back(const Edit &edit)
{
    std::visit([this](const auto &one) { appendEdit(m_bytes, one); }, edit);
}

std::vector<Edit> EditList::all() const { return decodeEdits(m_bytes); }

std::vector<std::uint8_t> encodeEdits(std::span<const Edit> edits)
{
    Bytes out;
    for (const Edit &edit : edits) std::visit([&out](const auto &one) { appendEdit(out, one); }, edit);
    return out;
}

std::vector<Edit> decodeEdits(std::span<const std::uint8_t> blob)
{
    std::vector<Edit> edits;
    VarintReader in(blob);
    while (!in.atEnd()) {
        const auto kind = in.next();
        const auto size = in.next();
        const auto bytes = size ? in.take(*size) : std::nullopt;
        if (!kind || !bytes) throw SessionError("a list of edits is cut short", "the session file is damaged");
        Fields fields(*bytes);
        // Braces fix the order in which fields are read.
        switch (*kind) {
        case kAddVariable: edits.emplace_back(readAddVariable(fields)); break;
        case kAddApply: edits.emplace_back(readAddApply(fields)); break;
        case kSetInput: edits.emplace_back(SetInput{fields.apply(), fields.number(), fields.variable(), fields.variable()}); break;
        case kSetOutput: edits.emplace_back(SetOutput{fields.number(), fields.variable(), fields.variable()}); break;
        case kRename: edits.emplace_back(Rename{fields.variable(), fields.string(), fields.string()}); break;
        case kPruneApply: edits.emplace_back(PruneApply{fields.apply()}); break;
        case kPruneVariable: edits.emplace_back(PruneVariable{fields.variable()}); break;
        case kAddSources: edits.emplace_back(AddSources{fields.apply(), fields.sources()}); break;
        default: break; // of a newer minor schema
        }
    }
    return edits;
}

void appendBecame(Bytes &lineage, const Became &one)
{
    put(lineage, one.from);
    putVarint(lineage, static_cast<std::uint64_t>(one.fate));
    put(lineage, one.to);
}

std::vector<std::uint8_t> encodeLineage(std::span<const Became> lineage)
{
    Bytes out;
    for (const Became &one : lineage) appendBecame(out, one);
    return out;
}

std::vector<Became> decodeLineage(std::span<const std::uint8_t> blob)
{
    std::vector<Became> lineage;
    for (Fields in(blob, "what a step made of its applies"); !in.atEnd();) {
        Became one;
        one.from = in.apply();
        const std::uint32_t fate = in.number();
        one.fate = fate > static_cast<std::uint32_t>(Fate::Dead) ? Fate::Kept : static_cast<Fate>(fate);
        one.to = in.apply();
        lineage.push_back(one);
    }
    return lineage;
}

std::vector<std::uint8_t> encodeOrigins(std::span<const std::vector<ApplyId>> origins)
{
    Bytes out;
    for (const std::vector<ApplyId> &applies : origins) {
        putVarint(out, applies.size());
        for (ApplyId apply : applies) put(out, apply);
    }
    return out;
}

std::vector<std::vector<ApplyId>> decodeOrigins(std::span<const std::uint8_t> blob)
{
    std::vector<std::vector<ApplyId>> origins;
    for (Fields in(blob, "the origins of a body"); !in.atEnd();) {
        origins.emplace_back(in.length(1));
        for (ApplyId &apply : origins.back()) apply = in.apply();
    }
    return origins;
}

std::vector<std::uint8_t> encodeWords(std::span<const LastWord> words)
{
    Bytes out;
    for (const LastWord &word : words) {
        put(out, word.rewrite);
        put(out, word.reason);
        put(out, word.because);
    }
    return out;
}

std::vector<LastWord> decodeWords(std::span<const std::uint8_t> blob)
{
    std::vector<LastWord> words;
    for (Fields in(blob, "the declines of an apply"); !in.atEnd();) {
        LastWord word;
        word.rewrite = in.string();
        word.reason = in.string();
        word.because = in.apply();
        words.push_back(word);
    }
    return words;
}

void appendApply(Bytes &applies, ApplyId apply) { put(applies, apply); }

std::vector<std::uint8_t> encodeApplies(std::span<const ApplyId> applies)
{
    Bytes out;
    for (ApplyId apply : applies) appendApply(out, apply);
    return out;
}

std::vector<ApplyId> decodeApplies(std::span<const std::uint8_t> blob)
{
    std::vector<ApplyId> applies;
    VarintReader in(blob);
    while (!in.atEnd()) {
        const auto value = in.next();
        if (!value || *value > 0xffffffffu) throw SessionError("a list of applies is damaged", "the session file is damaged");
        applies.push_back(ApplyId{static_cast<std::uint32_t>(*value) - 1});
    }
    return applies;
}

} // namespace profiler
