#include "views/common/theme.h"

#include <QCoreApplication>
#include <QFile>
#include <QFontDatabase>
#include <QFontInfo>
#include <QGuiApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <cmath>
#include <memory>

static void initThemeResource() { Q_INIT_RESOURCE(croton); }

namespace views {
namespace {

struct ColorPath {
    const char *group;
    const char *key;
};

constexpr ColorPath kColorPaths[] = {
#define CROTON_PATH(name, group, key) {#group, #key},
    CROTON_THEME_COLORS(CROTON_PATH)
#undef CROTON_PATH
};

constexpr const char *kSizeKeys[] = {
    "menuBar",      "runBar",       "statusBar", "dockTitle", "control",   "controlCompact", "row",        "rowCompact",
    "rowTouch",     "stepBar",      "splitter",  "leftDock",  "rightDock", "bottomDock",     "nodeHeight", "nodeHeightSmall",
    "nodeMinWidth", "nodeMaxWidth", "nodeGapX",  "nodeGapY",  "lane",      "flame"};

struct FontSpec {
    const char *key; // entry of font.scale, or null when the role has its own numbers
    int px;
    int weight;
    int line;
    bool mono;
};

constexpr FontSpec kFontSpecs[] = {
    {"caption", 0, 0, 0, false},   {"overline", 0, 0, 0, false},  {"body", 0, 0, 0, false},      {"bodyStrong", 0, 0, 0, false},
    {"title", 0, 0, 0, false},     {"heading", 0, 0, 0, false},   {"display", 0, 0, 0, false},   {"figure", 0, 0, 0, false},
    {"mono", 0, 0, 0, true},       {nullptr, 12, 600, 18, true},  {nullptr, 12, 400, 16, false}, {nullptr, 12, 600, 16, false},
    {nullptr, 12, 500, 16, false}, {nullptr, 12, 400, 16, false}, {nullptr, 10, 400, 12, true},  {nullptr, 14, 400, 22, false}};

const QJsonObject &themeDocument()
{
    static const QJsonObject document = [] {
        initThemeResource();
        QFile file(QStringLiteral(":/croton/themes/theme.json"));
        if (!file.open(QIODevice::ReadOnly)) qFatal("the theme resource themes/theme.json is missing from this program");
        QJsonParseError error;
        const QJsonDocument parsed = QJsonDocument::fromJson(file.readAll(), &error);
        if (error.error != QJsonParseError::NoError) qFatal("themes/theme.json does not parse: %s", qPrintable(error.errorString()));
        return parsed.object();
    }();
    return document;
}

QColor parseColor(const QString &text)
{
    // The theme writes #RRGGBBAA, Qt reads #AARRGGBB.
    if (text.size() == 9) return QColor(QLatin1Char('#') + text.mid(7, 2) + text.mid(1, 6));
    return QColor(text);
}

QString firstInstalled(const QJsonArray &families, const QString &systemFamily)
{
    const QStringList installed = QFontDatabase::families();
    for (const QJsonValue &value : families) {
        const QString family = value.toString();
        if (family == QLatin1String("system")) return systemFamily;
        if (installed.contains(family, Qt::CaseInsensitive)) return family;
    }
    return systemFamily;
}

std::unique_ptr<Theme> &currentSlot()
{
    static std::unique_ptr<Theme> slot;
    return slot;
}

double luminance(const QColor &c)
{
    auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}

} // namespace

Theme Theme::load(ThemeKind kind, double textScale)
{
    static_assert(std::size(kColorPaths) == static_cast<std::size_t>(Color::Count));
    static_assert(std::size(kSizeKeys) == static_cast<std::size_t>(Size::Count));
    static_assert(std::size(kFontSpecs) == static_cast<std::size_t>(FontRole::Count));
    const QJsonObject &document = themeDocument();
    Theme theme;
    theme.m_kind = kind;
    theme.m_textScale = std::clamp(textScale, 0.8, 2.0);
    const QJsonObject colors =
        document[QLatin1String("themes")].toObject()[QLatin1String(kind == ThemeKind::Dark ? "dark" : "light")].toObject();
    for (std::size_t i = 0; i < theme.m_colors.size(); ++i) {
        const ColorPath &path = kColorPaths[i];
        theme.m_colors[i] = parseColor(colors[QLatin1String(path.group)].toObject()[QLatin1String(path.key)].toString());
        if (!theme.m_colors[i].isValid()) qFatal("themes/theme.json lacks the colour %s.%s", path.group, path.key);
    }
    for (const QJsonValue &stop : colors[QLatin1String("hot")].toArray()) theme.m_hot.push_back(parseColor(stop.toString()));

    const QJsonObject fonts = document[QLatin1String("font")].toObject();
    const QString systemUi = QFontDatabase::systemFont(QFontDatabase::GeneralFont).family();
    const QString systemMono = QFontDatabase::systemFont(QFontDatabase::FixedFont).family();
    theme.m_uiFamily = firstInstalled(fonts[QLatin1String("ui")].toArray(), systemUi);
    theme.m_monoFamily = firstInstalled(fonts[QLatin1String("mono")].toArray(), systemMono);
    const QJsonObject scale = fonts[QLatin1String("scale")].toObject();
    for (std::size_t i = 0; i < theme.m_fonts.size(); ++i) {
        FontSpec spec = kFontSpecs[i];
        if (spec.key) {
            const QJsonObject entry = scale[QLatin1String(spec.key)].toObject();
            spec.px = entry[QLatin1String("px")].toInt();
            spec.weight = entry[QLatin1String("weight")].toInt();
            spec.line = entry[QLatin1String("line")].toInt();
        }
        QFont font(spec.mono ? theme.m_monoFamily : theme.m_uiFamily);
        font.setPixelSize(std::max(1, theme.px(spec.px)));
        font.setWeight(static_cast<QFont::Weight>(spec.weight));
        font.setHintingPreference(QFont::PreferNoHinting);
        if (spec.mono) {
            font.setStyleHint(QFont::Monospace);
            font.setFixedPitch(true);
        }
        theme.m_fonts[i] = font;
        theme.m_lines[i] = theme.px(spec.line);
    }
    const QJsonObject sizes = document[QLatin1String("size")].toObject();
    for (std::size_t i = 0; i < theme.m_sizes.size(); ++i) theme.m_sizes[i] = theme.px(sizes[QLatin1String(kSizeKeys[i])].toInt());
    return theme;
}

const Theme &Theme::current()
{
    auto &slot = currentSlot();
    if (!slot) slot = std::make_unique<Theme>(load(ThemeKind::Light));
    return *slot;
}

void Theme::setCurrent(Theme theme)
{
    currentSlot() = std::make_unique<Theme>(std::move(theme));
    Q_EMIT ThemeNotifier::instance().changed();
}

int Theme::px(double at100) const { return static_cast<int>(std::lround(at100 * m_textScale)); }

namespace {

struct PhaseEntry {
    const char *name;
    char letter;
    Color color;
    Pattern pattern;
    const char *recorded = nullptr; ///< as sessions name it, where that differs
};

// In the order of the compiler. Some share a colour with a relative; letter and pattern differ.
constexpr PhaseEntry kPhases[] = {
    {"inline", 'L', Color::Compile, Pattern::DiagonalUp},
    {"merge", 'M', Color::PhaseMerge, Pattern::Plain},
    {"useless", 'U', Color::Constant, Pattern::DiagonalDown},
    {"canonicalize", 'C', Color::PhaseCanonicalize, Pattern::DiagonalUp},
    {"stabilize", 'S', Color::PhaseStabilize, Pattern::Dots},
    {"blas", 'B', Color::PhaseBlas, Pattern::Plain, "BlasOpt"},
    {"specialize", 'P', Color::PhaseSpecialize, Pattern::Horizontal},
    {"uncanonicalize", 'N', Color::PhaseCanonicalize, Pattern::DiagonalDown},
    {"device", 'D', Color::PhaseDevice, Pattern::Crosshatch, "specialize_device"},
    {"fusion", 'F', Color::PhaseFusion, Pattern::DiagonalDown},
    {"inplace", 'I', Color::PhaseInplace, Pattern::Vertical},
    {"final_merge", 'E', Color::PhaseMerge, Pattern::Horizontal},
    {"schedule", 'O', Color::Memory, Pattern::Dots},
};

} // namespace

PhaseStyle Theme::phase(QStringView name) const
{
    for (const PhaseEntry &entry : kPhases)
        if (name == QLatin1String(entry.name) || (entry.recorded && name == QLatin1String(entry.recorded)))
            return {QString::fromLatin1(entry.name), QLatin1Char(entry.letter), color(entry.color), entry.pattern};
    // One that this studio does not know: its first letter, so that two of them differ.
    const QString shown = name.isEmpty() ? QStringLiteral("merge") : name.toString();
    return {shown, shown.front().toUpper(), color(Color::PhaseMerge), Pattern::Crosshatch};
}

QString Theme::phaseName(QStringView recorded)
{
    for (const PhaseEntry &entry : kPhases)
        if (entry.recorded && recorded == QLatin1String(entry.recorded)) return QString::fromLatin1(entry.name);
    return recorded.isEmpty() ? QStringLiteral("merge") : recorded.toString();
}

const std::vector<QString> &Theme::phaseNames()
{
    static const std::vector<QString> names = [] {
        std::vector<QString> all;
        for (const PhaseEntry &entry : kPhases) all.push_back(QString::fromLatin1(entry.recorded ? entry.recorded : entry.name));
        return all;
    }();
    return names;
}

QColor Theme::hot(double t) const
{
    if (m_hot.empty()) return color(Color::Panel);
    const double at = std::clamp(t, 0.0, 1.0) * static_cast<double>(m_hot.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    if (low + 1 >= m_hot.size()) return m_hot.back();
    const double f = at - static_cast<double>(low);
    const QColor &a = m_hot[low];
    const QColor &b = m_hot[low + 1];
    return QColor::fromRgbF(static_cast<float>(a.redF() + (b.redF() - a.redF()) * f),
                            static_cast<float>(a.greenF() + (b.greenF() - a.greenF()) * f),
                            static_cast<float>(a.blueF() + (b.blueF() - a.blueF()) * f));
}

QColor Theme::textOn(const QColor &fill)
{
    const QColor white(Qt::white);
    const QColor ink(0x14, 0x17, 0x1D);
    return contrastRatio(fill, white) >= contrastRatio(fill, ink) ? white : ink;
}

double Theme::hotPosition(double shareOfSlowest)
{
    if (!(shareOfSlowest >= 0.001)) return -1.0;
    return std::sqrt(std::min(shareOfSlowest, 1.0));
}

int Theme::motionMs(const char *name) const
{
    if (m_reducedMotion) return 0;
    return themeDocument()[QLatin1String("motion")].toObject()[QLatin1String(name)].toInt();
}

ThemeNotifier &ThemeNotifier::instance()
{
    static ThemeNotifier notifier;
    return notifier;
}

double contrastRatio(const QColor &a, const QColor &b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

} // namespace views
