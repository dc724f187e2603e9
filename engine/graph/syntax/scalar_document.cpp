#include "engine/graph/syntax/scalar_document.h"

namespace engine {
namespace {

constexpr std::size_t kMaxInstructions = 2000;
constexpr std::size_t kMaxInputs = 1000;

class BodyReader {
public:
    BodyReader(const JsonValue &object, std::string place) : m_object(object), m_place(std::move(place)) {}

    ScalarOpPtr read()
    {
        const JsonValue &inputs = array(m_object, "inputs", m_place);
        if (inputs.items.size() > kMaxInputs) fail("inputs", "a body has at most " + std::to_string(kMaxInputs) + " inputs");
        for (std::size_t i = 0; i < inputs.items.size(); ++i)
            m_types.push_back(OpParameters::dtypeOf(inputs.items[i], m_place + ".inputs[" + std::to_string(i) + "]"));
        m_body.inputCount = static_cast<std::uint32_t>(m_types.size());
        m_body.inputTypes = m_types;

        const JsonValue &instructions = array(m_object, "instructions", m_place);
        if (instructions.items.size() > kMaxInstructions)
            fail("instructions", "a body has at most " + std::to_string(kMaxInstructions) + " instructions");
        for (std::size_t i = 0; i < instructions.items.size(); ++i)
            instruction(instructions.items[i], m_place + ".instructions[" + std::to_string(i) + "]");

        const JsonValue &outputs = array(m_object, "outputs", m_place);
        if (outputs.items.empty()) fail("outputs", "a body has at least one output");
        if (outputs.items.size() > kMaxInstructions) fail("outputs", "a body has at most " + std::to_string(kMaxInstructions) + " outputs");
        for (std::size_t i = 0; i < outputs.items.size(); ++i)
            m_body.outputs.push_back(reference(outputs.items[i], m_place + ".outputs[" + std::to_string(i) + "]"));
        return compositeOp(std::move(m_body));
    }

private:
    [[noreturn]] void fail(const char *key, const std::string &message) const { throw DocumentError(m_place + "." + key + ": " + message); }

    static const JsonValue &array(const JsonValue &object, const char *key, const std::string &place)
    {
        const JsonValue *value = object.find(key);
        if (!value || !value->isArray()) throw DocumentError(place + "." + key + ": an array was expected");
        return *value;
    }

    std::uint32_t reference(const JsonValue &value, const std::string &place) const
    {
        return static_cast<std::uint32_t>(OpParameters::integerOf(value, place, 0, static_cast<std::int64_t>(m_types.size()) - 1));
    }

    void instruction(const JsonValue &item, const std::string &place)
    {
        ScalarInstruction result;
        if (const JsonValue *value = item.find("literal")) {
            const JsonValue *dtype = item.find("dtype");
            if (!dtype) throw DocumentError(place + ": the dtype of the literal is missing");
            result.dtype = OpParameters::dtypeOf(*dtype, place + ".dtype");
            result.literal = OpParameters::realOf(*value, place + ".literal");
        } else {
            const JsonValue *scalar = item.find("scalar");
            if (!scalar) throw DocumentError(place + ": \"scalar\" or \"literal\" is missing");
            result.op = readScalar(*scalar, place + ".scalar");
            if (result.op->code() == ScalarCode::Composite) throw DocumentError(place + ".scalar: bodies are not nested");
            std::vector<DType> types;
            const JsonValue &arguments = array(item, "arguments", place);
            for (std::size_t i = 0; i < arguments.items.size(); ++i) {
                result.arguments.push_back(reference(arguments.items[i], place + ".arguments[" + std::to_string(i) + "]"));
                types.push_back(m_types[result.arguments.back()]);
            }
            const int wanted = result.op->arity();
            if (wanted < 0 ? types.empty() : types.size() != static_cast<std::size_t>(wanted))
                throw DocumentError(place + ".arguments: " + result.op->name() + " takes " +
                                    (wanted < 0 ? "one or more" : std::to_string(wanted)));
            try {
                result.dtype = result.op->resultType(types);
            } catch (const UserError &error) {
                throw DocumentError(place + ": " + error.what());
            }
        }
        m_types.push_back(result.dtype);
        m_body.instructions.push_back(std::move(result));
    }

    const JsonValue &m_object;
    std::string m_place;
    ScalarBody m_body;
    std::vector<DType> m_types;
};

} // namespace

void writeScalar(JsonWriter &out, const ScalarOp &scalar)
{
    const ScalarBody *body = scalar.body();
    if (!body && !scalar.castTarget()) return out.value(scalar.name());
    out.beginObject();
    if (scalar.castTarget()) {
        out.member("cast", nameOf(*scalar.castTarget()));
        return out.endObject();
    }
    const auto list = [&](const char *key, const std::vector<std::uint32_t> &values) {
        out.key(key);
        out.beginArray();
        for (std::uint32_t value : values) out.value(value);
        out.endArray();
    };
    out.key("inputs");
    out.beginArray();
    for (DType dtype : body->inputTypes) out.value(nameOf(dtype));
    out.endArray();
    out.key("instructions");
    out.beginArray();
    for (const ScalarInstruction &instruction : body->instructions) {
        out.beginObject();
        if (instruction.op) {
            out.key("scalar");
            writeScalar(out, *instruction.op);
            list("arguments", instruction.arguments);
        } else {
            out.member("literal", instruction.literal);
            out.member("dtype", nameOf(instruction.dtype));
        }
        out.endObject();
    }
    out.endArray();
    list("outputs", body->outputs);
    out.endObject();
}

ScalarOpPtr readScalar(const JsonValue &value, const std::string &place)
{
    if (value.isText()) {
        const ScalarOpPtr scalar = findScalarOp(value.text);
        if (!scalar || scalar->code() == ScalarCode::Cast || scalar->code() == ScalarCode::Composite)
            throw DocumentError(place + ": there is no scalar function " + value.text);
        return scalar;
    }
    if (!value.isObject()) throw DocumentError(place + ": a name, a cast or a body was expected");
    if (const JsonValue *target = value.find("cast")) return castOp(OpParameters::dtypeOf(*target, place + ".cast"));
    return BodyReader(value, place).read();
}

} // namespace engine
