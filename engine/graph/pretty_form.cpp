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

void prettyCall(std::string_view name, const Apply &node, PrettyWriter &out)
{
    out.text(name);
    out.text("(");
    for (std::size_t i = 0; i < node.inputs().size(); ++i) {
        if (i) out.text(", ");
        out.variable(node.inputs()[i]);
    }
    out.text(")");
}

void prettyInfix(std::string_view symbol, const Apply &node, PrettyWriter &out)
{
    out.text("(");
    for (std::size_t i = 0; i < node.inputs().size(); ++i) {
        if (i) out.text(" " + std::string(symbol) + " ");
        out.variable(node.inputs()[i]);
    }
    out.text(")");
}

void prettyAround(std::string_view before, const Apply &node, std::string_view after, PrettyWriter &out)
{
    out.text(before);
    out.variable(node.input(0));
    out.text(after);
}

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
