#include "engine/text/notation_types.h"

#include "engine/tensor/dims.h"
#include "engine/text/notation.h"

#include <utility>

namespace engine {
namespace {

using Kind = NotationToken::Kind;

constexpr const char *kHint = "write a word like fmatrix, dvector, lscalar, or sizes like float32[3,?]";

class TypeReader {
public:
    TypeReader(const std::vector<NotationToken> &tokens, std::size_t &at, DType floatX) : m_tokens(tokens), m_at(at), m_floatX(floatX) {}

    Type read()
    {
        const NotationToken &word = m_tokens[m_at];
        if (word.kind != Kind::Name) fail(word, "a type is missing here");
        ++m_at;
        if (word.text == "TensorType") return tensorType();
        if (word.text == "RandomStateType") return Type::plain(TypeKind::RandomState);
        if (auto type = typeFromWord(word.text, m_floatX)) return *type;
        const auto dtype = word.text == "floatX" ? std::optional(m_floatX) : dtypeFromName(word.text);
        if (!dtype) fail(word, "there is no type " + word.text);
        std::vector<std::int64_t> shape;
        if (accept("["))
            while (!accept("]")) {
                shape.push_back(size());
                if (!isSymbol("]")) expect(",");
            }
        return checked(word, *dtype, shape);
    }

private:
    bool isSymbol(std::string_view text) const { return m_tokens[m_at].kind == Kind::Symbol && m_tokens[m_at].text == text; }
    bool accept(std::string_view text)
    {
        if (!isSymbol(text)) return false;
        ++m_at;
        return true;
    }
    void expect(std::string_view text)
    {
        if (!accept(text)) fail(m_tokens[m_at], "'" + std::string(text) + "' is missing in the type");
    }
    [[noreturn]] static void fail(const NotationToken &at, const std::string &message)
    {
        throw NotationError(message, at.line, at.column, kHint);
    }

    std::int64_t size()
    {
        const NotationToken &token = m_tokens[m_at];
        if (accept("?")) return kUnknownDim;
        if (token.kind == Kind::Name && token.text == "None") {
            ++m_at;
            return kUnknownDim;
        }
        if (token.kind != Kind::Integer || token.text.size() > 12) fail(token, "a size is a whole number or ?");
        ++m_at;
        return std::stoll(token.text);
    }

    Type checked(const NotationToken &word, DType dtype, const std::vector<std::int64_t> &shape) const
    {
        if (shape.size() > static_cast<std::size_t>(kMaxRank)) fail(word, "a type has at most " + std::to_string(kMaxRank) + " dimensions");
        return Type::tensor(dtype, shape);
    }

    // TensorType(float64, matrix), TensorType(float64, (True, False)), TensorType(float64, 5D)
    Type tensorType()
    {
        const NotationToken &start = m_tokens[m_at - 1];
        expect("(");
        const NotationToken &word = m_tokens[m_at];
        const auto dtype = word.text == "floatX" ? std::optional(m_floatX) : dtypeFromName(word.text);
        if (word.kind != Kind::Name || !dtype) fail(word, "there is no dtype " + word.text);
        ++m_at;
        expect(",");
        const NotationToken &second = m_tokens[m_at];
        if (second.kind == Kind::Name) {
            ++m_at;
            expect(")");
            if (second.text.back() == 'D' && second.text.size() <= 3 && second.text[0] >= '0' && second.text[0] <= '9')
                return checked(second, *dtype, std::vector<std::int64_t>(std::stoul(second.text), kUnknownDim));
            const auto type = typeFromWord(second.text, *dtype);
            if (!type) fail(second, "there is no type " + second.text);
            return *type;
        }
        std::vector<std::int64_t> shape;
        expect("(");
        while (!accept(")")) {
            const NotationToken &flag = m_tokens[m_at];
            if (flag.text != "True" && flag.text != "False") fail(flag, "True or False is missing here");
            ++m_at;
            shape.push_back(flag.text == "True" ? 1 : kUnknownDim);
            if (!isSymbol(")")) expect(",");
        }
        expect(")");
        return checked(start, *dtype, shape);
    }

    const std::vector<NotationToken> &m_tokens;
    std::size_t &m_at;
    DType m_floatX;
};

} // namespace

std::optional<Type> typeFromWord(std::string_view word, DType floatX)
{
    static constexpr std::pair<std::string_view, const char *> kWords[] = {
        {"scalar", ""},     {"vector", "?"},     {"row", "1?"},        {"col", "?1"},         {"matrix", "??"},
        {"tensor3", "???"}, {"tensor4", "????"}, {"tensor5", "?????"}, {"tensor6", "??????"}, {"tensor7", "???????"}};
    static constexpr std::pair<char, DType> kPrefixes[] = {{'b', DType::Int8},      {'w', DType::Int16},     {'i', DType::Int32},
                                                           {'l', DType::Int64},     {'f', DType::Float32},   {'d', DType::Float64},
                                                           {'c', DType::Complex64}, {'z', DType::Complex128}};
    const auto find = [&](std::string_view rest, DType dtype) -> std::optional<Type> {
        for (const auto &[name, shape] : kWords) {
            if (name != rest) continue;
            std::vector<std::int64_t> sizes;
            for (const char *at = shape; *at; ++at) sizes.push_back(*at == '1' ? 1 : kUnknownDim);
            return Type::tensor(dtype, sizes);
        }
        return std::nullopt;
    };
    if (auto type = find(word, floatX)) return type;
    for (const auto &[letter, dtype] : kPrefixes)
        if (!word.empty() && word[0] == letter)
            if (auto type = find(word.substr(1), dtype)) return type;
    return std::nullopt;
}

Type readNotationType(const std::vector<NotationToken> &tokens, std::size_t &at, DType floatX)
{
    return TypeReader(tokens, at, floatX).read();
}

} // namespace engine
