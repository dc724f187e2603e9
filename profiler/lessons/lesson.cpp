#include "profiler/lessons/lesson.h"

#include "engine/liveness/sizes.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace profiler {

namespace {

constexpr std::size_t kMostBytes = 256 * 1024; // of a file: a lesson is read in minutes

struct Kind {
    const char *word;
    LessonBlockKind kind;
};
constexpr Kind kKinds[] = {{"choice", LessonBlockKind::Choice},     {"number", LessonBlockKind::Number},
                           {"nodes", LessonBlockKind::Nodes},       {"task", LessonBlockKind::Task},
                           {"solution", LessonBlockKind::Solution}, {"teacher", LessonBlockKind::Teacher}};

std::string trimmed(const std::string &text)
{
    const std::size_t begin = text.find_first_not_of(" \t\r\n"), end = text.find_last_not_of(" \t\r\n");
    return begin == std::string::npos ? std::string() : text.substr(begin, end - begin + 1);
}

// "key: value", with a key of small letters.
bool isKeyLine(const std::string &line, std::string &key, std::string &value)
{
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || colon == 0) return false;
    if (!std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon), [](char c) { return c >= 'a' && c <= 'z'; }))
        return false;
    if (colon + 1 < line.size() && line[colon + 1] != ' ') return false;
    key = line.substr(0, colon);
    value = trimmed(line.substr(colon + 1));
    return true;
}

class Reader {
public:
    Reader(const std::string &text, const std::string &name, std::vector<LessonFault> &faults) : m_faults(faults)
    {
        m_lesson.name = name;
        std::istringstream in(text);
        for (std::string line; std::getline(in, line);) {
            if (!line.empty() && line.back() == '\r') line.pop_back();
            m_lines.push_back(line);
        }
    }

    Lesson read()
    {
        readHead();
        while (m_at < m_lines.size()) readPage();
        if (m_lesson.title.empty()) fault(1, "The lesson has no title", "begin the file with a line `lesson: What it teaches`");
        if (m_lesson.pages.empty())
            fault(static_cast<int>(m_lines.size()), "The lesson has no page", "begin one with a line `# Its title`");
        return std::move(m_lesson);
    }

private:
    [[nodiscard]] int number() const { return static_cast<int>(m_at) + 1; }
    void fault(int line, std::string sentence, std::string wayOut)
    {
        m_faults.push_back({std::max(1, line), std::move(sentence), std::move(wayOut)});
    }

    void readHead()
    {
        for (; m_at < m_lines.size() && !m_lines[m_at].starts_with("# "); ++m_at) {
            const std::string line = trimmed(m_lines[m_at]);
            if (line.empty()) continue;
            std::string key, value;
            if (!isKeyLine(line, key, value)) {
                fault(number(), "Before the first page stand lines of a word, a colon and a text, not '" + line + "'",
                      "write `about: …`, or begin a page with `# Its title`");
            } else if (key == "lesson") m_lesson.title = value;
            else if (key == "about") m_lesson.about = value;
            else if (key == "group") m_lesson.group = value;
            else if (key == "order" || key == "minutes") readWhole(key, value);
            else if (!readStand(key, value, m_stand))
                fault(number(), "No lesson has a '" + key + "'",
                      "the head knows lesson, about, group, order, minutes, sample, function, at, view and node");
        }
    }

    void readWhole(const std::string &key, const std::string &value)
    {
        int number = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
        if (error != std::errc() || end != value.data() + value.size() || number < 0)
            fault(this->number(), "'" + value + "' is no whole number", "write `" + key + ": 3`");
        (key == "order" ? m_lesson.order : m_lesson.minutes) = number;
    }

    bool readStand(const std::string &key, const std::string &value, LessonStand &stand) const
    {
        std::string *word = key == "sample"     ? &stand.sample
                            : key == "function" ? &stand.function
                            : key == "at"       ? &stand.at
                            : key == "view"     ? &stand.view
                            : key == "node"     ? &stand.node
                                                : nullptr;
        if (!word) return false;
        *word = value;
        stand.line = number();
        return true;
    }

    void readPage()
    {
        LessonPage page;
        page.title = trimmed(m_lines[m_at].substr(2));
        page.line = number();
        // What the studio is to show stays from page to page, but not the node.
        page.stand = m_stand;
        page.stand.node.clear();
        page.stand.line = page.line;
        ++m_at;
        std::string key, value;
        for (; m_at < m_lines.size() && isKeyLine(m_lines[m_at], key, value); ++m_at) {
            const bool otherSample = key == "sample" && value != page.stand.sample;
            if (otherSample) page.stand.function.clear();
            if (otherSample || (key == "function" && value != page.stand.function)) page.stand.at.clear();
            if (!readStand(key, value, page.stand))
                fault(number(), "No page has a '" + key + "'",
                      "a page knows sample, function, at, view and node; leave an empty line between its title and its text");
        }
        m_stand = page.stand;
        bool isCode = false;
        LessonBlock text;
        const auto endText = [&] {
            text.text = trimmed(text.text);
            if (!text.text.empty()) page.blocks.push_back(text);
            text = {};
        };
        for (; m_at < m_lines.size(); ++m_at) {
            const std::string &line = m_lines[m_at];
            if (line.starts_with("```")) isCode = !isCode;
            if (!isCode && line.starts_with("# ")) break;
            if (!isCode && line.starts_with(":::")) {
                endText();
                readBlock(page);
                continue;
            }
            if (text.text.empty()) {
                if (trimmed(line).empty()) continue;
                text.line = number();
            }
            text.text += line + "\n";
        }
        endText();
        if (page.title.empty()) fault(page.line, "A page has no title", "write `# Its title`");
        if (page.blocks.empty()) fault(page.line, "The page '" + page.title + "' is empty", "write what it says below its title");
        m_lesson.pages.push_back(std::move(page));
    }

