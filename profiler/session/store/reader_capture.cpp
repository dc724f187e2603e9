// Captured calls, in SessionReader.

#include "profiler/session/codec/array_codec.h"
#include "profiler/session/store/reader_rows.h"

#include <cstdlib>

namespace profiler {

namespace {

constexpr std::size_t kMostArrayBytes = std::size_t{8} << 30;

[[noreturn]] void damaged(const std::string &what)
{
    throw SessionError("a captured array is damaged: " + what, "the rest of the session can be read; record again with --capture");
}

} // namespace

std::vector<CapturedFunction> SessionReader::capturedFunctions() { return rows<CapturedFunction>("ORDER BY function"); }

std::vector<CapturedCall> SessionReader::capturedCalls() { return rows<CapturedCall>("ORDER BY function, call"); }

std::vector<CapturedValue> SessionReader::capturedValues() { return rows<CapturedValue>("ORDER BY function, call, role, position"); }

std::vector<AblationRow> SessionReader::ablations() { return rows<AblationRow>("ORDER BY function, call, by, position"); }

std::vector<TrialRow> SessionReader::trials() { return rows<TrialRow>("ORDER BY function, call, question"); }

std::vector<AlongRow> SessionReader::alongSteps() { return rows<AlongRow>("ORDER BY function, call, step"); }

std::vector<std::uint8_t> SessionReader::capturedArray(const std::string &key)
{
    const std::size_t dash = key.rfind('-');
    const std::size_t wanted = dash == std::string::npos ? kMostArrayBytes : std::strtoull(key.c_str() + dash + 1, nullptr, 16);
    if (wanted >= kMostArrayBytes) damaged("its key says no possible size");
    std::vector<std::uint8_t> bytes;
    int next = 0;
    for (ArrayPart &part : rows<ArrayPart>("WHERE array_key=? ORDER BY part", key)) {
        if (part.part != next++) damaged("a part of it is missing");
        if (part.bytes <= 0 || static_cast<std::size_t>(part.bytes) > kArrayPartBytes) damaged("a part of it has no possible size");
        const std::vector<std::uint8_t> unpacked = unpackPart(part.data, static_cast<std::size_t>(part.bytes));
        bytes.insert(bytes.end(), unpacked.begin(), unpacked.end());
        if (bytes.size() > wanted) damaged("it is longer than its key says");
    }
    if (bytes.size() < wanted) damaged(next == 0 ? "it is not there" : "a part of it is missing");
    if (arrayKey(bytes) != key) damaged("its bytes are not those that were captured");
    return bytes;
}

} // namespace profiler
