#include "engine/compile/function/later_errors.h"

#include "engine/tensor/fork.h"

#include <map>
#include <mutex>
#include <utility>

namespace engine {
namespace {

struct Expected {
    ProcessMutex mutex; // guards the rest, and whose work it is
    std::map<std::uint64_t, std::pair<const LaterErrors *, ApplyFailure>> byTag;
};

Expected &expected()
{
    static auto *const all = new Expected;
    return *all;
}

} // namespace

LaterErrors::LaterErrors(Fail fail) : m_fail(std::move(fail)) {}

LaterErrors::~LaterErrors()
{
    const std::lock_guard lock(expected().mutex);
    std::erase_if(expected().byTag, [this](const auto &one) { return one.second.first == this; });
}

void LaterErrors::expect(std::uint64_t tag, ApplyFailure failure)
{
    const std::lock_guard lock(expected().mutex);
    expected().byTag.insert_or_assign(tag, std::pair(this, std::move(failure)));
}

void LaterErrors::forget(std::uint64_t firstTag, std::size_t count)
{
    const std::lock_guard lock(expected().mutex);
    auto &byTag = expected().byTag;
    byTag.erase(byTag.lower_bound(firstTag), byTag.lower_bound(firstTag + count));
}

void throwWithApply(const FoundOnDevice &error)
{
    const std::lock_guard lock(expected().mutex);
    if (const auto found = expected().byTag.find(error.tag()); found != expected().byTag.end())
        found->second.first->fail(dynamic_cast<const std::exception &>(error), found->second.second);
    throw;
}

} // namespace engine
