#pragma once
// Rows of many graphs, by graph. Those of one graph are one block, which several snapshots of a session may share.

#include "profiler/session/model/ids.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace profiler {

template <class Row>
class RowsOfGraphs {
public:
    using Block = std::vector<Row>;

    template <class OneRow>
    class Iterator {
    public:
        using value_type = Row;
        using difference_type = std::ptrdiff_t;
        using reference = OneRow &;
        using pointer = OneRow *;
        using iterator_category = std::forward_iterator_tag;

        Iterator() = default;
        explicit Iterator(const std::shared_ptr<Block> *block) : m_block(block) {}
        OneRow &operator*() const { return (**m_block)[m_at]; }
        OneRow *operator->() const { return &**this; }
        Iterator &operator++()
        {
            if (++m_at == (*m_block)->size()) {
                ++m_block;
                m_at = 0;
            }
            return *this;
        }
        Iterator operator++(int)
        {
            Iterator was = *this;
            ++*this;
            return was;
        }
        bool operator==(const Iterator &other) const { return m_block == other.m_block && m_at == other.m_at; }

    private:
        const std::shared_ptr<Block> *m_block = nullptr;
        std::size_t m_at = 0;
    };
    using value_type = Row;
    using const_iterator = Iterator<const Row>;
    using iterator = Iterator<Row>;

    [[nodiscard]] const_iterator begin() const { return const_iterator(first()); }
    [[nodiscard]] const_iterator end() const { return const_iterator(last()); }
    // To change rows: what others share is copied first.
    [[nodiscard]] iterator begin()
    {
        for (auto &block : m_blocks) own(block);
        return iterator(first());
    }
    [[nodiscard]] iterator end() { return iterator(last()); }
    [[nodiscard]] bool empty() const { return m_blocks.empty(); }
    [[nodiscard]] std::size_t size() const { return m_blocks.empty() ? 0 : m_firsts.back() + m_blocks.back()->size(); }
    // By its place among all.
    [[nodiscard]] const Row &operator[](std::size_t index) const
    {
        const std::size_t block = blockAt(index);
        return (*m_blocks[block])[index - m_firsts[block]];
    }
    [[nodiscard]] Row &operator[](std::size_t index)
    {
        const std::size_t block = blockAt(index);
        return own(m_blocks[block])[index - m_firsts[block]];
    }
    [[nodiscard]] Row &front() { return own(m_blocks.front()).front(); }
    [[nodiscard]] Row &back() { return own(m_blocks.back()).back(); }

    // Rows of a graph come one after the other.
    void push_back(Row row)
    {
        if (m_blocks.empty() || m_blocks.back()->front().graph != row.graph) addBlock(std::make_shared<Block>());
        own(m_blocks.back()).push_back(std::move(row));
    }
    void pop_back()
    {
        own(m_blocks.back()).pop_back();
        if (!m_blocks.back()->empty()) return;
        m_blocks.pop_back();
        m_firsts.pop_back();
    }
    void clear()
    {
        m_blocks.clear();
        m_firsts.clear();
    }
    // No rows: nothing is added.
    void add(std::shared_ptr<Block> block)
    {
        if (block && !block->empty()) addBlock(std::move(block));
    }
    // Of rows that are by graph.
    void take(std::vector<Row> rows)
    {
        if (!rows.empty() && rows.front().graph == rows.back().graph) {
            rows.shrink_to_fit();
            return add(std::make_shared<Block>(std::move(rows)));
        }
        for (auto from = rows.begin(); from != rows.end();) {
            const auto to = std::find_if(from, rows.end(), [&](const Row &row) { return row.graph != from->graph; });
            add(std::make_shared<Block>(std::make_move_iterator(from), std::make_move_iterator(to)));
            from = to;
        }
    }
    void sortByGraph()
    {
        std::stable_sort(m_blocks.begin(), m_blocks.end(),
                         [](const auto &a, const auto &b) { return raw(a->front().graph) < raw(b->front().graph); });
        m_firsts.clear();
        for (std::size_t all = 0; const auto &block : m_blocks) m_firsts.push_back(std::exchange(all, all + block->size()));
    }
    // Of one graph; of blocks that are by graph. Never null.
    [[nodiscard]] std::shared_ptr<const Block> of(GraphId graph) const
    {
        const std::size_t found = find(graph);
        if (found < m_blocks.size()) return m_blocks[found];
        static const auto none = std::make_shared<const Block>();
        return none;
    }
    // Where its rows begin among all.
    [[nodiscard]] std::size_t firstOf(GraphId graph) const
    {
        const std::size_t found = find(graph);
        return found < m_blocks.size() ? m_firsts[found] : size();
    }
    // To be shared with others; null where the graph has no rows.
    [[nodiscard]] std::shared_ptr<Block> blockOf(GraphId graph) const
    {
        const std::size_t found = find(graph);
        return found < m_blocks.size() ? m_blocks[found] : nullptr;
    }
    [[nodiscard]] const std::vector<std::shared_ptr<Block>> &blocks() const { return m_blocks; }

private:
    static Block &own(std::shared_ptr<Block> &block)
    {
        if (block.use_count() > 1) block = std::make_shared<Block>(*block);
        return *block;
    }
    void addBlock(std::shared_ptr<Block> block)
    {
        m_firsts.push_back(size());
        m_blocks.push_back(std::move(block));
    }
    [[nodiscard]] std::size_t blockAt(std::size_t index) const
    {
        return static_cast<std::size_t>(std::upper_bound(m_firsts.begin(), m_firsts.end(), index) - m_firsts.begin()) - 1;
    }
    // The block of a graph; their number where there is none. Of blocks that are by graph.
    [[nodiscard]] std::size_t find(GraphId graph) const
    {
        const auto found = std::lower_bound(m_blocks.begin(), m_blocks.end(), graph,
                                            [](const auto &block, GraphId id) { return raw(block->front().graph) < raw(id); });
        const bool isThere = found != m_blocks.end() && (*found)->front().graph == graph;
        return isThere ? static_cast<std::size_t>(found - m_blocks.begin()) : m_blocks.size();
    }
    [[nodiscard]] const std::shared_ptr<Block> *first() const { return m_blocks.data(); }
    [[nodiscard]] const std::shared_ptr<Block> *last() const { return m_blocks.data() + m_blocks.size(); }

    std::vector<std::shared_ptr<Block>> m_blocks; // none of them empty
    std::vector<std::size_t> m_firsts;            // of each block, by place among all
};

} // namespace profiler
