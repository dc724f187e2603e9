#include "app/cli/command.h"
#include "app/cli/event_line.h"
#include "app/cli/run_again.h"
#include "app/cli/session_source.h"
#include "profiler/export/format.h"
#include "profiler/export/report.h"
#include "profiler/record/devices.h"
#include "profiler/session/files.h"
#include "profiler/session/trials.h"
#include "profiler/stats/headroom.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <span>
#include <sstream>

namespace app {

namespace fs = std::filesystem;
using profiler::duration;

namespace {

struct Asked {
    profiler::WhatIf change;
    std::vector<std::string> words; // "CGemv at its roof"
    std::string flag;               // what a run can verify: "threads=4"; empty: nothing of it
    std::string unpredicted;        // why nothing can be said without a run
};

std::vector<std::string> namesIn(const std::string &list)
{
    std::vector<std::string> names;
    std::istringstream in(list);
    for (std::string name; std::getline(in, name, ',');)
        if (!name.empty()) names.push_back(name);
    return names;
}

// "all", "transfers", a class ("CGemv"), an op, or the beginning of an apply with its inputs.
std::vector<profiler::ApplyKey> appliesNamed(const std::string &name, const profiler::ProfileData &data, const profiler::Headroom &room)
{
    std::vector<profiler::ApplyKey> found;
    const auto isTransfer = [&](const profiler::ApplyKey &key) {
        return std::ranges::any_of(data.transfers, [&](const auto &one) { return one.graph == key.graph && one.apply == key.apply; });
    };
    for (const profiler::ApplyRoof &row : room.applies) {
        const profiler::ApplyKey &key = row.what.apply;
        const auto known =
            std::ranges::find_if(data.applies, [&](const auto &one) { return one.graph == key.graph && one.apply == key.apply; });
        const bool named = known != data.applies.end() &&
                           (known->op == name || known->friendly == name || known->opClass == name || row.what.label.starts_with(name));
        if (name == "all" || (name == "transfers" ? isTransfer(key) : named)) found.push_back(key);
    }
    if (found.empty() && name != "transfers") {
        std::string some;
        for (std::size_t i = 0; i < std::min<std::size_t>(room.applies.size(), 6); ++i) some += (i ? ", " : "") + room.applies[i].what.name;
        throw CliError("no apply is called " + name, "there are: " + some);
    }
    return found;
}

Asked readAsked(const Arguments &arguments, const profiler::ProfileData &data, const profiler::Headroom &room)
{
    Asked asked;
    const auto take = [&](const char *option, std::vector<profiler::ApplyKey> &into, const char *what) {
        for (const std::string &name : namesIn(arguments.get(option))) {
            const auto found = appliesNamed(name, data, room);
            into.insert(into.end(), found.begin(), found.end());
            asked.words.push_back(name + what + (found.size() == 1 ? "" : " (" + std::to_string(found.size()) + " applies)"));
        }
    };
    take("--at-roof", asked.change.atRoof, " at the roof");
    take("--without", asked.change.gone, " gone");
    if (arguments.has("--threads")) {
        asked.change.threads = static_cast<int>(arguments.number("--threads", 1, 1));
        asked.flag = "threads=" + std::to_string(asked.change.threads);
        asked.words.push_back(asked.flag);
    }
    asked.change.device = arguments.get("--device");
    if (!asked.change.device.empty()) {
        asked.flag += (asked.flag.empty() ? "device=" : ",device=") + asked.change.device;
        asked.words.push_back("device=" + asked.change.device);
    }
    return asked;
}

// The roofs of a device that did not work in this session, measured here and now.
std::vector<profiler::Roof> roofsOf(const std::string &name, const profiler::ProfileData &data, std::string &problem)
{
    profiler::FoundRoofs found = profiler::roofsOfDevice(name);
    problem = found.problem;
    for (const profiler::NameValue &fact : data.machine)
        if (problem.empty() && fact.name == "cpu" && fact.value != found.processor)
            std::fprintf(stderr, "croton: %s was measured on this machine (%s), not where the session was made (%s)\n", name.c_str(),
                         found.processor.c_str(), fact.value.c_str());
    return std::move(found.roofs);
}

// Beside the session, named after what was otherwise: a verified answer is a session like any other, and is found again.
std::string verifiedPath(const std::string &session, std::string flag)
{
    std::ranges::replace_if(
        flag, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '-');
    const fs::path path(session);
    return (path.parent_path() / (path.stem().string() + "-if-" + flag + ".croton")).string();
}

// Of the function with that name in another session; negative: it is not there, or was never called.
double callNsIn(const std::string &path, const std::string &title)
{
    const auto reader = profiler::SessionReader::open(path);
    const profiler::ProfileData data = profiler::loadProfile(*reader);
    for (const profiler::FunctionInfo &function : data.functions)
        if (profiler::functionTitle(function) == title && function.run.calls > 0) return profiler::makeHeadroom(data, function.id).nowNs;
    return -1;
}

// In the session, for those who read it: the answer itself needs it not.
void keepVerified(SessionSource &source, const std::string &path, const profiler::VerifiedRow &row)
{
    source.close();
    try {
        profiler::storeVerified(path, std::span(&row, 1));
    } catch (const profiler::SessionError &error) {
        std::fprintf(stderr, "croton: what the run gave is not kept in the session: %s\n", error.what());
    }
}

std::string against(double ns, double now)
{
    const double factor = ns < now ? now / ns : ns / now;
    return factor < 1.005 ? std::string("as now") : profiler::format("%.2f times as %s", factor, ns < now ? "fast" : "long");
}

void answer(const Arguments &arguments, std::vector<profiler::Roof> &measured)
{
    const std::string path = arguments.words[0];
    SessionSource source(arguments, "whatif");
    const EventLine events(arguments);
    std::string choice;
    const profiler::FunctionInfo function = source.function(arguments.get("--function"), choice);
    profiler::ProfileData data = profiler::loadProfile(source.reader());
    profiler::Headroom room = profiler::makeHeadroom(data, function.id);
    const std::string title = profiler::functionTitle(function);
    if (room.calls == 0) throw CliError(title + " was never called, so there is nothing to change", "--function names another");
    Asked asked = readAsked(arguments, data, room);
    if (asked.words.empty()) throw UsageError("nothing is asked", "--at-roof NAME, --without NAME, --threads N, --device D");
    if (const std::string &device = asked.change.device; !device.empty() && !room.devices.contains(device)) {
        measured = roofsOf(device, data, asked.unpredicted);
        data.roofs.insert(data.roofs.end(), measured.begin(), measured.end());
        room = profiler::makeHeadroom(data, function.id);
    }
    const bool predicted = asked.unpredicted.empty();
    const double then = profiler::callNsIf(room, asked.change);
    double verified = -1;
    std::string kept;
    if (!asked.flag.empty()) {
        kept = verifiedPath(path, asked.flag);
        if (arguments.has("--verify")) {
            events.progress("Running the script with " + asked.flag);
            runAgain(source.reader(), asked.flag, kept, "whatif");
        }
        if (profiler::fileExists(kept)) verified = callNsIn(kept, title);
        if (arguments.has("--verify")) keepVerified(source, path, {function.id, asked.flag, verified});
    } else if (arguments.has("--verify")) {
        throw UsageError("a run can verify threads and devices; no run has an op at its roof, or without its time", "leave out --verify");
    }
    if (arguments.has("--json")) {
        nlohmann::json out{
            {"function", title}, {"changes", asked.words}, {"nowNs", room.nowNs}, {"predictedNs", nullptr}, {"verifiedNs", nullptr}};
        if (predicted) out["predictedNs"] = then;
        else out["unpredicted"] = asked.unpredicted;
        if (verified >= 0) out["verifiedNs"] = verified, out["verifiedBy"] = kept;
        std::puts(out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
        return;
    }
    if (!choice.empty()) std::fprintf(stderr, "croton: %s\n", choice.c_str());
    std::string all;
    for (const std::string &word : asked.words) all += (all.empty() ? "" : ", ") + word;
    std::printf("%s now: %s a call\n", title.c_str(), duration(room.nowNs).c_str());
    if (predicted)
        std::printf("  with %s: %s a call, %s (predicted, %s)\n", all.c_str(), duration(then).c_str(), against(then, room.nowNs).c_str(),
                    asked.change.threads > 0 && asked.change.threads < room.threads ? "at worst" : "at best");
    else std::printf("  with %s: nothing is predicted: %s\n", all.c_str(), asked.unpredicted.c_str());
    if (verified >= 0)
        std::printf("  verified by a run%s: %s a call, %s (%s)\n",
                    asked.change.atRoof.empty() && asked.change.gone.empty() ? "" : (" of " + asked.flag + " alone").c_str(),
                    duration(verified).c_str(), against(verified, room.nowNs).c_str(), kept.c_str());
    else if (!asked.flag.empty()) std::printf("  not verified: --verify runs the script with %s\n", asked.flag.c_str());
    else std::printf("  no run can verify it\n");
}

int whatIf(const Arguments &arguments)
{
    std::vector<profiler::Roof> measured;
    answer(arguments, measured);
    try {
        profiler::storeRoofs(arguments.words[0], measured);
    } catch (const profiler::SessionError &error) {
        std::fprintf(stderr, "croton: the roofs of %s are not kept in the session: %s\n", measured[0].device.c_str(), error.what());
    }
    return 0;
}

} // namespace

Command whatifCommand()
{
    Command command;
    command.name = "whatif";
    command.words = "S.croton";
    command.summary = "say what a call would take with an op at its roof, without a transfer, with other threads";
    command.details = "NAME is a class (CGemv), an op, or how an apply begins; several are separated by commas; all means every\n"
                      "apply, and --without transfers every transfer. An op at its roof is as fast as the measured roofs of the\n"
                      "machine let it be. Threads share evenly what is large enough. On another device everything is at that one's\n"
                      "roofs, and what a call is given and gives is copied; they are measured the first time that one asks. So a\n"
                      "prediction is a bound: at best, or at worst with fewer threads than now.\n"
                      "--verify runs the script once more with the threads or the device that are asked for, and keeps its session\n"
                      "beside this one; later answers name it.";
    command.options = {
        {"--function", "NAME", "which function (default: the first that was called)"},
        {"--at-roof", "NAMES", "these as fast as the machine lets them be"},
        {"--without", "NAMES", "these taking no time"},
        {"--threads", "N", "N threads on large arrays"},
        {"--device", "D", "on another device, at its roofs: cpu, cuda0, opencl0:0"},
        {"--verify", "", "run the script with these threads or on this device, too"},
        {"--json", "", "the answer as JSON"},
        EventLine::option(),
    };
    command.leastWords = command.mostWords = 1;
    command.run = whatIf;
    return command;
}

} // namespace app
