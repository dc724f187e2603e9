// Where nan, infinities and denormals come from, in programs that have one planted: as written, and in one fused kernel.
#include "tests/engine/values/programs.h"

#include <cmath>

using namespace programs;

namespace {

struct Planted {
    std::string text;
    std::vector<double> x;
    std::string kind; // nan, inf, overflow, denormal
    std::string from; // the op
};

const Planted kPlanted[] = {
    {"x: dvector; tanh(log(x - 2) * 0.5)", {3, 1.5}, "nan", "log"},
    {"x: dvector; sin(sqrt(sin(x)) + 1)", {1, 4}, "nan", "√"},
    {"x: dvector; tanh(abs_(x) / sin(x)) * 2", {0, 1}, "nan", "÷"},
    {"x: dvector; cos(exp(x) - exp(x * 1.5)) + 1", {1, 800}, "nan", "−"},
    {"x: dvector; sqr(arcsin(x + 0.75)) - 3", {0, 0.5}, "nan", "arcsin"},
    {"x: dvector; tanh(sin(x) * exp(x * 3))", {1, 300}, "overflow", "exp"},
    {"x: dvector; tanh(1 / sin(x)) + cos(x)", {0, 2}, "inf", ""},
    {"x: dvector; sigmoid(log(sin(x) * sin(x)))", {0, 1}, "inf", "log"},
    {"x: dvector; sin(x * x * x) + cos(x)", {1, 1e-104}, "denormal", ""},
    {"x: dvector; arctan(exp(-x) * 2) + sin(x)", {1, 740}, "denormal", "exp"},
    {"x: dvector; log1p(sin(x) - 2.5) * cos(x)", {1, 2}, "nan", "log(1+x)"},
};

bool has(const Born &born, const std::string &kind)
{
    if (kind == "nan") return born.nan;
    if (kind == "overflow") return born.overflow;
    return kind == "inf" ? born.infinity && !born.overflow : born.denormal;
}

// Where it first shows: a step of a kernel before the kernel.
const ValueRow *birth(const CallValues &values, const std::string &kind)
{
    for (const ValueRow &row : values.rows)
        if (has(row.born, kind)) return &row;
    return nullptr;
}

TEST(Born, isNamedInTheProgramAsWritten)
{
    for (const Planted &program : kPlanted) {
        const CallValues values = original(program.text, program.x);
        const ValueRow *row = birth(values, program.kind);
        ASSERT_TRUE(row) << program.text;
        EXPECT_NE(row->op.find(program.from), std::string::npos) << program.text << ": " << row->name;
        EXPECT_EQ(row->step, -1);
    }
}

TEST(Born, isNamedInsideOfAFusedKernel)
{
    int inside = 0;
    for (const Planted &program : kPlanted) {
        const CallValues values = optimized(program.text, program.x);
        const ValueRow *row = birth(values, program.kind);
        ASSERT_TRUE(row) << program.text;
        EXPECT_NE(row->op.find(program.from), std::string::npos) << program.text << ": " << row->name;
        inside += row->step >= 0;
    }
    EXPECT_EQ(inside, static_cast<int>(std::size(kPlanted)));
}

TEST(Born, isNotSaidOfWhatCameIn)
{
    const CallValues values = original("x: dvector; y = x + 1; exp(y)", {1, NAN});
    EXPECT_TRUE(rowNamed(values, "x").born.nan);
    EXPECT_FALSE(rowNamed(values, "y").born.any());
}

TEST(Born, isFoundInFusedReductions)
{
    const CallValues values = optimized("x: dvector; sum(sqr(log(x)))", {1, -1});
    const ValueRow *row = birth(values, "nan");
    ASSERT_TRUE(row);
    EXPECT_NE(row->op.find("log"), std::string::npos) << row->name;
    EXPECT_GE(row->step, 0);
}

} // namespace
