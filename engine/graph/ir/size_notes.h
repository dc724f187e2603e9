// Sizes that rewrites have found once, so that whoever asks again need not walk through the graph for them.
#pragma once

#include "engine/graph/ir/ids.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace engine {

/// An axis of an array is as long as an axis of another one, or as a number says.
struct SameSize {
    VarId var = kNoVar;
    int axis = 0;
    std::optional<std::int64_t> number;
};

class SizeNotes {
public:
    const SameSize *sameSize(VarId var, int axis) const { return find(m_same, var, axis); }
    const VarId *size(VarId var, int axis) const { return find(m_sizes, var, axis); }
    void noteSameSize(VarId var, int axis, const SameSize &same) { put(m_same, m_newSame, var, axis, same); }
    void noteSize(VarId var, int axis, VarId size) { put(m_sizes, m_newSizes, var, axis, size); }

    void beginStep()
    {
        m_newSame.clear();
        m_newSizes.clear();
    }
    /// Forgets what was noted since.
    void undoStep()
    {
        for (const Key key : m_newSame) m_same.erase(key);
        for (const Key key : m_newSizes) m_sizes.erase(key);
        beginStep();
    }

private:
    using Key = std::uint64_t;
    template <class T>
    using Table = std::unordered_map<Key, T>;
    static Key keyOf(VarId var, int axis) { return static_cast<Key>(raw(var)) << 32 | static_cast<std::uint32_t>(axis); }
    template <class T>
    static const T *find(const Table<T> &table, VarId var, int axis)
    {
        const auto found = table.find(keyOf(var, axis));
        return found == table.end() ? nullptr : &found->second;
    }
    template <class T>
    static void put(Table<T> &table, std::vector<Key> &news, VarId var, int axis, const T &value)
    {
        const Key key = keyOf(var, axis);
        table.insert_or_assign(key, value);
        news.push_back(key);
    }

    Table<SameSize> m_same;
    Table<VarId> m_sizes;
    std::vector<Key> m_newSame, m_newSizes;
};

} // namespace engine
