// MRG31k3p: vectors of streams give what one stream after the other gives, at every level, for any number of streams and samples.
#include "engine/rt/mrg31k3p.h"
#include "tests/engine/rt/tables.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace {

#define MRG_INT int
#define MRG_WORD unsigned int
#include "engine/rt/mrg31k3p_text.inc"

std::vector<int> firstStates(long streams)
{
    std::mt19937 random(3);
    std::uniform_int_distribution<int> draw(1, 2147462578);
    std::vector<int> states(static_cast<std::size_t>(6 * streams));
    for (int &part : states) part = draw(random);
    return states;
}

template <class T, class Convert>
void compare(long streams, long count, RtDType dtype, Convert convert)
{
    std::vector<int> wanted = firstStates(streams);
    std::vector<T> samples;
    for (long i = 0; i < count; ++i) samples.push_back(convert(mrgNext(wanted.data() + 6 * (i % streams))));
    for (const RtTable *table : rt::tables()) {
        std::vector<int> states = firstStates(streams);
        std::vector<T> got(static_cast<std::size_t>(count), T(-1));
        // In two parts, as two threads would.
        const long middle = streams / 3;
        const RtMrg31k3p loop = rt_mrg31k3p_at(table->level);
        loop(states.data(), streams, middle, streams, got.data(), count, dtype);
        loop(states.data(), streams, 0, middle, got.data(), count, dtype);
        EXPECT_EQ(got, samples) << table->level << " " << streams << " streams, " << count << " samples";
        EXPECT_EQ(states, wanted) << table->level << " " << streams << " streams, " << count << " samples";
    }
}

TEST(Rt, randomStreamsAreThoseOfOneStreamAfterTheOther)
{
    for (long streams : {1L, 5L, 16L, 17L, 100L})
        for (long count : {0L, 1L, 7L, 16L, 99L, 100L, 1003L}) {
            compare<int>(streams, count, RT_D_I32, [](int drawn) { return drawn; });
            compare<float>(streams, count, RT_D_F32, [](int drawn) { return static_cast<float>(drawn) * 4.6566126e-10f; });
            compare<double>(streams, count, RT_D_F64, [](int drawn) { return drawn * 4.656612873077392578125e-10; });
        }
}

TEST(Rt, theNumbersOfASeed)
{
    // The test sequence of the generator in SSJ.
    int state[] = {12345, 12345, 12345, 12345, 12345, 12345};
    double got[5];
    rt_mrg31k3p()(state, 1, 0, 1, got, 5, RT_D_F64);
    const double wanted[] = {0.7353244530968368, 0.6142074400559068, 0.11007806099951267, 0.6487741703167558, 0.36619443260133266};
    for (int i = 0; i < 5; ++i) EXPECT_EQ(got[i], wanted[i]);
    EXPECT_EQ(rt_mrg31k3p_at("x86-64-v9"), nullptr);
}

} // namespace
