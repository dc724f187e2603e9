#include "engine/graph/pretty_form.h"

#include "engine/tensor/fork.h"

#include <mutex>
#include <unordered_map>

namespace engine {
namespace {

struct Forms {
    ProcessMutex mutex; // guards byClass
    std::unordered_map<std::type_index, PrettyForm> byClass;
};

Forms &forms()
{
    static auto *instance = new Forms;
    return *instance;
}

} // namespace

const PrettyForm *findPretty(const Op &op)
{
    Forms &all = forms();
    std::lock_guard lock(all.mutex);
    auto found = all.byClass.find(op.dynamicType());
    return found == all.byClass.end() ? nullptr : &found->second;
}

bool registerPretty(std::type_index op, PrettyForm form)
{
    Forms &all = forms();
    std::lock_guard lock(all.mutex);
    all.byClass[op] = std::move(form);
    return true;
}

} // namespace engine
