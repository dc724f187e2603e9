// What comes from memory into registers: the same elements whatever the step between them, and nothing beyond the last one.
#include "tests/engine/rt/tables.h"

#include <gtest/gtest.h>

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr long kMost = 70; // whole vectors of every level, and what is left over

/// Memory between two pages that nobody may touch.
class Guarded {
public:
    Guarded() : m_page(sysconf(_SC_PAGESIZE)), m_size(8 * m_page)
    {
        m_memory = static_cast<char *>(mmap(nullptr, m_size + 2 * m_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        mprotect(m_memory, m_page, PROT_NONE);
        mprotect(m_memory + m_page + m_size, m_page, PROT_NONE);
        for (std::size_t i = 0; i < m_size; ++i) first()[i] = static_cast<char>(i * 7 % 61); // a half float that is a number, too
    }
    ~Guarded() { munmap(m_memory, m_size + 2 * m_page); }
    char *first() const { return m_memory + m_page; }
    char *end() const { return first() + m_size; }

private:
    std::size_t m_page, m_size;
    char *m_memory;
};

TEST(Memory, everyStepLoadsTheElementsAndNothingBeyondThem)
{
    const Guarded memory;
    const struct {
        RtDType dtype;
        long bytes, registerBytes;
    } kinds[] = {{RT_D_U8, 1, 8},  {RT_D_I16, 2, 8}, {RT_D_F16, 2, 4},   {RT_D_I32, 4, 8},
                 {RT_D_F32, 4, 4}, {RT_D_F64, 8, 8}, {RT_D_C128, 16, 16}};
    for (const RtTable *table : rt::tables())
        for (const auto &kind : kinds)
            for (long places = -9; places <= 9; ++places)
                for (long n = 1; n <= kMost; ++n) {
                    const long step = places * kind.bytes, span = (n - 1) * std::abs(step) + kind.bytes;
                    // The first or the last element lies at the edge.
                    for (char *lowest : {memory.first(), memory.end() - span}) {
                        const char *from = places < 0 ? lowest + span - kind.bytes : lowest;
                        std::vector<char> together(static_cast<std::size_t>(n * kind.registerBytes)), single(together.size());
                        table->loads[kind.dtype](from, step, together.data(), n);
                        for (long i = 0; i < n; ++i)
                            table->loads[kind.dtype](from + i * step, 0, single.data() + i * kind.registerBytes, 1);
                        ASSERT_EQ(together, single) << table->level << ", dtype " << kind.dtype << ", step " << places << ", n " << n;
                    }
                }
}

// Rows of one array, and of as many arrays as a row has elements.
TEST(Memory, rowsAreTheirElements)
{
    const Guarded memory;
    const struct {
        RtDType dtype;
        long bytes, registerBytes;
    } kinds[] = {{RT_D_U8, 1, 8}, {RT_D_F16, 2, 4}, {RT_D_I32, 4, 8}, {RT_D_F32, 4, 4}, {RT_D_F64, 8, 8}};
    for (const RtTable *table : rt::tables())
        for (const auto &kind : kinds)
            for (long rows : {1L, 2L, 5L, 16L, 35L})
                for (long n : {1L, 2L, 3L, 4L, 5L, 7L, 8L, 9L, 17L, 33L})
                    for (bool areArrays : {false, true}) {
                        const long along = kind.bytes * (areArrays ? rows + 1 : 1), apart = kind.bytes * (areArrays ? 1 : n + 2);
                        const char *from = memory.end() - ((rows - 1) * apart + (n - 1) * along + kind.bytes);
                        std::vector<char> together(static_cast<std::size_t>(rows * n * kind.registerBytes)), single(together.size());
                        table->loadRows[kind.dtype](from, rows, apart, n, along, together.data());
                        for (long i = 0; i < rows * n; ++i)
                            table->loads[kind.dtype](from + i / n * apart + i % n * along, 0, single.data() + i * kind.registerBytes, 1);
                        ASSERT_EQ(together, single) << table->level << ", dtype " << kind.dtype << ", " << rows << " rows of " << n;
                    }
}

} // namespace
