// What a driver's compiler made of a kernel, kept in the user's cache beside the host's products.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace engine {

/// Where binaries of `kind` made from `key` lie; empty: nowhere.
std::string binaryFile(const std::string &kind, const std::string &key);
/// Empty: there is none.
std::vector<char> keptBinary(const std::string &file);
/// Whoever reads meanwhile has the old one or the new one. Does nothing where no kernels are kept.
void keepBinary(const std::string &file, std::span<const char> bytes);

} // namespace engine
