// The seal at the end of a product: what was cut short or changed is told from what is whole.
#pragma once

#include <filesystem>
#include <string>

namespace engine {

/// Does what the open file holds end in its seal?
bool isSealed(int file);
/// Seals what the compiler left in `temporary` and puts it under its name, whole or not at all. Empty, or what went wrong.
std::string sealProduct(const std::filesystem::path &temporary, const std::filesystem::path &target);

} // namespace engine
