// Places of an index as offsets, and blocks that are read and written there, on every level, against plain loops.
#include "tests/engine/rt/tables.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

using rt::tables;

template <class T>
void expectOffsets(const RtTable *table, RtDType dtype)
{
    for (long count : {0, 1, 7, 40})
        for (long stride : {4, 8, 12}) {
            std::vector<T> places(static_cast<std::size_t>(count));
            for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<T>(i * 5 % 9);
            const bool isSigned = static_cast<T>(-1) < T(0);
            if (isSigned && count > 5) places[3] = static_cast<T>(-2);
            std::vector<long long> offsets(places.size(), 1000);
            EXPECT_TRUE(table->offsets[dtype](places.data(), count, 9, stride, 1, offsets.data()));
            for (std::size_t i = 0; i < places.size(); ++i) {
                const long long place = isSigned && count > 5 && i == 3 ? 7 : static_cast<long long>(places[i]);
                EXPECT_EQ(offsets[i], 1000 + place * stride) << table->level << ", dtype " << dtype << ", stride " << stride;
            }
            if (count == 0) continue;
            places.back() = T(9);
            EXPECT_FALSE(table->offsets[dtype](places.data(), count, 9, stride, 0, offsets.data()));
            if (!isSigned) continue;
            places.back() = static_cast<T>(-10);
            EXPECT_FALSE(table->offsets[dtype](places.data(), count, 9, stride, 0, offsets.data()));
            EXPECT_FALSE(table->offsets[dtype](places.data(), count, 0, stride, 0, offsets.data()));
        }
}

TEST(RtIndexed, offsetsOfPlaces)
{
    for (const RtTable *table : tables()) {
        expectOffsets<signed char>(table, RT_D_I8);
        expectOffsets<short>(table, RT_D_I16);
        expectOffsets<int>(table, RT_D_I32);
        expectOffsets<long long>(table, RT_D_I64);
        expectOffsets<unsigned char>(table, RT_D_U8);
        expectOffsets<unsigned>(table, RT_D_U32);
        expectOffsets<unsigned long long>(table, RT_D_U64);
    }
}

// Two rows of blocks, three of them named twice, beside blocks with a gap between them.
TEST(RtIndexed, blocksOfEverySize)
{
    constexpr long kPlaces = 20, kCount = 23, kGap = 3, kRows = 2;
    for (const RtTable *table : tables())
        for (long bytes = 1; bytes <= 200; ++bytes) {
            const long step = bytes + kGap;
            std::vector<long long> offsets;
            for (long i = 0; i < kCount; ++i) offsets.push_back(i * 7 % kPlaces * bytes);
            std::vector<char> array(static_cast<std::size_t>(kRows * kPlaces * bytes)),
                other(static_cast<std::size_t>(kRows * kCount * step), 'x');
            for (std::size_t i = 0; i < array.size(); ++i) array[i] = static_cast<char>(i * 31 % 101);
            auto wanted = other;
            RtIndexed blocks{array.data(), other.data(), offsets.data(), kCount, step, kRows, kPlaces * bytes, kCount * step};
            for (long row = 0; row < kRows; ++row)
                for (long i = 0; i < kCount; ++i)
                    std::memcpy(wanted.data() + row * kCount * step + i * step,
                                array.data() + row * kPlaces * bytes + offsets[static_cast<std::size_t>(i)],
                                static_cast<std::size_t>(bytes));
            table->gatherBlocks(&blocks, bytes);
            EXPECT_EQ(other, wanted) << table->level << ", " << bytes << " bytes";
            for (std::size_t i = 0; i < other.size(); ++i) other[i] = static_cast<char>(i * 17 % 103);
            auto set = array;
            for (long row = 0; row < kRows; ++row)
                for (long i = 0; i < kCount; ++i)
                    std::memcpy(set.data() + row * kPlaces * bytes + offsets[static_cast<std::size_t>(i)],
                                other.data() + row * kCount * step + i * step, static_cast<std::size_t>(bytes));
            table->setBlocks(&blocks, bytes);
            EXPECT_EQ(array, set) << table->level << ", " << bytes << " bytes";
        }
}

// Sums are made in the order of positions: their bits are those of a loop.
TEST(RtIndexed, sumsOfRepeatedPlaces)
{
    for (const RtTable *table : tables())
        for (long items : {1, 2, 3, 4, 5, 8, 33})
            for (bool isSorted : {false, true}) {
                constexpr long kCount = 300, kPlaces = 5;
                std::vector<long long> offsets;
                for (long i = 0; i < kCount; ++i)
                    offsets.push_back((isSorted ? i * kPlaces / kCount : i * 7 % kPlaces) * items * static_cast<long>(sizeof(float)));
                std::vector<float> sums(static_cast<std::size_t>(kPlaces * items), 0.5f), terms(static_cast<std::size_t>(kCount * items));
                for (std::size_t i = 0; i < terms.size(); ++i) terms[i] = 1.0f / static_cast<float>(i + 3);
                auto wanted = sums;
                for (long i = 0; i < kCount; ++i)
                    for (long k = 0; k < items; ++k)
                        wanted[static_cast<std::size_t>(offsets[static_cast<std::size_t>(i)] / 4 + k)] +=
                            terms[static_cast<std::size_t>(i * items + k)];
                RtIndexed blocks{reinterpret_cast<char *>(sums.data()),
                                 reinterpret_cast<char *>(terms.data()),
                                 offsets.data(),
                                 kCount,
                                 items * 4,
                                 1,
                                 0,
                                 0};
                table->addBlocks[RT_D_F32](&blocks, items);
                EXPECT_EQ(sums, wanted) << table->level << ", " << items << " items";
            }
}

} // namespace
