#include "app/cli/shared/command.h"
#include "app/cli/shared/event_line.h"
#include "app/cli/shared/keep_in_session.h"
#include "app/cli/shared/output.h"
#include "app/cli/shared/run_again.h"
#include "app/cli/shared/session_source.h"
#include "profiler/export/format.h"
#include "profiler/export/json_text.h"
#include "profiler/export/report.h"
#include "profiler/record/devices.h"
#include "profiler/session/store/files.h"
#include "profiler/session/store/trials.h"
#include "profiler/stats/machine/headroom.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <sstream>
#include <unordered_map>

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

std::vector<std::string> betweenCommas(const std::string &list)
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
    std::unordered_map<profiler::ApplyKey, const profiler::ApplyRow *, profiler::ApplyKeyHash> applies;
    for (const profiler::ApplyRow &row : data.applies) applies.emplace(profiler::ApplyKey{row.graph, row.apply}, &row);
    for (const profiler::ApplyRoof &row : room.applies) {
        const profiler::ApplyKey &key = row.what.apply;
        const auto known = applies.find(key);
        const bool named = known != applies.end() && (known->second->op == name || known->second->friendly == name ||
                                                      known->second->opClass == name || row.what.label.starts_with(name));
        if (name == "all" || (name == "transfers" ? row.isTransfer : named)) found.push_back(key);
    }
    if (found.empty() && name != "transfers") {
        std::string some;
        for (std::size_t i = 0; i < std::min<std::size_t>(room.applies.size(), 6); ++i) some += (i ? ", " : "") + room.applies[i].what.name;
        throw CliError("no apply is called " + name, "there are: " + some);
    }
    return found;
}

// "CGemv=50%" is half of the way to its roof. Cuts the share off the name.
double shareCutFrom(std::string &name)
{
    const auto at = name.rfind('=');
    if (at == std::string::npos || !name.ends_with('%')) return 1;
    const std::string digits = name.substr(at + 1, name.size() - at - 2);
    char *end = nullptr;
    const double percent = std::strtod(digits.c_str(), &end);
    if (digits.empty() || *end || !(percent >= 0 && percent <= 100))
        throw UsageError("'" + name + "' asks for no share of the way to a roof", "NAME=50% is half of it");
    name.resize(at);
    return percent / 100;
}

const char *inWords(profiler::Sureness sureness)
{
    switch (sureness) {
    case profiler::Sureness::AtBest: return "at best";
    case profiler::Sureness::AtWorst: return "at worst";
    case profiler::Sureness::About: break;
    }
    return "about";
}

Asked readAsked(const Arguments &arguments, const profiler::ProfileData &data, const profiler::Headroom &room)
{
    Asked asked;
    const auto said = [&](const std::string &text, std::size_t applies) {
        asked.words.push_back(text + (applies == 1 ? "" : " (" + std::to_string(applies) + " applies)"));
    };
    for (std::string name : betweenCommas(arguments.get("--at-roof"))) {
        const double share = shareCutFrom(name);
        const auto found = appliesNamed(name, data, room);
        for (const profiler::ApplyKey &key : found) asked.change.atRoof.emplace_back(key, share);
        said(name + (share < 1 ? profiler::format(" %.3g%% of the way to the roof", share * 100) : " at the roof"), found.size());
    }
    for (const std::string &name : betweenCommas(arguments.get("--without"))) {
        const auto found = appliesNamed(name, data, room);
        asked.change.gone.insert(asked.change.gone.end(), found.begin(), found.end());
        said(name + " gone", found.size());
    }
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
    for (const profiler::NameValue &fact : data.machine.facts)
        if (problem.empty() && fact.name == "cpu" && fact.value != found.processor)
            printErr("croton: %s was measured on this machine (%s), not where the session was made (%s)\n", name.c_str(),
                     found.processor.c_str(), fact.value.c_str());
    return std::move(found.roofs);
}

