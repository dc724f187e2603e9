#pragma once

#include <QColor>
#include <QFont>
#include <QObject>
#include <QString>
#include <QStringView>

#include <array>
#include <vector>

namespace views {

enum class ThemeKind { Light, Dark };

// Every named colour of resources/themes/theme.json: enumerator, group, name.
#define CROTON_THEME_COLORS(X)                                                                                                             \
    X(Window, surface, window)                                                                                                             \
    X(Panel, surface, panel)                                                                                                               \
    X(Canvas, surface, canvas)                                                                                                             \
    X(Sunken, surface, sunken)                                                                                                             \
    X(Raised, surface, raised)                                                                                                             \
    X(Hover, surface, hover)                                                                                                               \
    X(Border, surface, border)                                                                                                             \
    X(BorderStrong, surface, borderStrong)                                                                                                 \
    X(GridDot, surface, gridDot)                                                                                                           \
    X(Scrim, surface, scrim)                                                                                                               \
    X(Tooltip, surface, tooltip)                                                                                                           \
    X(TooltipText, surface, tooltipText)                                                                                                   \
    X(TextPrimary, text, primary)                                                                                                          \
    X(TextSecondary, text, secondary)                                                                                                      \
    X(TextMuted, text, muted)                                                                                                              \
    X(TextDisabled, text, disabled)                                                                                                        \
    X(TextOnAccent, text, onAccent)                                                                                                        \
    X(TextLink, text, link)                                                                                                                \
    X(Accent, accent, base)                                                                                                                \
    X(AccentHover, accent, hover)                                                                                                          \
    X(AccentPressed, accent, pressed)                                                                                                      \
    X(AccentSoft, accent, soft)                                                                                                            \
    X(AccentFocus, accent, focus)                                                                                                          \
    X(SelectionFill, selection, fill)                                                                                                      \
    X(SelectionFillInactive, selection, fillInactive)                                                                                      \
    X(SelectionRing, selection, ring)                                                                                                      \
    X(SelectionLinkedRing, selection, linkedRing)                                                                                          \
    X(SelectionText, selection, text)                                                                                                      \
    X(Ok, state, ok)                                                                                                                       \
    X(OkSoft, state, okSoft)                                                                                                               \
    X(Warn, state, warn)                                                                                                                   \
    X(WarnSoft, state, warnSoft)                                                                                                           \
    X(Error, state, error)                                                                                                                 \
    X(ErrorSoft, state, errorSoft)                                                                                                         \
    X(Info, state, info)                                                                                                                   \
    X(InfoSoft, state, infoSoft)                                                                                                           \
    X(Cpu, semantic, cpu)                                                                                                                  \
    X(Gpu, semantic, gpu)                                                                                                                  \
    X(Transfer, semantic, transfer)                                                                                                        \
    X(Compile, semantic, compile)                                                                                                          \
    X(Memory, semantic, memory)                                                                                                            \
    X(Input, semantic, input)                                                                                                              \
    X(Constant, semantic, constant)                                                                                                        \
    X(Shared, semantic, shared)                                                                                                            \
    X(Output, semantic, output)                                                                                                            \
    X(ViewEdge, semantic, viewEdge)                                                                                                        \
    X(DestroyEdge, semantic, destroyEdge)                                                                                                  \
    X(DataEdge, semantic, dataEdge)                                                                                                        \
    X(SoftCpu, soft, cpu)                                                                                                                  \
    X(SoftGpu, soft, gpu)                                                                                                                  \
    X(SoftTransfer, soft, transfer)                                                                                                        \
    X(SoftCompile, soft, compile)                                                                                                          \
    X(SoftMemory, soft, memory)                                                                                                            \
    X(SoftInput, soft, input)                                                                                                              \
    X(SoftConstant, soft, constant)                                                                                                        \
    X(SoftShared, soft, shared)                                                                                                            \
    X(SoftOutput, soft, output)                                                                                                            \
    X(DiffCreated, diff, created)                                                                                                          \
    X(DiffReplaced, diff, replaced)                                                                                                        \
    X(DiffFused, diff, fused)                                                                                                              \
    X(DiffDead, diff, dead)                                                                                                                \
    X(DiffMoved, diff, moved)                                                                                                              \
    X(DiffUnchanged, diff, unchanged)                                                                                                      \
    X(DiffSoftCreated, diffSoft, created)                                                                                                  \
    X(DiffSoftReplaced, diffSoft, replaced)                                                                                                \
    X(DiffSoftFused, diffSoft, fused)                                                                                                      \
    X(DiffSoftDead, diffSoft, dead)                                                                                                        \
    X(DiffSoftMoved, diffSoft, moved)                                                                                                      \
    X(DiffSoftUnchanged, diffSoft, unchanged)                                                                                              \
    X(SideA, ab, A)                                                                                                                        \
    X(SideB, ab, B)                                                                                                                        \
    X(Better, ab, better)                                                                                                                  \
    X(Worse, ab, worse)                                                                                                                    \
    X(Same, ab, same)                                                                                                                      \
    X(PhaseMerge, phase, merge)                                                                                                            \
    X(PhaseCanonicalize, phase, canonicalize)                                                                                              \
    X(PhaseStabilize, phase, stabilize)                                                                                                    \
    X(PhaseSpecialize, phase, specialize)                                                                                                  \
    X(PhaseBlas, phase, blas)                                                                                                              \
    X(PhaseDevice, phase, device)                                                                                                          \
    X(PhaseFusion, phase, fusion)                                                                                                          \
    X(PhaseInplace, phase, inplace)

enum class Color {
#define CROTON_ENUMERATOR(name, group, key) name,
    CROTON_THEME_COLORS(CROTON_ENUMERATOR)
#undef CROTON_ENUMERATOR
        Count
};

/// Named type sizes; Node, NodeNumber, Cell and Lesson are the sizes of visual guide section 2 that have their own place.
enum class FontRole {
    Caption,
    Overline,
    Body,
    BodyStrong,
    Title,
    Heading,
    Display,
    Figure,
    Mono,
    MonoStrong,
    Cell,
    CellStrong,
    Node,
    NodeLight,
    NodeNumber,
    Lesson,
    Count
};

/// Fill patterns that go with the phase colours, so that colour never stands alone.
enum class Pattern { Plain, DiagonalUp, DiagonalDown, Dots, Horizontal, Vertical, Crosshatch };

struct PhaseStyle {
    QString name; ///< canonical name, e.g. "stabilize"
    QChar letter; ///< e.g. 'S'
    QColor color;
    Pattern pattern = Pattern::Plain;
};

/// Sizes in px at 100 %; Theme::size() scales them with the text size.
enum class Size {
    MenuBar,
    RunBar,
    StatusBar,
    DockTitle,
    Control,
    ControlCompact,
    Row,
    RowCompact,
    RowTouch,
    StepBar,
    Splitter,
    LeftDock,
    RightDock,
    BottomDock,
    NodeHeight,
    NodeHeightSmall,
    NodeMinWidth,
    NodeMaxWidth,
    NodeGapX,
    NodeGapY,
    Lane,
    Flame,
    Count
};

/// All values of the visual guide for one of light and dark at one text size. Immutable once loaded; copy freely.
class Theme {
public:
    /// Reads the theme resource; throws nothing: a broken resource is a programming error and aborts with a sentence.
    static Theme load(ThemeKind kind, double textScale = 1.0);

