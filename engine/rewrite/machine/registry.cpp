#include "engine/rewrite/machine/registry.h"

#include "engine/graph/ir/journal.h"
#include "engine/rewrite/machine/extensions.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/fork.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <tuple>

namespace engine {
namespace {

struct Registry {
    ProcessMutex mutex; // guards everything below; registrations come from static constructors and modules
    std::vector<std::unique_ptr<RewriteInfo>> owned;
    // Lists that were given out stay as they are: a compile may be under way when a rewrite or a pass is added.
    std::vector<std::unique_ptr<const std::vector<const RewriteInfo *>>> sorted;
    std::vector<std::unique_ptr<const std::vector<PassInfo>>> passes;
};

Registry &registry()
{
    static auto *instance = new Registry;
    return *instance;
}

constexpr PassInfo kPasses[] = {
    {"inline_ofg_expansion", Phase::Inline, -0.01, ""},
    {"merge1", Phase::Merge, 0, "merge"},
    {"scan_eqopt1", Phase::Merge, 0.05, "scan"},
    {"useless", Phase::Useless, 0.6, ""},
    {"merge1.1", Phase::Useless, 0.65, "merge"},
    {"canonicalize", Phase::Canonicalize, 1, ""},
    {"merge1.2", Phase::Canonicalize, 1.2, "merge"},
    {"stabilize", Phase::Stabilize, 1.5, ""},
    {"local_fill_to_alloc", Phase::Stabilize, 1.51, ""},
    {"local_elemwise_alloc", Phase::Stabilize, 1.52, ""},
    {"local_log_sum_exp", Phase::Stabilize, 1.6, ""},
    {"scan_eqopt2", Phase::Stabilize, 1.605, "scan"},
    {"scanOp_save_mem", Phase::Stabilize, 1.61, "scan"},
    {"fold_after_stabilize", Phase::Stabilize, 1.65, "croton"},
    {"local_dot_to_dot22", Phase::Blas, 1.7, ""},
    {"gemm_optimizer", Phase::Blas, 1.71, ""},
    {"local_dot22_to_dot22scalar", Phase::Blas, 1.711, ""},
    {"local_gemm_to_gemv", Phase::Blas, 1.715, ""},
    {"use_c_blas", Phase::Blas, 1.72, ""},
    {"specialize", Phase::Specialize, 2, ""},
    {"crossentropy_to_crossentropy_with_softmax", Phase::Specialize, 2.01, ""},
    {"uncanonicalize", Phase::Uncanonicalize, 3, ""},
    {"gpuarray_opt", Phase::Device, 48.5, "gpuarray"},
    {"gpuarray_cut_transfers", Phase::Device, 48.55, "gpuarray"},
    {"specialize_device", Phase::Device, 48.6, ""},
    {"elemwise_fusion", Phase::Fusion, 49, "fusion"},
    {"croton_fusion", Phase::Fusion, 49.05, "fusion"},
    {"merge2", Phase::Fusion, 49.1, "merge"},
    {"alloc_empty_to_zeros", Phase::Fusion, 49.3, ""},
    {"inplace_subtensor", Phase::Inplace, 60, "inplace"},
    {"InplaceBlasOpt", Phase::Inplace, 70, "inplace"},
    {"c_blas_destructive", Phase::Inplace, 70.1, "inplace"},
    {"scanOp_make_inplace", Phase::Inplace, 75, "inplace"},
    {"inplace_elemwise_opt", Phase::Inplace, 75, "inplace"},
    {"cond_make_inplace", Phase::Inplace, 95, "inplace"},
    {"random_make_inplace", Phase::Inplace, 99, "inplace"},
    {"random_make_inplace_mrg", Phase::Inplace, 99, "inplace"},
    {"merge3", Phase::FinalMerge, 100, "merge"},
    {"schedule", Phase::Schedule, 200, "croton"},
};

} // namespace

std::string_view nameOf(Phase phase)
{
    switch (phase) {
    case Phase::Inline: return "inline";
    case Phase::Merge: return "merge";
    case Phase::Useless: return "useless";
    case Phase::Canonicalize: return "canonicalize";
    case Phase::Stabilize: return "stabilize";
    case Phase::Blas: return "BlasOpt";
    case Phase::Specialize: return "specialize";
    case Phase::Uncanonicalize: return "uncanonicalize";
    case Phase::Device: return "specialize_device";
    case Phase::Fusion: return "fusion";
    case Phase::Inplace: return "inplace";
    case Phase::FinalMerge: return "final_merge";
    case Phase::Schedule: return "schedule";
    }
    return "?";
}

std::span<const PassInfo> allPasses()
{
    Registry &all = registry();
    std::lock_guard lock(all.mutex);
    return all.passes.empty() ? std::span<const PassInfo>(kPasses) : std::span<const PassInfo>(*all.passes.back());
}

const PassInfo &defaultPass(Phase phase)
{
    // A phase begins with a pass of the engine's.
    const auto found = std::find_if(std::begin(kPasses), std::end(kPasses), [&](const PassInfo &pass) { return pass.phase == phase; });
    ENGINE_ASSERT(found != std::end(kPasses), "the phase " + std::string(nameOf(phase)) + " has no pass");
    return *found;
}

bool RewriteInfo::hasTag(std::string_view tag) const { return name == tag || std::find(tags.begin(), tags.end(), tag) != tags.end(); }

std::span<const RewriteInfo *const> allRewrites()
{
    Registry &all = registry();
    std::lock_guard lock(all.mutex);
    if (all.sorted.empty() || all.sorted.back()->size() != all.owned.size()) {
        auto sorted = std::make_unique<std::vector<const RewriteInfo *>>();
        for (const auto &info : all.owned) sorted->push_back(info.get());
        std::sort(sorted->begin(), sorted->end(), [](const RewriteInfo *a, const RewriteInfo *b) {
            return std::tie(a->phase, a->position, a->name) < std::tie(b->phase, b->position, b->name);
        });
        all.sorted.push_back(std::move(sorted));
    }
    return *all.sorted.back();
}

bool addRewrite(RewriteInfo info)
{
    if (findRewrite(info.name)) return false;
    Registry &all = registry();
    std::lock_guard lock(all.mutex);
    all.owned.push_back(std::make_unique<RewriteInfo>(std::move(info)));
    return true;
}

bool addPass(std::string_view name, double position)
{
    const std::span<const PassInfo> before = allPasses();
    if (findRewrite(name) || std::any_of(before.begin(), before.end(), [&](const PassInfo &pass) { return pass.name == name; }))
        return false;
    auto passes = std::make_unique<std::vector<PassInfo>>(before.begin(), before.end());
    const auto behind = std::find_if(passes->begin(), passes->end(), [&](const PassInfo &pass) { return pass.position > position; });
    const Phase phase = behind == passes->begin() ? behind->phase : std::prev(behind)->phase;
    passes->insert(behind, {internText(name), phase, position, ""});
    Registry &all = registry();
    std::lock_guard lock(all.mutex);
    all.passes.push_back(std::move(passes));
    return true;
}

const RewriteInfo *findRewrite(std::string_view name)
{
    for (const RewriteInfo *info : allRewrites())
        if (info->name == name) return info;
    return nullptr;
}

RewriteBuilder::RewriteBuilder(std::string name, Phase phase, std::source_location where)
{
    const std::string_view file = where.file_name();
    const std::size_t root = file.rfind("engine/rewrite/");
    m_info.file = root == std::string_view::npos ? file : file.substr(root);
    m_info.line = static_cast<int>(where.line());
    m_info.name = std::move(name);
    m_info.phase = phase;
    m_info.pass = defaultPass(phase).name;
    m_info.tags = {"fast_run"};
}

RewriteBuilder &&RewriteBuilder::off() &&
{
    std::erase(m_info.tags, "fast_run");
    return std::move(*this);
}

namespace {

/// What is declared and defined on the left side is known on the right one.
std::string withNamesOf(const std::string &before, const std::string &after)
{
    const std::size_t end = before.rfind("; ");
    return end == std::string::npos ? after : before.substr(0, end + 2) + after;
}

} // namespace

RewriteBuilder &&RewriteBuilder::turns(std::string before, std::string after, std::vector<std::string> where) &&
{
    m_info.examples.push_back({before, withNamesOf(before, after)});
    return std::move(*this).generally(std::move(before), std::move(after), std::move(where));
}

RewriteBuilder &&RewriteBuilder::generally(std::string before, std::string after, std::vector<std::string> where) &&
{
    after = withNamesOf(before, after);
    m_rule.turns.push_back({std::move(before), std::move(after), std::move(where)});
    return std::move(*this);
}

RewriteBuilder &&RewriteBuilder::stays(std::string text, std::string reason) &&
{
    m_info.examples.push_back({text, {}});
    m_rule.turns.push_back({std::move(text), std::move(reason), {}, true});
    return std::move(*this);
}

RewriteRegistration::RewriteRegistration(RewriteBuilder &&builder)
{
    if (!builder.m_rule.turns.empty()) {
        auto rule = std::make_shared<const Rule>(builder.m_info.name, std::move(builder.m_rule));
        builder.m_info.run = [rule = rule.get()](const NodeHandle &node, Editor &edit) { return rule->run(node, edit); };
        builder.m_info.rule = std::move(rule);
    }
    Registry &all = registry();
    std::lock_guard lock(all.mutex);
    all.owned.push_back(std::make_unique<RewriteInfo>(std::move(builder.m_info)));
}

} // namespace engine
