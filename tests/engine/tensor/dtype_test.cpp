#include "engine/graph/ir/type.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/errors.h"

#include <gtest/gtest.h>

namespace engine {
namespace {

// numpy.promote_types of every pair, recorded with NumPy 1.24; one letter per dtype, rows and columns in the order of DType.
constexpr std::string_view kLetters = "?bhilBHILefdFD";
constexpr std::string_view kPromotion[kDTypeCount] = {
    "?bhilBHILefdFD", "bbhilhildefdFD", "hhhilhildffdFD", "iiiiliilddddDD", "llllllllddddDD", "BhhilBHILefdFD", "HiiilHHILffdFD",
    "IllllIIILdddDD", "LddddLLLLdddDD", "eefddefddefdFD", "fffddffddffdFD", "ddddddddddddDD", "FFFDDFFDDFFDFD", "DDDDDDDDDDDDDD"};

// numpy.can_cast(from, to).
constexpr std::string_view kSafe[kDTypeCount] = {"11111111111111", "01111000011111", "00111000001111", "00011000000101", "00001000000101",
                                                 "00111111111111", "00011011101111", "00001001100101", "00000000100101", "00000000011111",
                                                 "00000000001111", "00000000000101", "00000000000011", "00000000000001"};

DType dtype(int i) { return static_cast<DType>(i); }

TEST(DType, PromotionIsNumPys)
{
    for (int a = 0; a < kDTypeCount; ++a)
        for (int b = 0; b < kDTypeCount; ++b)
            EXPECT_EQ(kLetters[static_cast<std::size_t>(promote(dtype(a), dtype(b)))], kPromotion[a][static_cast<std::size_t>(b)])
                << nameOf(dtype(a)) << " and " << nameOf(dtype(b));
}

TEST(DType, SafeCastsAreNumPys)
{
    for (int a = 0; a < kDTypeCount; ++a)
        for (int b = 0; b < kDTypeCount; ++b)
            EXPECT_EQ(canCastSafely(dtype(a), dtype(b)), kSafe[a][static_cast<std::size_t>(b)] == '1')
                << nameOf(dtype(a)) << " to " << nameOf(dtype(b));
}

TEST(DType, NamesAndSizes)
{
    std::size_t bytes = 0;
    for (int i = 0; i < kDTypeCount; ++i) {
        EXPECT_EQ(dtypeFromName(nameOf(dtype(i))), dtype(i));
        bytes += sizeOf(dtype(i));
    }
    EXPECT_EQ(bytes, 1u + 2 * (1 + 2 + 4 + 8) + 2 + 4 + 8 + 8 + 16);
    EXPECT_FALSE(dtypeFromName("float80"));
    EXPECT_FALSE(dtypeFromName("Float32"));
}

TEST(DType, FloatUpgradeIsTheanos)
{
    for (DType small : {DType::Bool, DType::Int8, DType::UInt8, DType::Int16, DType::UInt16})
        EXPECT_EQ(floatUpgrade(small), DType::Float32);
    for (DType wide : {DType::Int32, DType::UInt32, DType::Int64, DType::UInt64}) EXPECT_EQ(floatUpgrade(wide), DType::Float64);
    for (DType stays : {DType::Float16, DType::Float32, DType::Float64, DType::Complex64}) EXPECT_EQ(floatUpgrade(stays), stays);
}

Type shaped(std::initializer_list<std::int64_t> shape) { return Type::tensor(DType::Float32, {shape.begin(), shape.size()}); }

TEST(Type, TextIsTheanos)
{
    EXPECT_EQ(Type::scalar(DType::Float64).text(), "TensorType(float64, scalar)");
    EXPECT_EQ(shaped({kUnknownDim}).text(), "TensorType(float32, vector)");
    EXPECT_EQ(shaped({1}).text(), "TensorType(float32, (True,))");
    EXPECT_EQ(shaped({3, 4}).text(), "TensorType(float32, matrix)");
    EXPECT_EQ(shaped({1, 4}).text(), "TensorType(float32, row)");
    EXPECT_EQ(shaped({4, 1}).text(), "TensorType(float32, col)");
    EXPECT_EQ(shaped({1, 1}).text(), "TensorType(float32, (True, True))");
    EXPECT_EQ(shaped({2, 3, 4}).text(), "TensorType(float32, 3D)");
    EXPECT_EQ(shaped({2, 1, 4}).text(), "TensorType(float32, (False, True, False))");
    EXPECT_EQ(shaped({400, kUnknownDim}).detailedText(), "float32 (400, ?)");
}

TEST(Type, SizesAreHintsOnesAreNot)
{
    EXPECT_EQ(shaped({3, 4}), shaped({kUnknownDim, kUnknownDim}));
    EXPECT_EQ(shaped({3, 4}).hash(), shaped({5, kUnknownDim}).hash());
    EXPECT_FALSE(shaped({3, 4}).identical(shaped({3, 5})));
    EXPECT_TRUE(shaped({3, 4}).identical(shaped({3, 4})));
    EXPECT_FALSE(shaped({1, 4}) == shaped({3, 4}));
    EXPECT_FALSE(shaped({3}) == shaped({3, 4}));
    EXPECT_FALSE(shaped({3}) == shaped({3}).withDType(DType::Float64));
}

TEST(Type, ConvertibleToLessBroadcastable)
{
    EXPECT_TRUE(shaped({1, 4}).convertibleTo(shaped({kUnknownDim, kUnknownDim})));
    EXPECT_FALSE(shaped({kUnknownDim, 4}).convertibleTo(shaped({1, kUnknownDim})));
    EXPECT_FALSE(shaped({4}).convertibleTo(shaped({4, 1})));
    EXPECT_FALSE(shaped({4}).convertibleTo(shaped({4}).withDType(DType::Float64)));
    EXPECT_TRUE(Type::plain(TypeKind::Generic).convertibleTo(Type::plain(TypeKind::Generic)));
    EXPECT_FALSE(Type::plain(TypeKind::Generic).convertibleTo(Type::plain(TypeKind::Slice)));
    EXPECT_FALSE(Type::null("a") == Type::null("b"));
    EXPECT_EQ(Type::null("because").reason(), "because");
}

} // namespace
} // namespace engine
