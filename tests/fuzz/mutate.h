#pragma once
// Grows texts out of a corpus: cuts, joins, repeats, replaces bytes and words. Same seed, same texts.

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace fuzz {

class Mutator {
public:
    Mutator(std::vector<std::string> corpus, std::vector<std::string> words, std::uint64_t seed)
        : m_corpus(std::move(corpus)), m_words(std::move(words)), m_random(seed)
    {}

    std::string next()
    {
        std::string text = m_corpus[pick(m_corpus.size())];
        const std::size_t count = 1 + pick(6);
        for (std::size_t i = 0; i < count; ++i) mutate(text);
        if (text.size() > kLongest) text.resize(kLongest);
        return text;
    }

    /// A text that was read without an error is worth growing from.
    void keep(const std::string &text)
    {
        if (m_corpus.size() < 500) m_corpus.push_back(text);
        else m_corpus[pick(m_corpus.size())] = text;
    }

    std::size_t pick(std::size_t count) { return static_cast<std::size_t>(m_random() % count); }

private:
    static constexpr std::size_t kLongest = 20'000;

    void mutate(std::string &text)
    {
        const std::size_t at = pick(text.size() + 1);
        const std::size_t length = std::min(1 + pick(8), text.size() - at);
        switch (pick(9)) {
        case 0: text.erase(at, length); break;
        case 1: text.insert(at, 1, static_cast<char>(pick(256))); break;
        case 2: text.insert(at, m_words[pick(m_words.size())]); break;
        case 3: text.replace(at, length, m_words[pick(m_words.size())]); break;
        case 4:
            if (at < text.size()) text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1u << pick(8)));
            break;
        case 5: { // a piece of another text
            const std::string &other = m_corpus[pick(m_corpus.size())];
            const std::size_t from = pick(other.size() + 1);
            text.insert(at, other.substr(from, 1 + pick(40)));
            break;
        }
        case 6: { // the same again and again
            const std::string piece = text.substr(at, 1 + pick(20));
            const std::size_t times = 1 + pick(pick(10) ? 4 : 400);
            for (std::size_t i = 0; i < times && text.size() < kLongest; ++i) text.insert(at, piece);
            break;
        }
        case 7: { // a number
            static const char *const numbers[] = {"0",
                                                  "-1",
                                                  "1",
                                                  "255",
                                                  "2147483648",
                                                  "9223372036854775807",
                                                  "-9223372036854775808",
                                                  "1e308",
                                                  "1e-320",
                                                  "0.1",
                                                  "18446744073709551616"};
            text.insert(at, numbers[pick(std::size(numbers))]);
            break;
        }
        default: text.resize(at); break;
        }
    }

    std::vector<std::string> m_corpus, m_words;
    std::mt19937_64 m_random;
};

inline double seconds()
{
    if (const char *given = std::getenv("CROTON_FUZZ_SECONDS")) return std::atof(given);
    return std::getenv("CROTON_LONG_TESTS") ? 60 : 2;
}

inline std::uint64_t seed()
{
    const char *given = std::getenv("CROTON_FUZZ_SEED");
    return given ? std::strtoull(given, nullptr, 10) : 1;
}

/// Calls `read` with new texts until the time is over; true from it keeps the text. How many were tried.
inline std::size_t run(Mutator &mutator, const std::function<bool(const std::string &)> &read)
{
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds());
    std::size_t count = 0;
    while (std::chrono::steady_clock::now() < end)
        for (int i = 0; i < 50; ++i, ++count) {
            const std::string text = mutator.next();
            if (read(text)) mutator.keep(text);
        }
    return count;
}

} // namespace fuzz
