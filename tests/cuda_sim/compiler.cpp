// The functions of NVRTC that the module calls: kernels are compiled by the host's compiler. Also what their code calls.
#include "tests/cuda_sim/machine.h"

#include <nvrtc.h>

#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <regex>
#include <spawn.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

extern char **environ;

using namespace cuda_sim;

namespace {

constexpr const char *kPrologue =
#include "tests/cuda_sim/prologue.inc"
    ;

struct Program {
    std::string text, log, binary;
    bool flushes = false;           // numbers too small to be normal become zeros
    std::vector<std::string> words; // that the host's compiler knows, too
};

// What NVRTC knows beside names with a value behind =.
bool isKnown(const std::string &option)
{
    for (const char *plain : {"use_fast_math", "lineinfo", "generate-line-info", "G", "device-debug", "w", "disable-warnings", "restrict",
                              "extra-device-vectorization"})
        if (option == std::string("-") + plain || option == std::string("--") + plain) return true;
    return option.starts_with("-D") || option.starts_with("-I") || option.starts_with("-U") ||
           (option.starts_with("-") && option.find('=') != std::string::npos);
}

// Memory of which the launch says how much: here as much as a group may have.
std::string withDynamicMemory(const std::string &text)
{
    static const std::regex declaration(R"(extern\s+__shared__\s+([\w ]+?)\s*(\w+)\s*\[\s*\])");
    return std::regex_replace(text, declaration, "static thread_local $1 $2[49152 / sizeof($1)]");
}

Program &programOf(nvrtcProgram program) { return *reinterpret_cast<Program *>(program); }

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The names of what is __global__ in a text.
std::vector<std::string> kernelsOf(const std::string &text)
{
    std::vector<std::string> names;
    const std::string word = "__global__";
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        std::size_t end = text.find('(', at);
        if (end == std::string::npos) break;
        while (end > at && !isWord(text[end - 1])) --end;
        std::size_t begin = end;
        while (begin > at && isWord(text[begin - 1])) --begin;
        names.push_back(text.substr(begin, end - begin));
    }
    return names;
}

std::string unitOf(const std::string &text, bool flushes)
{
    std::string unit = kPrologue + withDynamicMemory(text) + "\n";
    const bool hasBarriers = text.find("__syncthreads") != std::string::npos;
    for (const std::string &name : kernelsOf(text)) {
        unit += "template <class... A> static constexpr const unsigned *sizes_" + name +
                "(void (*)(A...)) { return cudaSim_kernel<A...>::sizes; }\n";
        unit += "template <class... A> static constexpr const char *pointers_" + name +
                "(void (*)(A...)) { return cudaSim_kernel<A...>::pointers; }\n";
        unit += "template <class... A> static void run_" + name +
                "(void (*f)(A...), void **a, const unsigned *g, const unsigned *b) { cudaSim_kernel<A...>::run(f, a, g, b, " +
                (hasBarriers ? "true" : "false") + "); }\n";
        unit += "extern \"C\" const unsigned *cudaSim_sizes_" + name + "() { return sizes_" + name + "(&" + name + "); }\n";
        unit += "extern \"C\" const char *cudaSim_pointers_" + name + "() { return pointers_" + name + "(&" + name + "); }\n";
        if (flushes) unit += "extern \"C\" void cudaSim_flushes_" + name + "() {}\n";
        unit += "extern \"C\" void cudaSim_run_" + name + "(void **a, const unsigned *g, const unsigned *b, unsigned) { run_" + name +
                "(&" + name + ", a, g, b); }\n";
    }
    return unit;
}

