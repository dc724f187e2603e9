#include "app/cli/commands/document.h"

#include "app/cli/shared/command.h"
#include "app/cli/shared/graphviz.h"
#include "engine/liveness/sizes.h"
#include "engine/text/graph_document.h"
#include "engine/text/print.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace app {

namespace {

constexpr std::uintmax_t kLargestDocument = std::uintmax_t(256) << 20;

std::string contentOf(const std::string &path)
{
    namespace fs = std::filesystem;
    std::error_code error;
    if (fs::is_directory(path, error)) throw CliError(path + " is a folder", "name a graph document, a session or a script");
    if (!fs::exists(path, error)) throw CliError("there is no file " + path);
    if (fs::file_size(path, error) > kLargestDocument)
        throw CliError(path + " is larger than " + liveness::sizeText(kLargestDocument),
                       "record a session: croton profile FILE.py -o S.croton");
    std::ifstream file(path, std::ios::binary);
    if (!file) throw CliError(path + " cannot be read: " + std::strerror(errno));
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

bool isDocument(const std::string &path) { return path.size() > 5 && path.compare(path.size() - 5, 5, ".json") == 0; }

std::string textOfDocument(const std::string &path, const std::string &format, bool types)
{
    const std::string content = contentOf(path);
    try {
        const engine::GraphDocument document = engine::readGraphDocument(content);
        if (format == "text") return engine::debugPrint(document.outputs, {.types = types});
        if (format == "json") return engine::writeGraphDocument(document.inputs, document.outputs) + "\n";
        const std::string dot = engine::toDot(engine::FunctionGraph(document.inputs, document.outputs));
        return format == "svg" ? svgOfDot(dot) : dot;
    } catch (const engine::UserError &error) {
        throw CliError(path + ": " + error.what(), error.hint());
    }
}

} // namespace app