    /// The theme that the program shows now (GUI thread only). Light until setCurrent() was called.
    static const Theme &current();
    /// Replaces the current theme and tells ThemeNotifier. applyTheme() of palette.h calls it.
    static void setCurrent(Theme theme);

    ThemeKind kind() const { return m_kind; }
    bool isDark() const { return m_kind == ThemeKind::Dark; }
    double textScale() const { return m_textScale; }
    bool reducedMotion() const { return m_reducedMotion; }
    void setReducedMotion(bool on) { m_reducedMotion = on; }

    QColor color(Color role) const { return m_colors[static_cast<std::size_t>(role)]; }
    /// Font of a role in px times the text size, with the first family of the theme that is installed.
    QFont font(FontRole role) const { return m_fonts[static_cast<std::size_t>(role)]; }
    /// Height of one line of the role, in px.
    int lineHeight(FontRole role) const { return m_lines[static_cast<std::size_t>(role)]; }
    int size(Size role) const { return m_sizes[static_cast<std::size_t>(role)]; }
    /// Scales a measure given at 100 % with the text size.
    int px(double at100) const;

    /// Style of a phase, as the session or as this studio names it.
    PhaseStyle phase(QStringView name) const;
    /// The canonical name of a phase of the session: "blas" of "BlasOpt".
    static QString phaseName(QStringView recorded);
    /// The phases in the order of the compiler, as sessions name them: they are tags of rewrites, too.
    static const std::vector<QString> &phaseNames();

    /// Colour of the hot scale at t in 0 … 1, interpolated between the nine stops.
    QColor hot(double t) const;
    /// The better readable of the two text colours on a given fill.
    static QColor textOn(const QColor &fill);
    /// Position on the hot scale of a share of the slowest (square root map); below 0.1 % gives -1: no fill.
    static double hotPosition(double shareOfSlowest);

    /// Milliseconds of the motions of section 8; all 0 with reduced motion.
    int motionMs(const char *name) const;

    QString uiFamily() const { return m_uiFamily; }
    QString monoFamily() const { return m_monoFamily; }

private:
    ThemeKind m_kind = ThemeKind::Light;
    double m_textScale = 1.0;
    bool m_reducedMotion = false;
    QString m_uiFamily;
    QString m_monoFamily;
    std::array<QColor, static_cast<std::size_t>(Color::Count)> m_colors;
    std::array<QFont, static_cast<std::size_t>(FontRole::Count)> m_fonts;
    std::array<int, static_cast<std::size_t>(FontRole::Count)> m_lines{};
    std::array<int, static_cast<std::size_t>(Size::Count)> m_sizes{};
    std::vector<QColor> m_hot;
};

/// Emits changed() after Theme::setCurrent(); hand-drawn views connect it to update().
class ThemeNotifier : public QObject {
    Q_OBJECT
public:
    static ThemeNotifier &instance();
Q_SIGNALS:
    void changed();

private:
    friend class Theme;
};

/// WCAG 2 contrast ratio of two opaque colours.
double contrastRatio(const QColor &a, const QColor &b);

} // namespace views