std::string contentsOf(int file)
{
    std::string text;
    char buffer[4096];
    lseek(file, 0, SEEK_SET);
    for (ssize_t n; (n = read(file, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
    return text;
}

// Empty, or what the compiler said.
std::string compile(const std::string &unit, const std::vector<std::string> &own, std::string &object)
{
    char source[] = "/tmp/cuda_sim_XXXXXX.cpp", product[] = "/tmp/cuda_sim_XXXXXX.so", said[] = "/tmp/cuda_sim_XXXXXX.txt";
    const int in = mkstemps(source, 4), out = mkstemps(product, 3), log = mkstemps(said, 4);
    const bool isWritten = write(in, unit.data(), unit.size()) == static_cast<ssize_t>(unit.size());
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, log, 2);
    std::vector<const char *> words{
        CUDA_SIM_COMPILER, "-x",        "c++",       "-std=c++17",      "-O1",      "-w", "-ffp-contract=off", "-fno-math-errno", "-fPIC",
        "-shared",         "-nostdlib", "-nostdinc", "-fno-exceptions", "-fno-rtti"};
    for (const std::string &word : own) words.push_back(word.c_str());
    for (const char *word : {static_cast<const char *>(source), "-o", static_cast<const char *>(product)}) words.push_back(word);
    words.push_back(nullptr);
    pid_t child = 0;
    int status = 1;
    if (isWritten && posix_spawnp(&child, words[0], &actions, nullptr, const_cast<char *const *>(words.data()), environ) == 0)
        waitpid(child, &status, 0);
    posix_spawn_file_actions_destroy(&actions);
    std::string text;
    if (status == 0) object = contentsOf(open(product, O_RDONLY));
    else text = "simulated NVRTC: " + contentsOf(log);
    for (int file : {in, out, log}) close(file);
    for (const char *file : {source, product, said}) unlink(file);
    return text;
}

} // namespace

nvrtcResult nvrtcVersion(int *major, int *minor)
{
    *major = 13;
    *minor = 999; // of no NVRTC: what it makes is not mistaken for a card's
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
    *count = 1;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *architectures)
{
    architectures[0] = 90;
    return NVRTC_SUCCESS;
}

const char *nvrtcGetErrorString(nvrtcResult result) { return result == NVRTC_SUCCESS ? "NVRTC_SUCCESS" : "NVRTC_ERROR_COMPILATION"; }

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *text, const char *, int, const char *const *, const char *const *)
{
    *program = reinterpret_cast<nvrtcProgram>(new Program{text, {}, {}, false, {}});
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    delete &programOf(*program);
    *program = nullptr;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options)
{
    Program &own = programOf(program);
    for (int i = 0; i < count; ++i) {
        const std::string option = options[i];
        if (!isKnown(option)) {
            own.log = "simulated NVRTC: unrecognized option " + option;
            return NVRTC_ERROR_INVALID_OPTION;
        }
        if (option.starts_with("-D") || option.starts_with("-I") || option.starts_with("-U")) own.words.push_back(option);
        if (option.find("use_fast_math") != std::string::npos || option.ends_with("-ftz=true")) own.flushes = true;
    }
    std::string object;
    own.log = compile(unitOf(own.text, own.flushes), own.words, object);
    if (!own.log.empty()) return NVRTC_ERROR_COMPILATION;
    const std::uint64_t size = object.size();
    own.binary = kMark;
    own.binary.append(reinterpret_cast<const char *>(&size), sizeof size);
    own.binary += object;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, std::size_t *size)
{
    *size = programOf(program).log.size() + 1;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log)
{
    std::strcpy(log, programOf(program).log.c_str());
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::size_t *size)
{
    *size = programOf(program).binary.size();
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *bytes)
{
    const std::string &binary = programOf(program).binary;
    std::memcpy(bytes, binary.data(), binary.size());
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram, std::size_t *size)
{
    *size = 0;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTX(nvrtcProgram, char *) { return NVRTC_SUCCESS; }

// --- what the code of kernels calls ---

namespace {

// Threads of a block with barriers: each runs until it comes to one, or to its end.
struct Fibers {
    ucontext_t home;
    std::vector<ucontext_t> contexts;
    std::vector<std::vector<char>> stacks;
    std::size_t current = 0;
    std::vector<bool> isOver;
    void (*run)(void *) = nullptr;
    void *argument = nullptr;
};

thread_local Fibers *t_fibers = nullptr;

void enterFiber()
{
    t_fibers->run(t_fibers->argument);
    t_fibers->isOver[t_fibers->current] = true;
    swapcontext(&t_fibers->contexts[t_fibers->current], &t_fibers->home);
}

struct Index {
    unsigned x, y, z;
};

} // namespace

extern "C" {

void cudaSim_barrier()
{
    Fibers &all = *t_fibers;
    swapcontext(&all.contexts[all.current], &all.home);
}

void cudaSim_fibers(void (*run)(void *), void *argument, unsigned count, Index *index, Index block)
{
    Fibers all;
    all.run = run;
    all.argument = argument;
    all.contexts.resize(count);
    all.stacks.assign(count, std::vector<char>(64 << 10));
    all.isOver.assign(count, false);
    t_fibers = &all;
    for (unsigned i = 0; i < count; ++i) {
        getcontext(&all.contexts[i]);
        all.contexts[i].uc_stack.ss_sp = all.stacks[i].data();
        all.contexts[i].uc_stack.ss_size = all.stacks[i].size();
        makecontext(&all.contexts[i], enterFiber, 0);
    }
    for (bool isAny = true; isAny;) {
        isAny = false;
        for (unsigned i = 0; i < count; ++i) {
            if (all.isOver[i]) continue;
            *index = {i % block.x, i / block.x % block.y, i / (block.x * block.y)};
            all.current = i;
            swapcontext(&all.home, &all.contexts[i]);
            isAny = true;
        }
    }
    t_fibers = nullptr;
}

double erfcx(double x) noexcept
{
    if (x < 20) return std::exp(x * x) * std::erfc(x);
    double sum = 1, term = 1; // an asymptotic series
    for (int n = 1; n < 10; ++n) sum += term *= -(2 * n - 1) / (2 * x * x);
    return sum / (x * std::sqrt(M_PI));
}

// Newton's steps on erfc, which is exact at both ends.
double erfcinv(double y) noexcept
{
    if (!(y > 0 && y < 2)) return y == 0 ? INFINITY : y == 2 ? -INFINITY : NAN;
    const double p = y < 1 ? y : 2 - y, t = std::sqrt(-2 * std::log(p / 2));
    double x = -0.70711 * ((2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481)) - t);
    for (int i = 0; i < 4; ++i) {
        const double error = std::erfc(x) - p;
        x += error / (M_2_SQRTPI * std::exp(-x * x) - x * error);
    }
    return y < 1 ? x : -x;
}

double erfinv(double y) noexcept
{
    if (std::fabs(y) > 0.5) return y < 0 ? -erfcinv(1 + y) : erfcinv(1 - y);
    double x = y / M_2_SQRTPI;
    for (int i = 0; i < 6; ++i) x -= (std::erf(x) - y) / (M_2_SQRTPI * std::exp(-x * x));
    return x;
}

float erfcxf(float x) noexcept { return static_cast<float>(erfcx(x)); }
float erfcinvf(float x) noexcept { return static_cast<float>(erfcinv(x)); }
float erfinvf(float x) noexcept { return static_cast<float>(erfinv(x)); }
}
