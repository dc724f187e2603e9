#include "engine/tensor/errors.h"

#include <cstring>

namespace engine {

void failAssert(const char *condition, const char *file, int line, const std::string &detail)
{
    const char *slash = std::strrchr(file, '/');
    throw InternalError(std::string("internal error at ") + (slash ? slash + 1 : file) + ":" + std::to_string(line) + ": " + detail + " (" +
                        condition + ")");
}

} // namespace engine
