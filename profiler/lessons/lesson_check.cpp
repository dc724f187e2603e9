#include "profiler/lessons/lesson_check.h"

#include "profiler/lessons/judge.h"
#include "profiler/lessons/view_ids.h"
#include "profiler/lessons/words.h"
#include "profiler/session/store/reader.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace profiler {

namespace {

// A name that leads out of its folder is none.
bool isPlainName(const std::string &name)
{
    return !name.empty() && std::all_of(name.begin(), name.end(),
                                        [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; });
}

// As Markdown viewers make it of a heading.
std::string anchorOf(const std::string &title)
{
    std::string anchor;
    for (const char c : title) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) || c == '_' || c == '-' || byte >= 0x80) anchor += static_cast<char>(std::tolower(byte));
        else if (c == ' ' && !anchor.ends_with('-')) anchor += '-';
    }
    return anchor;
}

} // namespace

std::string sampleSession(const std::string &samples, const std::string &name)
{
    if (samples.empty() || !isPlainName(name)) return {};
    const std::string path = samples + "/" + name + "/" + name + ".croton";
    return std::filesystem::is_regular_file(path) ? path : std::string();
}

const std::vector<std::string> &lessonViews()
{
    static const std::vector<std::string> views(view::kIds.begin(), view::kIds.end());
    return views;
}

const std::vector<LinkKind> &linkKinds()
{
    static const std::vector<LinkKind> kinds{
        {"step", "PLACE", "the graph at a step"},
        {"view", "VIEW", "a view, with what is selected"},
        {"node", "NAME", "a node of the graph at the step that is shown"},
        {"line", "NUMBER", "a line of the script"},
        {"function", "NAME", "another function of the session"},
        {"sample", "NAME", "the recorded session of a sample"},
        {"script", "NAME", "the script of a sample, to be changed and run"},
        {"lesson", "NAME", "another lesson"},
        {"help", "PAGE#PART", "a page of the documentation, or a part of one"},
    };
    return kinds;
}

struct LessonChecker::Here {
    SessionFacts *facts = nullptr; // null: the page has no session
    int step = 0;
    std::vector<LessonFault> &faults;
    void fault(int line, std::string sentence, std::string wayOut) { faults.push_back({line, std::move(sentence), std::move(wayOut)}); }
    // Runs what may throw FactError, and makes a fault of that.
    template <class Work>
    void attempt(int line, const char *wayOut, Work &&work)
    {
        if (!facts) {
            fault(line, "This page has no session that could answer",
                  "name a sample in the head of the lesson or of the page: `sample: mlp`");
            return;
        }
        try {
            work();
        } catch (const FactError &error) {
            std::string sentence = error.what();
            sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
            fault(line, sentence, wayOut);
        }
    }
};

LessonChecker::LessonChecker(LessonWorld world) : m_world(std::move(world)) {}
LessonChecker::~LessonChecker() = default;

LessonSession *LessonChecker::session(const std::string &sample, int line, std::vector<LessonFault> &faults)
{
    if (const auto known = m_sessions.find(sample); known != m_sessions.end()) return known->second.get();
    const std::string path = sampleSession(m_world.samples, sample);
    if (path.empty()) {
        faults.push_back({line, "There is no sample '" + sample + "' with a recorded session",
                          "name a folder of samples/ in which there is one (`samples/record NAME` makes it)"});
        return nullptr;
    }
    try {
        return (m_sessions[sample] = std::make_unique<LessonSession>(path)).get();
    } catch (const std::exception &error) {
        faults.push_back({line, "The session of the sample '" + sample + "' cannot be read: " + error.what(),
                          "record it anew with `samples/record " + sample + "`"});
        return nullptr;
    }
}

std::vector<LessonFault> LessonChecker::check(const Lesson &lesson)
{
    std::vector<LessonFault> faults;
    for (const LessonPage &page : lesson.pages) checkPage(page, lesson, faults);
    std::stable_sort(faults.begin(), faults.end(), [](const LessonFault &a, const LessonFault &b) { return a.line < b.line; });
    return faults;
}

