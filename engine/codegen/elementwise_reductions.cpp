#include "engine/codegen/elementwise_writer.h"

namespace engine::kerneltext {

std::string Writer::combined(const std::string &target, const std::string &element) const
{
    return combinedText(m_sink->reduce, m_sink->accumulator, target, element);
}

void Writer::writeLaneLoop(std::uint32_t segment)
{
    const std::string lanes = std::to_string(m_sink->lanes);
    line(2, "long at = 0;");
    line(2, "for (; at + " + lanes + " <= m; at += " + lanes + ")");
    line(2, "    IVDEP");
    line(2, "    for (int j = 0; j < " + lanes + "; ++j) {");
    line(3, "const long i = at + j;");
    m_out += bodyText(segment, true, into("lane[j]"), 3);
    line(2, "    }");
    // What is left over goes to the first lanes. It is made together with elements that were there already, so that it
    // runs as vectors, too.
    line(2, "const long left = m - at, back = m - " + lanes + ";");
    line(2, "if (left && back >= 0) {");
    line(3, std::string(accumulatorType()) + " rest[2 * " + lanes + "] ALIGNED;");
    line(3, "IVDEP");
    line(3, "for (int j = 0; j < " + lanes + "; ++j) {");
    line(4, "const long i = back + j;");
    m_out += bodyText(segment, true, "rest[j] = e;", 4);
    line(3, "}");
    line(3, "const " + std::string(accumulatorType()) + " *const last = rest + (" + lanes + " - left);");
    line(3, "for (int j = 0; j < " + lanes + "; ++j) lane[j] = j < left ? " + combined("lane[j]", "last[j]") + " : lane[j];");
    line(2, "} else {");
    line(3, "for (long i = at; i < m; ++i) {");
    m_out += bodyText(segment, true, into("lane[i - at]"), 4);
    line(3, "}");
    line(2, "}");
}

// Columns without calls: strips whose accumulators stay in registers while the rows go by.
void Writer::writeStrips()
{
    const std::string type = accumulatorType(), width = "64";
    line(1, "long at = 0;");
    line(1, "for (; at + " + width + " <= n; at += " + width + ") {");
    line(2, type + " lane[" + width + "];");
    line(2, "for (int j = 0; j < " + width + "; ++j) lane[j] = acc[at + j];");
    line(2, "for (long r = 0; r < steps[0]; ++r) {");
    writeInputs(3, true);
    line(3, "IVDEP");
    line(3, "for (int j = 0; j < " + width + "; ++j) {");
    line(4, "const long i = at + j;");
    m_out += bodyText(0, true, into("lane[j]"), 4);
    line(3, "}");
    line(2, "}");
    line(2, "for (int j = 0; j < " + width + "; ++j) acc[at + j] = lane[j];");
    line(1, "}");
    line(1, "for (long r = 0; at < n && r < steps[0]; ++r) {");
    writeInputs(2, true);
    line(2, "IVDEP");
    line(2, "for (long i = at; i < n; ++i) {");
    m_out += bodyText(0, true, into("acc[i]"), 3);
    line(2, "}");
    line(1, "}");
}

// The largest or smallest: pieces of 1024, as the folds take them. nan is left to the fold, which knows the last one.
void Writer::writePieces()
{
    const std::string type = accumulatorType(), flag = m_sink->accumulator == RT_F32 ? "int" : "long long";
    const std::string sign = m_sink->reduce == RT_MAX ? " > " : " < ";
    writeInputs(1, false);
    line(1, "long at = 0;");
    line(1, "for (; at < n && *acc == *acc; at += 1024) {");
    line(2, "const " + type + " before = *acc;");
    line(2, type + " lane[64] ALIGNED;");
    line(2, flag + " odd[64] ALIGNED, found = 0;");
    line(2, "for (int j = 0; j < 64; ++j) lane[j] = before, odd[j] = 0;");
    line(2, "for (long b = at; b < at + 1024; b += 64)");
    line(2, "    IVDEP");
    line(2, "    for (int j = 0; j < 64; ++j) {");
    line(3, "const long i = b + j;");
    m_out += bodyText(0, true, "lane[j] = e" + sign + "lane[j] ? e : lane[j]; odd[j] |= e != e;", 3);
    line(2, "    }");
    line(2, "for (int j = 0; j < 64; ++j) found |= odd[j];");
    line(2, "if (found) break;");
    for (int width = 32; width; width /= 2) {
        const std::string w = std::to_string(width);
        line(2, "for (int j = 0; j < " + w + "; ++j) lane[j] = lane[j + " + w + "]" + sign + "lane[j] ? lane[j + " + w + "] : lane[j];");
    }
    line(2, "*acc = lane[0]" + sign + "before ? lane[0] : before;");
    line(1, "}");
    line(1, "*done = at;");
}

} // namespace engine::kerneltext
