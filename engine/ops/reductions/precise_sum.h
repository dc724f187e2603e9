// Sums of products with more digits: where the time of products and convolutions goes.
#pragma once

#include "engine/scalar/precise.h"

namespace engine {

/// What the products of 113 bits lose is bounded, not kept.
class PreciseSum {
public:
    void add(const Precise &a, const Precise &b)
    {
        const Quad product = a.high() * b.high();
        m_total += product;
        if (a.low() != 0 || b.low() != 0) m_rest += a.high() * b.low() + a.low() * b.high();
        m_sizes += size(product);
        if (a.error() != 0 || b.error() != 0) m_errors += size(a.high()) * b.error() + size(b.high()) * a.error() + a.error() * b.error();
        ++m_terms;
    }
    Precise total() const
    {
        return Precise::exact(m_total) + Precise::of(m_rest, 0, m_errors + m_sizes * static_cast<long double>(m_terms + 2) * 0x1p-112L);
    }

private:
    Quad m_total = 0, m_rest = 0;
    long double m_sizes = 0, m_errors = 0;
    std::int64_t m_terms = 0;
};

/// So many products at most in one apply: they take ten seconds.
inline constexpr double kMostPreciseProducts = 1e8;

} // namespace engine