void LessonChecker::checkPage(const LessonPage &page, const Lesson &, std::vector<LessonFault> &faults)
{
    Here here{.facts = nullptr, .step = 0, .faults = faults};
    const LessonStand &stand = page.stand;
    if (!stand.sample.empty()) {
        LessonSession *opened = session(stand.sample, stand.line, faults);
        if (!opened) return;
        here.facts = opened->facts.get();
        here.attempt(stand.line, "correct the name behind `function:`", [&] { here.facts->setFunction(stand.function); });
        here.attempt(stand.line, "correct what stands behind `at:`", [&] { here.step = here.facts->step(stand.at); });
        if (!stand.node.empty())
            here.attempt(stand.line, "correct the name behind `node:`", [&] { (void)here.facts->node(stand.node, here.step); });
    }
    const std::vector<std::string> &views = lessonViews();
    if (!stand.view.empty() && std::find(views.begin(), views.end(), stand.view) == views.end())
        here.fault(stand.line, "There is no view '" + stand.view + "'", "the views are " + listOf(views));
    for (const LessonBlock &block : page.blocks) {
        checkText(block.text, block.kind == LessonBlockKind::Text ? block.line : block.line + 1, here);
        checkText(block.hint, block.line, here);
        checkText(block.because, block.line, here);
        for (const LessonOption &option : block.options) {
            checkText(option.text, option.line, here);
            checkText(option.why, option.line, here);
        }
        for (const LessonMistake &mistake : block.mistakes) checkText(mistake.why, mistake.line, here);
        for (const LessonNeed &need : block.needs) checkText(need.otherwise, need.line, here);
        if (block.isQuestion()) checkQuestion(block, here);
    }
}

void LessonChecker::checkText(const std::string &text, int line, Here &here)
{
    for (const LessonLink &link : linksOf(text, line)) checkLink(link, here);
    (void)withValues(text, [&](const std::string &expression) {
        here.attempt(line, "correct what stands in {{ }}", [&] { (void)here.facts->value(expression); });
        return std::string();
    });
}

bool LessonChecker::hasHelp(const std::string &place) const
{
    const std::size_t hash = std::min(place.find('#'), place.size());
    const std::string page = place.substr(0, hash), anchor = hash < place.size() ? place.substr(hash + 1) : std::string();
    if (!isPlainName(page)) return false;
    std::ifstream in(m_world.docs + "/" + page + ".md");
    if (!in) return false;
    bool isCode = false, hasHeadings = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("```")) isCode = !isCode;
        hasHeadings |= !isCode && line.starts_with("##");
        const std::size_t text = line.find_first_not_of('#');
        if (!isCode && line.starts_with("#") && text != std::string::npos && line[text] == ' ' && anchorOf(line.substr(text + 1)) == anchor)
            return true;
    }
    return anchor.empty() || !hasHeadings; // a page that only says why it was not made
}

void LessonChecker::checkLink(const LessonLink &link, Here &here)
{
    const std::string shown = "[" + link.text + "](" + (link.kind.empty() ? "" : link.kind + ":") + link.target + ")";
    const std::vector<LinkKind> &kinds = linkKinds();
    if (std::none_of(kinds.begin(), kinds.end(), [&link](const LinkKind &each) { return link.kind == each.kind; })) {
        std::vector<std::string> names;
        for (const LinkKind &each : kinds) names.push_back(std::string(each.kind) + ":" + each.target);
        here.fault(link.line, "The link " + shown + " leads nowhere in the studio", "links are " + listOf(names));
        return;
    }
    const auto missing = [&](const std::string &what, const std::string &wayOut) {
        here.fault(link.line, "The link " + shown + " leads to " + what, wayOut);
    };
    const char *const wayOut = "correct what stands behind the colon of the link";
    if (link.kind == "step") here.attempt(link.line, wayOut, [&] { (void)here.facts->step(link.target); });
    else if (link.kind == "node") here.attempt(link.line, wayOut, [&] { (void)here.facts->node(link.target, here.step); });
    else if (link.kind == "function")
        here.attempt(link.line, wayOut, [&] {
            const std::string before = here.facts->function().name;
            here.facts->setFunction(link.target);
            here.facts->setFunction(before);
        });
    else if (link.kind == "line")
        here.attempt(link.line, "name the number of a line that something was made in", [&] {
            const bool number =
                !link.target.empty() && std::all_of(link.target.begin(), link.target.end(), [](char c) { return std::isdigit(c); });
            if (!number || link.target.size() > 6) throw FactError("'" + link.target + "' is no number of a line");
            if (!here.facts->holds("count(on_line(first, " + link.target + "))"))
                throw FactError("no node of '" + here.facts->function().name + "' was written in line " + link.target);
        });
    else if (link.kind == "view") {
        const std::vector<std::string> &views = lessonViews();
        if (std::find(views.begin(), views.end(), link.target) == views.end())
            missing("a view that there is not", "the views are " + listOf(views));
    } else if (link.kind == "sample") {
        (void)session(link.target, link.line, here.faults);
    } else if (link.kind == "script") {
        if (!isPlainName(link.target) || !std::filesystem::is_regular_file(m_world.samples + "/" + link.target + "/" + link.target + ".py"))
            missing("a sample that there is not", "name a folder of samples/");
    } else if (link.kind == "lesson") {
        if (!isPlainName(link.target) || !std::filesystem::is_regular_file(m_world.lessons + "/" + link.target + ".md"))
            missing("a lesson that there is not", "`croton lesson list` names the lessons");
    } else if (link.kind == "help" && !hasHelp(link.target)) {
        missing("a page of the documentation that there is not", "name a page of the studio's help without .md, and a heading after #");
    }
}

