#include "profiler/record/devices.h"
#include "app/cli/commands/worker.h"
#include "app/cli/shared/command.h"
#include "app/cli/shared/output.h"
#include "app/cli/version.h"
#include "profiler/export/json_text.h"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace app {

namespace {

// Something that this machine and this build can do, or the reason why not.
struct Capability {
    std::string name;
    bool available = false;
    std::string text; // what it is, or why it is not
};

bool onPath(const std::string &program)
{
    if (program.find('/') != std::string::npos) return access(program.c_str(), X_OK) == 0;
    const char *path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (access((folder + "/" + program).c_str(), X_OK) == 0) return true;
    return false;
}

Capability python()
{
    const char *chosen = std::getenv("CROTON_PYTHON");
    const std::string program = chosen && *chosen ? chosen : kPython;
    if (program.empty()) return {"python", false, "croton was built without Python: install python3-dev, python3-numpy and pybind11-dev"};
    if (!onPath(program)) return {"python", false, program + " cannot be run: set CROTON_PYTHON"};
    if (pythonFolders().empty()) return {"python", false, "the Python part is not there"};
    return {"python", true, program};
}

Capability level(const profiler::ProcessorUse &use)
{
    if (!use.levelProblem.empty()) return {"level", false, use.levelProblem};
    return {"level", true, use.level + (use.levelIsChosen ? ", by CROTON_CPU_LEVEL" : ", the processor's best")};
}

Capability blas(const profiler::ProcessorUse &use)
{
    if (!use.coreProblem.empty()) return {"blas", false, use.coreProblem};
    std::string text = use.blas + ", core " + use.core;
    if (use.lapackCore != use.core) text += ", for LAPACK " + use.lapackCore;
    return {"blas", true, text + (use.coreIsChosen ? ", by CROTON_BLAS_CORE" : "")};
}

Capability program(const std::string &name, const std::string &program, const char *why)
{
    if (onPath(program)) return {name, true, program};
    return {name, false, program + " was not found: " + why};
}

int devices(const Arguments &arguments)
{
    std::vector<Capability> devices;
    for (const profiler::DeviceInfo &device : profiler::describeDevices(true))
        devices.push_back({device.name, device.available, device.available ? device.description : device.reason});
    const profiler::ProcessorUse use = profiler::describeProcessorUse();
    std::vector<Capability> parts{
        level(use),
        blas(use),
        python(),
        program("compiler", "gcc", "functions run in the interpreter"),
        program("graphviz", "dot", "croton graph --format svg needs it"),
    };
    for (const profiler::DeviceInfo &part : profiler::describeDeviceParts())
        parts.push_back({part.name, part.available, part.available ? part.description : part.reason});
    if (arguments.has("--json")) {
        nlohmann::json all{{"devices", nlohmann::json::array()}, {"parts", nlohmann::json::array()}};
        const auto add = [&all](const char *list, const std::vector<Capability> &from) {
            for (const Capability &one : from)
                all[list].push_back(
                    {{"name", one.name}, {"available", one.available}, {one.available ? "description" : "reason", one.text}});
        };
        add("devices", devices);
        add("parts", parts);
        writeOutput({}, profiler::jsonText(all));
        return 0;
    }
    for (const std::vector<Capability> &list : {devices, parts})
        for (const Capability &one : list) printOut("%-10s %-4s %s\n", one.name.c_str(), one.available ? "yes" : "no", one.text.c_str());
    return 0;
}

} // namespace

Command devicesCommand()
{
    Command command;
    command.name = "devices";
    command.summary = "say what this machine can run on, and why not on the rest";
    command.options = {{"--json", "", "the list as JSON"}};
    command.run = devices;
    return command;
}

} // namespace app