    // From its ::: to the one that ends it.
    void readBlock(LessonPage &page)
    {
        LessonBlock block;
        block.line = number();
        std::istringstream words(m_lines[m_at].substr(3));
        std::string kind;
        words >> kind >> block.id;
        const auto *known = std::find_if(std::begin(kKinds), std::end(kKinds), [&kind](const Kind &each) { return kind == each.word; });
        if (known == std::end(kKinds))
            fault(block.line, kind.empty() ? "A block ends that did not begin" : "There is no block '" + kind + "'",
                  "a block begins with `::: choice NAME` (or number, nodes, task, solution, teacher) and ends with `:::`");
        else block.kind = known->kind;
        if (known == std::end(kKinds) && kind.empty()) return;
        std::size_t end = m_at + 1;
        bool isCode = false;
        for (; end < m_lines.size(); ++end) {
            if (m_lines[end].starts_with("```")) isCode = !isCode;
            if (!isCode && trimmed(m_lines[end]) == ":::") break;
            if (!isCode && (m_lines[end].starts_with("# ") || m_lines[end].starts_with(":::"))) break;
        }
        if (end >= m_lines.size() || trimmed(m_lines[end]) != ":::") {
            fault(block.line, "The block '" + kind + "' does not end", "write a line `:::` behind it");
            m_at = end - 1;
            return;
        }
        const bool asks = block.isQuestion();
        for (++m_at; m_at < end; ++m_at)
            if (asks) readQuestionLine(block, m_lines[m_at]);
            else block.text += m_lines[m_at] + "\n";
        block.text = trimmed(block.text);
        if (known != std::end(kKinds)) finish(block, kind, page);
    }

    void readQuestionLine(LessonBlock &block, const std::string &line)
    {
        std::string key, value;
        if (block.kind == LessonBlockKind::Choice && line.starts_with("- ")) {
            readOption(block, line.substr(2));
        } else if (block.kind == LessonBlockKind::Choice && !block.options.empty() && line.starts_with("  why: ")) {
            block.options.back().why = trimmed(line.substr(7));
        } else if (line.starts_with("= ")) {
            block.answer = trimmed(line.substr(2));
            block.answerLine = number();
        } else if (isKeyLine(line, key, value) && readQuestionKey(block, key, value)) {
        } else {
            block.text += line + "\n";
        }
    }

    // What stands before and behind the last bar.
    std::pair<std::string, std::string> halves(const std::string &value, std::string sentence, std::string wayOut)
    {
        const std::size_t bar = value.rfind('|');
        if (bar != std::string::npos) return {trimmed(value.substr(0, bar)), trimmed(value.substr(bar + 1))};
        fault(number(), std::move(sentence), std::move(wayOut));
        return {trimmed(value), {}};
    }

