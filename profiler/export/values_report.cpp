#include "profiler/export/values_report.h"

#include "profiler/export/format.h"
#include "profiler/session/model/names.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace profiler {

namespace {

// Columns by letters, not by bytes.
std::size_t width(const std::string &text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
}
std::string left(const std::string &text, std::size_t columns)
{
    return text + std::string(columns > width(text) ? columns - width(text) : 0, ' ');
}
std::string right(const std::string &text, std::size_t columns)
{
    return std::string(columns > width(text) ? columns - width(text) : 0, ' ') + text;
}

std::string nameOfRow(const ValueRow &row)
{
    const std::string op = row.op.empty() || row.op == row.name ? row.name : row.name + " = " + row.op;
    return (row.step >= 0 ? "  · " : "") + elided(op, 36);
}

std::string lostText(const ValueRow &row)
{
    if (!row.accuracy.isMeasured()) return "?";
    if (row.accuracy.digits == 0) return row.accuracy.differing > 0 ? std::to_string(row.accuracy.differing) + " other" : "";
    if (row.accuracy.reference == ValueReference::Same) return "–";
    return format("%.1f", row.accuracy.lost);
}

std::string countsText(const ValueRow &row)
{
    std::string text;
    const auto add = [&](std::int64_t count, const char *what) {
        if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
    };
    add(row.facts.nans, "nan");
    add(row.facts.infinities, "inf");
    add(row.facts.denormals, "denormal");
    if (row.facts.zeros > 0 && row.accuracy.digits > 0) add(row.facts.zeros, "zero");
    for (const std::string &kind : row.accuracy.born)
        text += (text.empty() ? "" : "; ") + kind + (row.apply == kNoApply ? " came in here" : " born here");
    return text;
}

std::string tableOf(const ValuesOfSide &side, const ValueLines &lines)
{
    std::string out = "  " + right("lost", 7) + right("itself", 8) + right("of", 6) + "  " + left("value", 38) + right("least", 13) +
                      right("largest", 13) + "  " + "line\n";
    for (const ValueRow &row : side.rows) {
        if (row.accuracy.digits == 0 && row.accuracy.differing == 0) continue; // sizes, places and classes that are right
        const bool hasDigits = row.accuracy.countsDigits();
        const bool hasFinite = row.facts.hasFinite();
        std::string line = "  " + right(lostText(row), 7) + right(hasDigits ? format("%.1f", row.accuracy.own) : "", 8) +
                           right(row.accuracy.digits > 0 ? format("%.1f", row.accuracy.digits) : "", 6) + "  " + left(nameOfRow(row), 38) +
                           right(hasFinite ? shortNumber(row.facts.least) : "", 13) +
                           right(hasFinite ? shortNumber(row.facts.largest) : "", 13);
        const std::string source = lines.of(row), counts = countsText(row);
        if (!source.empty() || !counts.empty()) line += "  " + source + (source.empty() || counts.empty() ? "" : "  ") + counts;
        out += line + "\n";
    }
    return out;
}

std::string whereText(const ValueRow &row, const ValueLines &lines)
{
    const std::string line = lines.of(row);
    std::string text = row.op.empty() ? row.name : row.op;
    if (row.step >= 0) text += ", a step of a fused kernel";
    return text + (line.empty() ? "" : " (" + line + ")");
}

std::string findingsOf(const ValuesOfSide &side, const ValueLines &lines)
{
    std::string out;
    for (const auto &[kind, row] : side.births()) {
        const std::string where = whereText(*row, lines);
        out += "  " + (row->apply == kNoApply ? kind + " came in with " + where : "the first " + kind + " was born in " + where);
        const std::string loss = lossText(*row);
        out += (loss.empty() ? "" : ": " + loss) + "\n";
    }
    if (const ValueRow *row = side.firstLoss())
        out += "  more than half of the digits are gone from " + whereText(*row, lines) + " on: " + lossText(*row) +
               format(" (%.1f of %.1f digits, %.1f of them by its own rounding)\n", row->accuracy.lost, row->accuracy.digits,
                      row->accuracy.own);
    else if (const ValueRow *most = side.greatestLoss())
        out += "  most digits are lost in " + whereText(*most, lines) + ": " + lossText(*most) +
               format(" (%.1f of %.1f digits)\n", most->accuracy.lost, most->accuracy.digits);
    else out += "  no value has lost a digit\n";
    std::int64_t unsure = 0;
    for (const ValueRow &row : side.rows) unsure += row.accuracy.unsure;
    if (unsure > 0)
        out += "  of " + counted(unsure, "element") +
               " the reference itself is not sure to the last digit: less may be lost than is said here, or more\n";
    for (const std::string &note : side.notes) out += "  " + note + "\n";
    return out;
}

const char *sideTitle(ValueSide side) { return side == ValueSide::Original ? "As written" : "As compiled"; }

} // namespace

