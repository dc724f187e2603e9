#include "profiler/session/codec/array_codec.h"

#include "profiler/session/model/model.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

using namespace profiler;

namespace {

std::vector<std::uint8_t> floats(std::size_t count)
{
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    std::vector<std::uint8_t> bytes(count * 4);
    for (std::size_t i = 0; i < count; ++i) {
        const float value = normal(random);
        std::memcpy(&bytes[i * 4], &value, 4);
    }
    return bytes;
}

TEST(ArrayCodec, givesBackEveryByte)
{
    std::vector<std::vector<std::uint8_t>> all{{}, {7}, std::vector<std::uint8_t>(1000, 0), floats(1), floats(100'000)};
    all.push_back(all.back());
    all.back().push_back(1); // no whole element
    for (const auto &bytes : all)
        for (const std::size_t width : {1, 2, 4, 8, 16, 3, 99}) {
            const auto packed = packPart(bytes, width);
            EXPECT_EQ(unpackPart(packed, bytes.size()), bytes) << bytes.size() << " by " << width;
            EXPECT_LE(packed.size(), bytes.size() + 1 + 5 * 16);
        }
}

TEST(ArrayCodec, whatRepeatsIsSmall)
{
    const std::vector<std::uint8_t> zeros(1 << 20, 0);
    EXPECT_LT(packPart(zeros, 4).size(), zeros.size() / 100);
    const auto random = floats(1 << 18); // signs and exponents of normal numbers repeat, the rest does not
    EXPECT_LT(packPart(random, 4).size(), random.size() * 95 / 100);
}

TEST(ArrayCodec, keysAreOfContentAndSize)
{
    const auto bytes = floats(1000);
    EXPECT_EQ(arrayKey(bytes), arrayKey(floats(1000)));
    std::set<std::string> keys{arrayKey(bytes)};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        auto other = bytes;
        other[i] ^= 1;
        keys.insert(arrayKey(other));
    }
    EXPECT_EQ(keys.size(), bytes.size() + 1);
    const std::vector<std::uint8_t> zeros(40, 0);
    std::set<std::string> sizes;
    for (std::size_t size = 0; size <= 40; ++size) sizes.insert(arrayKey(std::span(zeros).first(size)));
    EXPECT_EQ(sizes.size(), 41u);
}

TEST(ArrayCodec, damageIsASentence)
{
    const auto bytes = floats(5000);
    const auto packed = packPart(bytes, 4);
    std::mt19937 random(5);
    int sentences = 0;
    for (int round = 0; round < 3000; ++round) {
        auto damaged = packed;
        if (round % 3 == 0) damaged.resize(random() % damaged.size());
        else damaged[round % 3 == 1 ? random() % 6 : random() % damaged.size()] ^= static_cast<std::uint8_t>(1 + random() % 255);
        try {
            EXPECT_EQ(unpackPart(damaged, bytes.size()).size(), bytes.size());
        } catch (const SessionError &error) {
            EXPECT_NE(std::string(error.what()).find("captured array is damaged"), std::string::npos);
            EXPECT_NE(error.hint(), "");
            ++sentences;
        }
    }
    EXPECT_GT(sentences, 1000);
}

} // namespace
