#include "profiler/session/edit_codec.h"

#include "profiler/session/model.h"
#include "profiler/session/varint.h"

namespace profiler {

namespace {

using Bytes = std::vector<std::uint8_t>;

enum Kind : std::uint64_t {
    kAddVariable = 1,
    kAddApply,
    kSetInput,
    kSetOutput,
    kRename,
    kPruneApply,
    kPruneVariable,
    kAddSources
};

void put(Bytes &out, StringId id) { putVarint(out, raw(id)); }
void put(Bytes &out, ApplyId id) { putId(out, raw(id)); }
void put(Bytes &out, VariableId id) { putId(out, raw(id)); }

void put(Bytes &out, const std::vector<SourceRef> &sources) {
    putVarint(out, sources.size());
    for (const SourceRef &source : sources) {
        put(out, source.file);
        putVarint(out, source.line);
    }
}

void put(Bytes &out, const std::vector<PortPair> &pairs) {
    putVarint(out, pairs.size());
    for (const PortPair &pair : pairs) {
        putVarint(out, pair.output);
        putVarint(out, pair.input);
    }
}

std::uint64_t payload(Bytes &out, const AddVariable &edit) {
    put(out, edit.id);
    putVarint(out, static_cast<std::uint64_t>(edit.kind));
    put(out, edit.type);
    put(out, edit.name);
    put(out, edit.value);
    put(out, edit.sources);
    return kAddVariable;
}

std::uint64_t payload(Bytes &out, const AddApply &edit) {
    put(out, edit.id);
    put(out, edit.op);
    put(out, edit.friendly);
    put(out, edit.opClass);
    put(out, edit.device);
    putVarint(out, edit.inputs.size());
    for (VariableId input : edit.inputs)
        put(out, input);
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

std::uint64_t payload(Bytes &out, const SetInput &edit) {
    put(out, edit.apply);
    putVarint(out, edit.port);
    put(out, edit.before);
    put(out, edit.after);
    return kSetInput;
}

std::uint64_t payload(Bytes &out, const SetOutput &edit) {
    putVarint(out, edit.index);
    put(out, edit.before);
    put(out, edit.after);
    return kSetOutput;
}

std::uint64_t payload(Bytes &out, const Rename &edit) {
    put(out, edit.variable);
    put(out, edit.before);
    put(out, edit.after);
    return kRename;
}

std::uint64_t payload(Bytes &out, const PruneApply &edit) {
    put(out, edit.apply);
    return kPruneApply;
}

std::uint64_t payload(Bytes &out, const PruneVariable &edit) {
    put(out, edit.variable);
    return kPruneVariable;
}

std::uint64_t payload(Bytes &out, const AddSources &edit) {
    put(out, edit.apply);
    put(out, edit.sources);
    return kAddSources;
}

// Reads fields of one record; each failure names the record.
class Fields {
public:
    explicit Fields(std::span<const std::uint8_t> bytes) : m_in(bytes) {}

    std::uint32_t number() {
        const auto value = m_in.next();
        if (!value || *value > 0xffffffffu)
            throw SessionError("an edit record is cut short or holds a number out of range",
                               "the session file is damaged");
        return static_cast<std::uint32_t>(*value);
    }
    StringId string() { return StringId{number()}; }
    ApplyId apply() { return ApplyId{number() - 1}; }
    VariableId variable() { return VariableId{number() - 1}; }

    // The number of items of a list; each takes at least `bytesEach`, so a hostile length cannot allocate.
    std::uint32_t length(std::size_t bytesEach) {
        const std::uint32_t count = number();
        if (count > m_in.left() / bytesEach)
            throw SessionError("an edit record states a list longer than itself",
                               "the session file is damaged");
        return count;
    }

    std::vector<SourceRef> sources() {
        std::vector<SourceRef> result(length(2));
        for (SourceRef &source : result) {
            source.file = string();
            source.line = number();
        }
        return result;
    }

    std::vector<PortPair> pairs() {
        std::vector<PortPair> result(length(2));
        for (PortPair &pair : result) {
            pair.output = number();
            pair.input = number();
        }
        return result;
    }

private:
    VarintReader m_in;
};

AddVariable readAddVariable(Fields &in) {
    AddVariable edit;
    edit.id = in.variable();
    const std::uint32_t kind = in.number();
    if (kind < 1 || kind > 3)
        throw SessionError("an edit adds a variable of unknown kind " + std::to_string(kind),
                           "the session file is damaged");
    edit.kind = static_cast<VariableKind>(kind);
    edit.type = in.string();
    edit.name = in.string();
    edit.value = in.string();
    edit.sources = in.sources();
    return edit;
}

AddApply readAddApply(Fields &in) {
    AddApply edit;
    edit.id = in.apply();
    edit.op = in.string();
    edit.friendly = in.string();
    edit.opClass = in.string();
    edit.device = in.string();
    edit.inputs.resize(in.length(1));
    for (VariableId &input : edit.inputs)
        input = in.variable();
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

std::vector<std::uint8_t> encodeEdits(std::span<const Edit> edits) {
    Bytes out;
    Bytes record;
    for (const Edit &edit : edits) {
        record.clear();
        const std::uint64_t kind =
            std::visit([&record](const auto &one) { return payload(record, one); }, edit);
        putVarint(out, kind);
        putVarint(out, record.size());
        out.insert(out.end(), record.begin(), record.end());
    }
    return out;
}

std::vector<Edit> decodeEdits(std::span<const std::uint8_t> blob) {
    std::vector<Edit> edits;
    VarintReader in(blob);
    while (!in.atEnd()) {
        const auto kind = in.next();
        const auto size = in.next();
        const auto bytes = size ? in.take(*size) : std::nullopt;
        if (!kind || !bytes)
            throw SessionError("a list of edits is cut short", "the session file is damaged");
        Fields fields(*bytes);
        // Braces fix the order in which fields are read.
        switch (*kind) {
        case kAddVariable: edits.emplace_back(readAddVariable(fields)); break;
        case kAddApply: edits.emplace_back(readAddApply(fields)); break;
        case kSetInput:
            edits.emplace_back(
                SetInput{fields.apply(), fields.number(), fields.variable(), fields.variable()});
            break;
        case kSetOutput:
            edits.emplace_back(SetOutput{fields.number(), fields.variable(), fields.variable()});
            break;
        case kRename:
            edits.emplace_back(Rename{fields.variable(), fields.string(), fields.string()});
            break;
        case kPruneApply: edits.emplace_back(PruneApply{fields.apply()}); break;
        case kPruneVariable: edits.emplace_back(PruneVariable{fields.variable()}); break;
        case kAddSources: edits.emplace_back(AddSources{fields.apply(), fields.sources()}); break;
        default: break; // of a newer minor schema
        }
    }
    return edits;
}

std::vector<std::uint8_t> encodeApplies(std::span<const ApplyId> applies) {
    Bytes out;
    for (ApplyId apply : applies)
        put(out, apply);
    return out;
}

std::vector<ApplyId> decodeApplies(std::span<const std::uint8_t> blob) {
    std::vector<ApplyId> applies;
    VarintReader in(blob);
    while (!in.atEnd()) {
        const auto value = in.next();
        if (!value || *value > 0xffffffffu)
            throw SessionError("a list of applies is damaged", "the session file is damaged");
        applies.push_back(ApplyId{static_cast<std::uint32_t>(*value) - 1});
    }
    return applies;
}

} // namespace profiler