    bool readQuestionKey(LessonBlock &block, const std::string &key, const std::string &value)
    {
        if (key == "hint") block.hint = value;
        else if (key == "because") block.because = value;
        else if (key == "reveal") block.reveal = value;
        else if (key == "in") block.in = value;
        else if (key == "offered") {
            block.offered = value;
            block.answerLine = number();
        } else if (key == "within") {
            double percent = 0;
            const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), percent);
            if (error != std::errc() || trimmed(std::string(end, value.data() + value.size())) != "%" || percent < 0)
                fault(number(), "'" + value + "' is no part of a number", "write `within: 5 %`");
            block.within = percent / 100;
        } else if (key == "needs") {
            const auto [condition, sentence] =
                halves(value, "What a task needs has no sentence for the case that it is missing",
                       "write `needs: flag(\"floatX\") = \"float32\" | It ran with another floatX: choose float32 above.`");
            block.needs.push_back({condition, sentence, number()});
        } else if (key == "mistake") {
            const auto [answer, why] = halves(value, "A mistake has no sentence that says why it is wrong",
                                              "write `mistake: applies(first) | That counts the nodes that are not drawn, too.`");
            block.mistakes.push_back({answer, why, number()});
        } else return false;
        return true;
    }

    // "[x] text", "[ ] text" or "{condition} text".
    void readOption(LessonBlock &block, const std::string &line)
    {
        LessonOption option;
        option.line = number();
        if (line.starts_with("[x] ") || line.starts_with("[ ] ")) {
            option.isRight = line[1] == 'x';
            option.text = trimmed(line.substr(4));
        } else if (const std::size_t close = line.find('}'); line.starts_with("{") && close != std::string::npos) {
            option.condition = trimmed(line.substr(1, close - 1));
            option.text = trimmed(line.substr(close + 1));
        } else {
            fault(number(), "Nothing says whether '" + trimmed(line) + "' is right",
                  "begin it with a condition of the session in braces, or with [x] (right) or [ ] (wrong)");
            option.text = trimmed(line);
        }
        block.options.push_back(std::move(option));
    }

    void finish(LessonBlock &block, const std::string &kind, LessonPage &page)
    {
        if (block.isQuestion() && block.id.empty())
            fault(block.line, "A question has no name, and its answers could not be kept", "write `::: " + kind + " its-name`");
        else if (block.isQuestion() && !m_ids.insert(block.id).second)
            fault(block.line, "Two questions are named '" + block.id + "'", "give each a name of its own");
        if (block.text.empty())
            fault(block.line, "A block '" + kind + "' says nothing", "write what it asks or tells below its first line");
        const bool computed = block.kind == LessonBlockKind::Number || block.kind == LessonBlockKind::Nodes;
        if (computed && block.answer.empty())
            fault(block.line, "Nothing says what the right answer is", "write a line `= applies(first)`: what the session is asked for");
        if (!block.mistakes.empty() && !computed)
            fault(block.mistakes.front().line, "A 'mistake:' belongs to a number or to nodes",
                  "write below an answer of a choice `  why: …`, two blanks in front");
        if (block.kind == LessonBlockKind::Task && block.needs.empty())
            fault(block.line, "Nothing says when the task is done", "write a line `needs: CONDITION | what to say while it does not hold`");
        if (block.kind == LessonBlockKind::Choice && block.offered.empty() && block.options.size() < 2)
            fault(block.line, "A choice offers less than two answers",
                  "write each in a line `- {condition} text`, or `offered: top(\"ops\", 4)`");
        page.blocks.push_back(std::move(block));
    }

    std::vector<LessonFault> &m_faults;
    Lesson m_lesson;
    LessonStand m_stand;
    std::vector<std::string> m_lines;
    std::set<std::string> m_ids;
    std::size_t m_at = 0;
};

} // namespace

const LessonBlock *Lesson::question(std::string_view id) const
{
    for (const LessonPage &page : pages)
        for (const LessonBlock &block : page.blocks)
            if (block.isQuestion() && block.id == id) return &block;
    return nullptr;
}

int Lesson::questionCount() const
{
    int count = 0;
    for (const LessonPage &page : pages)
        count +=
            static_cast<int>(std::count_if(page.blocks.begin(), page.blocks.end(), [](const auto &block) { return block.isQuestion(); }));
    return count;
}

Lesson readLesson(const std::string &text, const std::string &name, std::vector<LessonFault> &faults)
{
    if (text.size() > kMostBytes) {
        faults.push_back({1, "The file is too large for a lesson",
                          "a lesson has at most " + liveness::sizeText(kMostBytes) + " of text; make two of it"});
        return {};
    }
    return Reader(text, name, faults).read();
}

Lesson readLessonFile(const std::string &path, std::vector<LessonFault> &faults)
{
    std::ifstream in(path, std::ios::binary);
    std::string text(kMostBytes + 1, '\0');
    if (!in.read(text.data(), static_cast<std::streamsize>(text.size())) && in.gcount() == 0) {
        faults.push_back({0, "There is nothing to read in " + path, "name a lesson file; resources/docs/lessons.md shows a whole one"});
        return {};
    }
    text.resize(static_cast<std::size_t>(in.gcount()));
    return readLesson(text, std::filesystem::path(path).stem().string(), faults);
}

std::vector<Lesson> lessonsIn(const std::string &folder)
{
    std::vector<Lesson> lessons;
    std::error_code none;
    for (const auto &entry : std::filesystem::directory_iterator(folder, none)) {
        if (entry.path().extension() != ".md" || entry.path().stem() == "README") continue;
        std::vector<LessonFault> faults;
        Lesson lesson = readLessonFile(entry.path().string(), faults);
        if (faults.empty()) lessons.push_back(std::move(lesson));
    }
    std::sort(lessons.begin(), lessons.end(),
              [](const Lesson &a, const Lesson &b) { return std::tie(a.order, a.title) < std::tie(b.order, b.title); });
    return lessons;
}

std::vector<LessonLink> linksOf(const std::string &text, int firstLine)
{
    std::vector<LessonLink> links;
    int line = firstLine;
    bool isCode = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\n') ++line;
        if (text[at] == '`') isCode = !isCode; // three of them, too
        if (isCode || text[at] != '[') continue;
        const std::size_t close = text.find("](", at), end = close == std::string::npos ? close : text.find(')', close);
        if (end == std::string::npos || text.find('[', at + 1) < close) continue;
        const std::string target = text.substr(close + 2, end - close - 2);
        const std::size_t colon = target.find(':');
        links.push_back({colon == std::string::npos ? std::string() : target.substr(0, colon),
                         colon == std::string::npos ? target : target.substr(colon + 1), text.substr(at + 1, close - at - 1), line});
    }
    return links;
}

} // namespace profiler
