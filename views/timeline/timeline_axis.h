#pragma once

#include <QString>

#include <cmath>
#include <cstdint>
#include <vector>

namespace views {

/// Which stretch of time is seen at which width. Times are nanoseconds of the session.
class TimelineAxis {
public:
    struct Mark {
        double x = 0;
        QString text;
    };

    /// What there is to see; a camera that saw all of it sees all of it again.
    void setExtent(std::int64_t startNs, std::int64_t endNs);
    /// What marks count from; times before it are negative.
    void setOrigin(std::int64_t ns) { m_origin = ns; }
    void setWidth(double px);
    double width() const { return m_width; }
    std::int64_t from() const { return static_cast<std::int64_t>(m_from); }
    std::int64_t to() const { return std::llround(m_to); }
    double nsPerPx() const { return (m_to - m_from) / m_width; }
    double xOf(double ns) const { return (ns - m_from) / nsPerPx(); }
    double nsAt(double x) const { return m_from + x * nsPerPx(); }

    bool seesAll() const;
    void fit();
    void show(std::int64_t startNs, std::int64_t endNs);
    /// > 1: nearer. What is at `x` stays there.
    void zoom(double factor, double x);
    void pan(double px);
    /// Moves as little as makes the stretch visible.
    void reveal(std::int64_t startNs, std::int64_t endNs);

    /// Round times at least `apartPx` apart. Where the seen stretch is tiny beside its time, marks count from `base()`.
    std::vector<Mark> marks(double apartPx) const;
    /// What the marks are added to; empty when they are whole times.
    QString base(double apartPx) const;

private:
    std::int64_t step(double apartPx) const;
    std::int64_t baseNs(double apartPx) const;
    void clamp();

    double m_start = 0, m_end = 1; ///< the extent
    double m_from = 0, m_to = 1;
    double m_width = 1;
    std::int64_t m_origin = 0;
};

} // namespace views