std::string valuesReport(const ValuesReport &report)
{
    std::string out = report.function.empty() ? "" : "Function " + report.function;
    if (!report.function.empty() && !report.sides.empty()) out += ", call " + std::to_string(report.sides.front().call) + "\n";
    if (!report.inputs.empty()) out += "Values for " + report.inputs + "\n";
    for (const ValuesOfSide &side : report.sides) {
        out += "\n" + std::string(sideTitle(side.side)) + "\n" + tableOf(side, report.lines) + "\n" + findingsOf(side, report.lines);
    }
    return out +
           "\nlost: decimal digits that are wrong in the worst element; itself: of these, how many it would lose had its inputs been right.\n";
}

namespace {

// Numbers that JSON has no word for stay texts.
nlohmann::ordered_json numberJson(const std::string &text)
{
    char *end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0' || !std::isfinite(value)) return text;
    return value;
}

nlohmann::ordered_json rowJson(const ValueRow &row, const ValueLines &lines)
{
    using Json = nlohmann::ordered_json;
    Json one{{"name", row.name}, {"op", row.op}, {"type", row.type}, {"shape", row.shape}};
    if (row.graph != kNoGraph) one["graph"] = raw(row.graph);
    if (row.apply != kNoApply) one["apply"] = raw(row.apply);
    if (row.variable != kNoVariable) one["variable"] = raw(row.variable);
    if (row.step >= 0) one["step"] = row.step;
    if (const std::string line = lines.of(row); !line.empty()) one["lines"] = line;
    one["elements"] = row.facts.elements;
    one["zeros"] = row.facts.zeros;
    one["nan"] = row.facts.nans;
    one["inf"] = row.facts.infinities;
    one["denormal"] = row.facts.denormals;
    one["least"] = row.facts.least;
    one["largest"] = row.facts.largest;
    one["mean"] = row.facts.mean;
    one["deviation"] = row.facts.deviation;
    one["histogram"] = Json::array();
    for (const std::string &part : row.facts.histogram) one["histogram"].push_back(std::strtoll(part.c_str(), nullptr, 10));
    one["first"] = Json::array();
    for (const std::string &value : row.facts.first) one["first"].push_back(numberJson(value));
    one["reference"] = nameOf(row.accuracy.reference);
    one["digits"] = row.accuracy.digits;
    one["lost"] = row.accuracy.lost;
    one["lostMean"] = row.accuracy.lostMean;
    one["own"] = row.accuracy.own;
    one["differing"] = row.accuracy.differing;
    one["unsure"] = row.accuracy.unsure;
    if (row.accuracy.worst >= 0)
        one["worst"] = {{"element", row.accuracy.worst}, {"got", numberJson(row.accuracy.got)}, {"right", row.accuracy.wanted}};
    one["born"] = row.accuracy.born;
    return one;
}

} // namespace

nlohmann::ordered_json valuesJson(const ValuesReport &report)
{
    nlohmann::ordered_json all{{"function", report.function}};
    for (const ValuesOfSide &side : report.sides) {
        nlohmann::ordered_json one{{"call", side.call}, {"notes", side.notes}};
        one["values"] = nlohmann::ordered_json::array();
        for (const ValueRow &row : side.rows) one["values"].push_back(rowJson(row, report.lines));
        one["born"] = nlohmann::ordered_json::object();
        for (const auto &[kind, row] : side.births()) one["born"][kind] = rowJson(*row, report.lines);
        all[nameOf(side.side)] = std::move(one);
    }
    return all;
}

} // namespace profiler
