#include "app/cli/commands/worker.h"
#include "app/cli/shared/command.h"
#include "app/cli/shared/output.h"
#include "app/cli/shared/session_source.h"
#include "profiler/export/format.h"
#include "profiler/export/json_text.h"
#include "profiler/lessons/facts.h"
#include "profiler/lessons/lesson_check.h"

#include <cstdio>
#include <filesystem>

namespace app {

namespace {

namespace fs = std::filesystem;

// Beside the program, in a build as where it is installed.
profiler::LessonWorld world()
{
    const std::string home = programHome();
    return {home + "/samples", home + "/lessons", home + "/docs"};
}

std::string sizeOf(const profiler::Lesson &lesson)
{
    return profiler::counted(static_cast<std::int64_t>(lesson.pages.size()), "page") + ", " +
           profiler::counted(lesson.questionCount(), "question");
}

int list(const Arguments &arguments)
{
    const std::string folder = arguments.words.size() > 1 ? arguments.words[1] : world().lessons;
    const std::vector<profiler::Lesson> lessons = profiler::lessonsIn(folder);
    if (lessons.empty())
        throw CliError("there are no lessons in " + folder, arguments.words.size() > 1
                                                                ? "name a folder with lesson files, or none for those of Croton"
                                                                : "they come with the package croton-studio");
    nlohmann::json all = nlohmann::json::array();
    std::size_t width = 0;
    for (const profiler::Lesson &lesson : lessons) width = std::max(width, lesson.name.size());
    for (const profiler::Lesson &lesson : lessons) {
        if (arguments.has("--json"))
            all.push_back({{"name", lesson.name},
                           {"title", lesson.title},
                           {"about", lesson.about},
                           {"group", lesson.group},
                           {"pages", lesson.pages.size()},
                           {"questions", lesson.questionCount()},
                           {"minutes", lesson.minutes},
                           {"path", folder + "/" + lesson.name + ".md"}});
        else printOut("%-*s  %s (%s)\n", static_cast<int>(width), lesson.name.c_str(), lesson.title.c_str(), sizeOf(lesson).c_str());
    }
    if (arguments.has("--json")) writeOutput({}, profiler::jsonText(all));
    return 0;
}

int check(const Arguments &arguments)
{
    if (arguments.words.size() < 2) throw UsageError("croton lesson check wants a FILE", "croton lesson check my_lesson.md");
    const profiler::LessonWorld around = world();
    if (!fs::is_directory(around.samples))
        throw CliError("there are no samples in " + around.samples + ", whose sessions answer the questions",
                       "install the package croton-studio");
    nlohmann::json all = nlohmann::json::array();
    std::size_t found = 0;
    for (std::size_t i = 1; i < arguments.words.size(); ++i) {
        const std::string &file = arguments.words[i];
        if (!fs::is_regular_file(file))
            throw CliError("there is no file " + file, "name a lesson file; `croton lesson list` knows those of Croton");
        std::vector<profiler::LessonFault> faults;
        const profiler::Lesson lesson = profiler::readLessonFile(file, faults);
        if (faults.empty()) faults = profiler::LessonChecker(around).check(lesson);
        found += faults.size();
        for (const profiler::LessonFault &fault : faults)
            if (arguments.has("--json"))
                all.push_back({{"file", file},
                               {"line", fault.line > 0 ? nlohmann::json(fault.line) : nlohmann::json()},
                               {"sentence", fault.sentence},
                               {"way_out", fault.wayOut}});
            else
                printOut("%s: %s\n    %s\n", (file + (fault.line > 0 ? ":" + std::to_string(fault.line) : "")).c_str(),
                         fault.sentence.c_str(), fault.wayOut.c_str());
        if (faults.empty() && !arguments.has("--json")) printOut("%s: %s, nothing is wrong\n", file.c_str(), sizeOf(lesson).c_str());
    }
    if (arguments.has("--json")) writeOutput({}, profiler::jsonText(all));
    return found ? 1 : 0;
}

int facts(const Arguments &arguments)
{
    const std::vector<profiler::FactInfo> known = profiler::allFacts();
    if (arguments.has("--json")) {
        nlohmann::json all = nlohmann::json::array();
        for (const profiler::FactInfo &fact : known) all.push_back({{"call", fact.call}, {"says", fact.says}});
        writeOutput({}, profiler::jsonText(all));
        return 0;
    }
    std::size_t width = 0;
    for (const profiler::FactInfo &fact : known) width = std::max(width, fact.call.size());
    for (const profiler::FactInfo &fact : known) printOut("%-*s  %s\n", static_cast<int>(width), fact.call.c_str(), fact.says.c_str());
    return 0;
}

// A node has its inputs where it is in the graph: as it runs, as it was written, or in between.
std::string labelOf(profiler::SessionFacts &facts, profiler::ApplyId id)
{
    const int last = facts.step("last");
    for (int step = -1; step < last; ++step) {
        const profiler::GraphReplica &graph = facts.graphAt(step < 0 ? last : step);
        if (const profiler::ReplicaApply *apply = graph.apply(id); apply && apply->live) return graph.label(id);
    }
    return "?";
}

// What a question with this answer would hold right.
int ask(const Arguments &arguments)
{
    if (arguments.words.size() != 3)
        throw UsageError("croton lesson ask wants a session and what is asked", "croton lesson ask S.croton 'applies(first)'");
    (void)openSession(arguments.words[1]);
    const profiler::LessonSession session(arguments.words[1]);
    try {
        session.facts->setFunction(arguments.get("--function"));
        const profiler::Value value = session.facts->value(arguments.words[2]);
        printOut("%s\n", profiler::textOf(value).c_str());
        if (value.nodes.empty()) return 0; // whether there is a function or not
        for (const profiler::ApplyId id : value.nodes) printOut("  %s\n", labelOf(*session.facts, id).c_str());
    } catch (const profiler::FactError &error) {
        throw CliError(error.what(), "`croton lesson facts` lists what can be asked");
    }
    return 0;
}

int lesson(const Arguments &arguments)
{
    const std::string &what = arguments.words[0];
    if (what == "list") return list(arguments);
    if (what == "check") return check(arguments);
    if (what == "facts") return facts(arguments);
    if (what == "ask") return ask(arguments);
    throw UsageError("croton lesson does not know '" + what + "'", "it knows list, check, facts and ask");
}

} // namespace

Command lessonCommand()
{
    Command command;
    command.name = "lesson";
    command.words = "list [FOLDER] | check FILE... | facts | ask S.croton QUESTION";
    command.summary = "list the lessons, check one that you write";
    command.details = "check reads each FILE, follows its links and asks the recorded sessions of the samples for every answer;\n"
                      "what is wrong is told with its line and the way out. facts lists what a lesson can ask a session,\n"
                      "and ask asks it: croton lesson ask S.croton 'share(\"CGemv\")'";
    command.options = {{"--json", "", "as JSON"}, {"--function", "NAME", "with ask: of this function, not of the one that took most time"}};
    command.leastWords = 1;
    command.mostWords = 1000;
    command.run = lesson;
    return command;
}

} // namespace app
