#include "profiler/session/codec/pages.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace profiler {

namespace {

constexpr int kDeepest = 16;

template <class Number>
void append(std::string &out, Number value)
{
    char digits[32];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
    out.append(digits, end);
}

} // namespace

void appendJson(std::string &out, std::string_view text)
{
    static const char *hex = "0123456789abcdef";
    out += '"';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') (out += '\\') += c;
        else if (byte < 0x20) ((out += "\\u00") += hex[byte >> 4]) += hex[byte & 15];
        else out += c;
    }
    out += '"';
}

std::string jsonTexts(std::span<const std::string> texts)
{
    std::string out = "[";
    for (const std::string &one : texts) {
        if (out.size() > 1) out += ',';
        appendJson(out, one);
    }
    return out + "]";
}

std::vector<std::uint32_t> idsOfJson(std::string_view text)
{
    std::vector<std::uint32_t> ids;
    PageRows list(text);
    for (std::int64_t value = 0; list.nextValue(value);)
        ids.push_back(value < 0 || value > 0xffffffff ? 0xffffffffu : static_cast<std::uint32_t>(value));
    return ids;
}

std::vector<std::string> textsOfJson(std::string_view text)
{
    std::vector<std::string> texts;
    PageRows list(text);
    for (std::string one; list.nextValue(one);) texts.push_back(one);
    return texts;
}

void PageText::put(std::int64_t value) { append(m_text, value); }

void PageText::put(double value)
{
    if (std::isfinite(value)) append(m_text, value);
    else m_text += "null";
}

void PageText::putId(std::uint32_t id)
{
    if (id == 0xffffffffu) m_text += "null";
    else append(m_text, id);
}

void PageText::put(const Histogram &value)
{
    const char *separator = "[";
    for (const auto &[bucket, count] : value.buckets()) {
        m_text += separator;
        append(m_text, bucket);
        m_text += ',';
        append(m_text, count);
        separator = ",";
    }
    m_text += value.buckets().empty() ? "[]" : "]";
}

void PageRows::fail() { throw SessionError("the session is damaged: a page of rows cannot be read"); }

bool PageRows::take(char c)
{
    if (m_at == m_end || *m_at != c) return false;
    ++m_at;
    return true;
}

void PageRows::expect(char c)
{
    if (!take(c)) fail();
}

bool PageRows::enters()
{
    if (take(']')) return false;
    if (!std::exchange(m_isFirstRow, false)) expect(',');
    expect('[');
    m_isFirst = true;
    m_isLeft = false;
    return true;
}

bool PageRows::hasMore()
{
    if (m_isLeft) return false;
    if (take(']')) {
        m_isLeft = true;
        return false;
    }
    if (!std::exchange(m_isFirst, false)) expect(',');
    return true;
}

bool PageRows::isNull()
{
    if (m_end - m_at < 4 || std::string_view(m_at, 4) != "null") return false;
    m_at += 4;
    return true;
}

double PageRows::number()
{
    double value = 0;
    const auto [end, error] = std::from_chars(m_at, m_end, value);
    if (error != std::errc()) fail();
    m_at = end;
    return value;
}

std::int64_t PageRows::integer()
{
    constexpr std::int64_t kMost = std::int64_t{1} << 50; // as in Row
    if (isNull()) return 0;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(m_at, m_end, value);
    if (error == std::errc() && (end == m_end || (*end != '.' && *end != 'e' && *end != 'E'))) m_at = end;
    else {
        const double wide = number();
        value = wide > static_cast<double>(kMost) ? kMost : wide > -static_cast<double>(kMost) ? static_cast<std::int64_t>(wide) : -kMost;
    }
    return std::clamp(value, -kMost, kMost);
}

std::uint32_t PageRows::id()
{
    if (isNull()) return 0xffffffffu;
    const std::int64_t value = integer();
    return value < 0 || value > 0xffffffff ? 0xffffffffu : static_cast<std::uint32_t>(value);
}

void PageRows::get(int &value)
{
    value = static_cast<int>(std::clamp<std::int64_t>(integer(), std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}

void PageRows::get(std::string &value)
{
    value.clear();
    if (isNull()) return;
    expect('"');
    while (true) {
        if (m_at == m_end) fail();
        const char c = *m_at++;
        if (c == '"') return;
        if (c != '\\') {
            value += c;
            continue;
        }
        if (m_at == m_end) fail();
        const char escaped = *m_at++;
        switch (escaped) {
        case 'b': value += '\b'; break;
        case 'f': value += '\f'; break;
        case 'n': value += '\n'; break;
        case 'r': value += '\r'; break;
        case 't': value += '\t'; break;
        case 'u': {
            unsigned code = 0;
            if (m_end - m_at < 4 || std::from_chars(m_at, m_at + 4, code, 16).ptr != m_at + 4) fail();
            m_at += 4;
            value += code < 0x80 ? static_cast<char>(code) : '?'; // the writer has only control characters this way
            break;
        }
        default: value += escaped;
        }
    }
}

void PageRows::get(Histogram &value)
{
    value = {};
    if (isNull()) return;
    expect('[');
    for (bool isFirst = true; !take(']'); isFirst = false) {
        if (!isFirst) expect(',');
        const std::int64_t bucket = integer();
        expect(',');
        const std::int64_t count = integer();
        if (bucket < 0 || bucket >= Histogram::kBuckets || count < 0) fail();
        value.add(Histogram::bucketStartNs(static_cast<std::uint32_t>(bucket)), static_cast<std::uint64_t>(count));
    }
}

const SharedText &PageRows::sharedWord()
{
    const StringId number = isNull() ? kEmptyString : StringId{id()};
    if (!m_texts) fail();
    return m_texts->shared(number);
}

// What a later version has behind the columns that are known here.
void PageRows::skip(int depth)
{
    if (depth > kDeepest) fail();
    if (m_at == m_end) fail();
    if (*m_at == '"') {
        std::string text;
        get(text);
    } else if (take('[')) {
        for (bool isFirst = true; !take(']'); isFirst = false) {
            if (!isFirst) expect(',');
            skip(depth + 1);
        }
    } else if (!isNull()) {
        number();
    }
}

} // namespace profiler