// Named after what was otherwise: a verified answer is a session like any other, and is found again.
std::string verifiedPath(const std::string &session, std::string flag)
{
    std::ranges::replace_if(
        flag, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '-');
    return placeBeside(session, fs::path(session).stem().string() + "-if-" + flag + ".croton");
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

std::string against(double ns, double now)
{
    const double factor = ns < now ? now / ns : ns / now;
    return factor < 1.005 ? std::string("as now") : profiler::format("%.2f times as %s", factor, ns < now ? "fast" : "long");
}

int answer(const Arguments &arguments, std::vector<profiler::Roof> &measured)
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
        data.machine.roofs.insert(data.machine.roofs.end(), measured.begin(), measured.end());
        room = profiler::makeHeadroom(data, function.id);
    }
    const bool predicted = asked.unpredicted.empty();
    const double then = profiler::callNsIf(room, asked.change);
    double verified = -1;
    int status = 0;
    std::string kept;
    if (!asked.flag.empty()) {
        kept = verifiedPath(path, asked.flag);
        if (arguments.has("--verify")) {
            events.progress("Running the script with " + asked.flag);
            runAgain(source.reader(), asked.flag, kept, "whatif");
        }
        if (profiler::fileExists(kept)) verified = callNsIn(kept, title);
        if (arguments.has("--verify")) {
            source.close();
            const profiler::VerifiedRow row{function.id, asked.flag, verified};
            status = keepInSession(path, "what the run took", [&] { profiler::storeVerified(path, std::span(&row, 1)); });
        }
    } else if (arguments.has("--verify")) {
        throw UsageError("a run can verify threads and devices; no run has an op at its roof, or without its time", "leave out --verify");
    }
    if (arguments.has("--json")) {
        nlohmann::json out{
            {"function", title}, {"changes", asked.words}, {"nowNs", room.nowNs}, {"predictedNs", nullptr}, {"verifiedNs", nullptr}};
        if (predicted) out["predictedNs"] = then;
        else out["unpredicted"] = asked.unpredicted;
        if (verified >= 0) out["verifiedNs"] = verified, out["verifiedBy"] = kept;
        writeOutput({}, profiler::jsonText(out));
        return status;
    }
    if (!choice.empty()) printErr("croton: %s\n", choice.c_str());
    std::string all;
    for (const std::string &word : asked.words) all += (all.empty() ? "" : ", ") + word;
    printOut("%s now: %s a call\n", title.c_str(), duration(room.nowNs).c_str());
    if (predicted)
        printOut("  with %s: %s a call, %s (predicted, %s)\n", all.c_str(), duration(then).c_str(), against(then, room.nowNs).c_str(),
                 inWords(profiler::surenessOf(room, asked.change)));
    else printOut("  with %s: nothing is predicted: %s\n", all.c_str(), asked.unpredicted.c_str());
    if (verified >= 0)
        printOut("  verified by a run%s: %s a call, %s (%s)\n",
                 asked.change.atRoof.empty() && asked.change.gone.empty() ? "" : (" of " + asked.flag + " alone").c_str(),
                 duration(verified).c_str(), against(verified, room.nowNs).c_str(), kept.c_str());
    else if (!asked.flag.empty()) printOut("  not verified: --verify runs the script with %s\n", asked.flag.c_str());
    else printOut("  no run can verify it\n");
    return status;
}

int whatIf(const Arguments &arguments)
{
    std::vector<profiler::Roof> measured;
    const int status = answer(arguments, measured);
    if (measured.empty()) return status;
    const auto store = [&] { profiler::storeRoofs(arguments.words[0], measured); };
    return std::max(status, keepInSession(arguments.words[0], "what " + measured[0].device + " can do", store));
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
                      "machine let it be; NAME=50% is half of the way there. Threads share evenly what is large enough. On another\n"
                      "device everything is at that one's roofs, and what a call is given and gives is copied; they are measured the\n"
                      "first time that one asks. So a prediction is a bound: at best, or at worst with fewer threads than now; with\n"
                      "some of each it is neither.\n"
                      "--verify runs the script once more with the threads or the device that are asked for, and keeps its session\n"
                      "beside this one (in the cache folder where that place may not be written); later answers name it.";
    command.options = {
        {"--function", "NAME", "which function (default: the first that was called)"},
        {"--at-roof", "NAMES", "these as fast as the machine lets them be, or part of the way: NAME=50%"},
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
