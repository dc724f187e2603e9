#pragma once
// A text that many rows have in common: a copy of it costs a pointer. Rows of graphs name the same ops, types and files again and
// again. It reads as a std::string; any thread may hold copies.

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace profiler {

class SharedText {
public:
    SharedText() = default;
    SharedText(std::string text) : m_held(text.empty() ? nullptr : new Held{std::move(text)}) {} // NOLINT: is one
    SharedText(const char *text) : SharedText(std::string(text)) {}                              // NOLINT
    SharedText(const SharedText &other) : m_held(other.m_held)
    {
        if (m_held) m_held->holders.fetch_add(1, std::memory_order_relaxed);
    }
    SharedText(SharedText &&other) noexcept : m_held(std::exchange(other.m_held, nullptr)) {}
    SharedText &operator=(SharedText other) noexcept
    {
        std::swap(m_held, other.m_held);
        return *this;
    }
    ~SharedText()
    {
        if (m_held && m_held->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete m_held;
    }

    [[nodiscard]] const std::string &str() const { return m_held ? m_held->text : none(); }
    operator const std::string &() const { return str(); } // NOLINT
    [[nodiscard]] bool empty() const { return !m_held; }
    [[nodiscard]] std::size_t size() const { return str().size(); }
    [[nodiscard]] const char *c_str() const { return str().c_str(); }
    [[nodiscard]] bool ends_with(std::string_view end) const { return str().ends_with(end); }
    [[nodiscard]] bool starts_with(std::string_view begin) const { return str().starts_with(begin); }
    [[nodiscard]] std::size_t find(std::string_view what, std::size_t from = 0) const { return str().find(what, from); }
    [[nodiscard]] std::size_t rfind(char what) const { return str().rfind(what); }
    [[nodiscard]] std::size_t rfind(const char *what, std::size_t from) const { return str().rfind(what, from); }
    [[nodiscard]] std::string substr(std::size_t from, std::size_t count = std::string::npos) const { return str().substr(from, count); }

    friend bool operator==(const SharedText &a, const SharedText &b) { return a.m_held == b.m_held || a.str() == b.str(); }
    friend bool operator==(const SharedText &a, const std::string &b) { return a.str() == b; }
    friend bool operator==(const SharedText &a, const char *b) { return a.str() == b; }
    friend std::strong_ordering operator<=>(const SharedText &a, const SharedText &b)
    {
        return a.m_held == b.m_held ? std::strong_ordering::equal : a.str() <=> b.str();
    }
    friend std::string operator+(const SharedText &a, const SharedText &b) { return a.str() + b.str(); }
    friend std::string operator+(const SharedText &a, const std::string &b) { return a.str() + b; }
    friend std::string operator+(const SharedText &a, const char *b) { return a.str() + b; }
    friend std::string operator+(const SharedText &a, char b) { return a.str() + b; }
    friend std::string operator+(std::string a, const SharedText &b) { return std::move(a) + b.str(); }
    friend std::string operator+(const char *a, const SharedText &b) { return a + b.str(); }
    template <class Stream>
    friend Stream &operator<<(Stream &stream, const SharedText &text)
    {
        stream << text.str();
        return stream;
    }

private:
    struct Held {
        std::string text;
        std::atomic<std::uint32_t> holders = 1;
    };
    static const std::string &none()
    {
        static const std::string empty;
        return empty;
    }

    Held *m_held = nullptr;
};

} // namespace profiler

template <>
struct std::hash<profiler::SharedText> {
    std::size_t operator()(const profiler::SharedText &text) const { return std::hash<std::string>{}(text.str()); }
};

namespace profiler {

// Gives equal texts as one. For the time of a reading.
class TextPool {
public:
    SharedText of(SharedText text) { return text.empty() ? text : *m_known.insert(std::move(text)).first; }

private:
    std::unordered_set<SharedText> m_known;
};

} // namespace profiler
