#pragma once
// Nodes by id, in pages that copies share until one of them changes a node of it: two replicas of a graph differ in little.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace profiler {

template <class Node>
class NodePages {
public:
    [[nodiscard]] const Node *find(std::uint32_t id) const
    {
        const Page *page = pageOf(id);
        return page && (page->there >> (id % kPage) & 1) ? &page->nodes[id % kPage] : nullptr;
    }
    // To change it; null: it is not there.
    [[nodiscard]] Node *change(std::uint32_t id) { return find(id) ? &own(id).nodes[id % kPage] : nullptr; }
    // As it is made, where it is not there yet.
    [[nodiscard]] Node &make(std::uint32_t id)
    {
        Page &page = own(id);
        page.there |= std::uint32_t{1} << (id % kPage);
        return page.nodes[id % kPage];
    }
    void erase(std::uint32_t id)
    {
        Page &page = own(id);
        page.there &= ~(std::uint32_t{1} << (id % kPage));
        page.nodes[id % kPage] = {};
    }
    template <class Visit>
    void forEach(Visit visit) const
    {
        const auto each = [&](const Page &page) {
            for (std::size_t i = 0; i < kPage; ++i)
                if (page.there >> i & 1) visit(page.nodes[i]);
        };
        for (const auto &page : m_pages)
            if (page) each(*page);
        for (const auto &[number, page] : m_farPages) each(*page);
    }

private:
    static constexpr std::uint32_t kPage = 32;
    static constexpr std::uint32_t kMostNear = 1u << 16; // pages; ids beyond are those of a damaged file, or of a graph of millions
    struct Page {
        std::array<Node, kPage> nodes;
        std::uint32_t there = 0; // bits
    };

    [[nodiscard]] const Page *pageOf(std::uint32_t id) const
    {
        const std::uint32_t number = id / kPage;
        if (number < m_pages.size()) return m_pages[number].get();
        const auto far = m_farPages.find(number);
        return far == m_farPages.end() ? nullptr : far->second.get();
    }
    Page &own(std::uint32_t id)
    {
        const std::uint32_t number = id / kPage;
        if (number < kMostNear && number >= m_pages.size()) m_pages.resize(number + 1);
        std::shared_ptr<Page> &page = number < kMostNear ? m_pages[number] : m_farPages[number];
        if (!page) page = std::make_shared<Page>();
        else if (page.use_count() > 1) page = std::make_shared<Page>(*page);
        else std::atomic_thread_fence(std::memory_order_acquire); // who let go of it last may have read it in another thread
        return *page;
    }

    std::vector<std::shared_ptr<Page>> m_pages;
    std::unordered_map<std::uint32_t, std::shared_ptr<Page>> m_farPages;
};

} // namespace profiler
