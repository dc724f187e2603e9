#include "engine/gradient/passage.h"

namespace engine {
namespace {

std::vector<FindPassage> &passages()
{
    static auto *all = new std::vector<FindPassage>;
    return *all;
}

} // namespace

bool registerPassage(FindPassage find)
{
    passages().push_back(find);
    return true;
}

std::optional<Passage> findPassage(const Apply &apply)
{
    for (FindPassage find : passages())
        if (auto found = find(apply)) return found;
    return std::nullopt;
}

} // namespace engine
