#pragma once
// What is kept in pages, column by column: the one place beside schema.sql, whose views name the same columns in the same order.
// Columns of a later version come at the end: what a page lacks keeps the value that a row is made with.

#include "profiler/session/model.h"

#include <array>
#include <tuple>

namespace profiler {

// -1 is NULL.
template <class Number>
struct OrNull {
    Number &value;
};
template <class Number>
OrNull<Number> orNull(Number &value)
{
    return {value};
}

// kTable: its pages; key(): what all rows of a page share, and the columns of that; describe(): the rest.
template <class Row>
struct Columns;

template <>
struct Columns<VariableFacts> {
    static constexpr const char *kTable = "variable_pages";
    static constexpr std::array kKey{"graph"};
    static auto key(auto &row) { return std::tie(row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("variable", row.variable);
        visit("kind", row.kind);
        visit("name", row.name);
        visit("type", row.type);
        visit("dtype", row.dtype);
        visit("shape", row.shape);
        visit("value", row.value);
        visit("owner", row.owner);
        visit("owner_port", orNull(row.ownerPort));
        visit("in_original", row.inOriginal);
        visit("in_optimized", row.inOptimized);
        visit("is_output", row.isOutput);
    }
};

template <>
struct Columns<VariableSize> {
    static constexpr const char *kTable = "size_pages";
    static constexpr std::array kKey{"graph"};
    static auto key(auto &row) { return std::tie(row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("variable", row.variable);
        visit("shape", row.shape);
        visit("bytes", row.bytes);
    }
};

template <>
struct Columns<CostFacts> {
    static constexpr const char *kTable = "cost_pages";
    static constexpr std::array kKey{"graph"};
    static auto key(auto &row) { return std::tie(row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("apply", row.apply);
        visit("flops", orNull(row.flops));
        visit("cost_bytes", orNull(row.bytes));
    }
};

template <>
struct Columns<LineShare> {
    static constexpr const char *kTable = "line_pages";
    static constexpr std::array kKey{"graph"};
    static auto key(auto &row) { return std::tie(row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("apply", row.apply);
        visit("file", row.file);
        visit("line", row.line);
        visit("share", row.share);
    }
};

template <>
struct Columns<PlanItem> {
    static constexpr const char *kTable = "plan_item_pages";
    static constexpr std::array kKey{"function", "plan", "graph"};
    static auto key(auto &row) { return std::tie(row.function, row.plan, row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("position", row.position);
        visit("apply", row.apply);
        visit("grp", row.group);
        visit("runs", row.runs);
        visit("prepare_ns", orNull(row.prepareNs));
    }
};

template <>
struct Columns<BufferRow> {
    static constexpr const char *kTable = "buffer_pages";
    static constexpr std::array kKey{"function", "plan", "graph"};
    static auto key(auto &row) { return std::tie(row.function, row.plan, row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("variable", row.variable);
        visit("apply", row.apply);
        visit("port", row.port);
        visit("buffer", row.buffer);
        visit("offset", orNull(row.offset));
        visit("bytes", row.bytes);
        visit("device", row.device);
        visit("kind", row.kind);
        visit("of", row.of);
        visit("from_position", row.from);
        visit("to_position", row.to);
        visit("shape", row.shape);
        visit("strides", row.strides);
    }
};

template <>
struct Columns<ApplyStats> {
    static constexpr const char *kTable = "stat_pages";
    static constexpr std::array kKey{"function", "graph"};
    static auto key(auto &row) { return std::tie(row.function, row.graph); }
    static void describe(auto &row, auto &&visit)
    {
        visit("apply", row.apply);
        visit("tier", row.tier);
        visit("steady", row.steady);
        visit("calls", row.calls);
        visit("total_ns", row.totalNs);
        visit("min_ns", row.minNs);
        visit("max_ns", row.maxNs);
        visit("sum_squares", row.sumSquares);
        visit("device_ns", row.deviceNs);
        visit("blocking_ns", row.blockingNs);
        visit("histogram", row.histogram);
    }
};

} // namespace profiler