void LessonChecker::checkQuestion(const LessonBlock &question, Here &here)
{
    for (const LessonMistake &mistake : question.mistakes)
        here.attempt(mistake.line, "correct what stands behind `mistake:`", [&] {
            LessonBlock as = question;
            as.answer = mistake.answer;
            const bool isRight = question.kind == LessonBlockKind::Number
                                     ? judgeNumber(*here.facts, question, judgeNumber(*here.facts, as, {}).expected).isRight
                                     : judgeNodes(*here.facts, question, here.facts->value(mistake.answer).nodes, here.step).wrong.empty();
            if (isRight) throw FactError("in this session '" + mistake.answer + "' is no mistake: it answers '" + question.id + "'");
        });
    const int line = question.answerLine ? question.answerLine : question.line;
    if (question.kind == LessonBlockKind::Choice) {
        here.attempt(line, "correct the condition, or what is offered", [&] {
            const std::vector<OfferedAnswer> offered = offeredAnswers(*here.facts, question);
            const auto right = std::count_if(offered.begin(), offered.end(), [](const auto &each) { return each.isRight; });
            if (right == 0) throw FactError("of what '" + question.id + "' offers nothing is right in this session");
            if (right == static_cast<std::ptrdiff_t>(offered.size())) throw FactError("all that '" + question.id + "' offers is right");
            for (std::size_t i = 0; i < offered.size(); ++i)
                for (std::size_t k = 0; k < i; ++k)
                    if (offered[i].text == offered[k].text) throw FactError("'" + question.id + "' offers '" + offered[i].text + "' twice");
        });
    } else if (question.kind == LessonBlockKind::Number) {
        here.attempt(line, "ask for a number", [&] {
            const std::string unit = unitOf(*here.facts, question);
            const std::vector<std::string> units = unitsOf(here.facts->value(question.answer).unit);
            if (!question.in.empty() && std::find(units.begin(), units.end(), unit) == units.end())
                throw FactError("'" + unit + "' is no unit of what '" + question.id + "' asks for; its units are: " + listOf(units));
        });
    } else if (question.kind == LessonBlockKind::Nodes) {
        here.attempt(line, "ask for nodes of the graph that is shown (`at:` of the page)", [&] {
            const Judgement all = judgeNodes(*here.facts, question, {}, here.step);
            if (all.missed.empty()) throw FactError("no node answers '" + question.id + "'");
            std::vector<ApplyId> shown = here.facts->graphAt(here.step).applies();
            std::erase_if(shown, [&here](ApplyId id) { return !here.facts->isDrawn(id, here.step); });
            for (const ApplyId id : all.missed)
                if (std::find(shown.begin(), shown.end(), id) == shown.end())
                    throw FactError("a node that answers '" + question.id + "' is not in the graph at step " + std::to_string(here.step));
            if (all.missed.size() == shown.size()) throw FactError("every node of the graph answers '" + question.id + "'");
        });
        if (!question.reveal.empty())
            here.attempt(question.line, "correct what stands behind `reveal:`", [&] { (void)here.facts->step(question.reveal); });
    } else {
        // The recorded session may lack what a task asks for; only its words have to be right.
        for (const LessonNeed &need : question.needs) {
            if (!here.facts) continue;
            try {
                (void)here.facts->holds(need.condition);
            } catch (const FactError &error) {
                const std::string sentence = error.what();
                if (sentence.find(", in: ") != std::string::npos)
                    here.fault(need.line, "A task cannot be judged: " + sentence, "correct what stands behind `needs:`");
            }
        }
    }
}

} // namespace profiler
