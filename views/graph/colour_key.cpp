#include "views/graph/colour_key.h"

#include "views/common/selection_hub.h"
#include "views/common/text.h"

#include <algorithm>

namespace views {
namespace {

// In the order in which the compiler takes them; others come behind.
std::size_t placeOfPhase(const QString &phase)
{
    constexpr const char *kOrder[] = {"merge", "useless", "canonicalize", "stabilize", "specialize", "blas", "device", "fusion", "inplace"};
    const QString name = Theme::current().phase(phase).name;
    return static_cast<std::size_t>(std::find(std::begin(kOrder), std::end(kOrder), name) - std::begin(kOrder));
}

ColourKey devicesIn(const Scene &scene)
{
    ColourKey key{tr("Device"), {}};
    bool copies = false;
    for (const SceneNode &node : scene.nodes) {
        if (!isApply(node.kind)) continue;
        copies = copies || node.kind == SceneKind::Transfer;
        if (node.kind == SceneKind::Transfer || node.device.isEmpty()) continue;
        ColourEntry entry{node.device, node.onDevice ? Color::SoftGpu : Color::SoftCpu};
        if (std::find(key.entries.begin(), key.entries.end(), entry) == key.entries.end()) key.entries.push_back(std::move(entry));
    }
    if (copies) key.entries.push_back({tr("copy"), Color::SoftTransfer});
    return key;
}

ColourKey phasesIn(const Scene &scene)
{
    ColourKey key{tr("Made in phase"), {}};
    for (const SceneNode &node : scene.nodes) {
        if (!isApply(node.kind) || node.phase.isEmpty()) continue;
        const QString name = Theme::current().phase(node.phase).name;
        if (std::none_of(key.entries.begin(), key.entries.end(), [&](const ColourEntry &entry) { return entry.text == name; }))
            key.entries.push_back({name, Color::Panel, node.phase});
    }
    std::stable_sort(key.entries.begin(), key.entries.end(),
                     [](const ColourEntry &a, const ColourEntry &b) { return placeOfPhase(a.phase) < placeOfPhase(b.phase); });
    return key;
}

ColourKey dtypesIn(const Scene &scene)
{
    ColourKey key{tr("Dtype"), {}};
    for (const SceneNode &node : scene.nodes) {
        const QString dtype = dtypeOf(node);
        if (dtype.isEmpty()) continue;
        ColourEntry entry{dtype, dtypeFill(dtype)};
        if (std::find(key.entries.begin(), key.entries.end(), entry) == key.entries.end()) key.entries.push_back(std::move(entry));
    }
    std::sort(key.entries.begin(), key.entries.end(), [](const ColourEntry &a, const ColourEntry &b) { return a.text < b.text; });
    return key;
}

} // namespace

ColourKey colourKeyOf(const Scene &scene, Overlay overlay)
{
    ColourKey key;
    if (overlay == Overlay::Device) key = devicesIn(scene);
    if (overlay == Overlay::Phase) key = phasesIn(scene);
    if (overlay == Overlay::Dtype) key = dtypesIn(scene);
    return key.entries.empty() ? ColourKey() : key;
}

// "TensorType(float32, matrix)", "GpuArrayType<cuda0>(float32, vector)"
QString dtypeOf(const SceneNode &node)
{
    const qsizetype comma = node.type.indexOf(u',');
    const qsizetype open = comma < 0 ? -1 : node.type.lastIndexOf(u'(', comma);
    return open < 0 ? QString() : node.type.mid(open + 1, comma - open - 1).trimmed();
}

Color dtypeFill(const QString &dtype)
{
    if (dtype == QLatin1String("float64")) return Color::SoftCompile;
    if (dtype == QLatin1String("float32")) return Color::SoftCpu;
    if (dtype.startsWith(QLatin1String("float"))) return Color::SoftGpu;
    if (dtype.startsWith(QLatin1String("complex"))) return Color::SoftTransfer;
    if (dtype == QLatin1String("bool")) return Color::SoftConstant;
    return Color::SoftMemory; // integers
}

ColourKeys::ColourKeys(SelectionHub &hub) : QObject(&hub) {}

ColourKeys &ColourKeys::of(SelectionHub &hub)
{
    if (auto *known = hub.findChild<ColourKeys *>(QString(), Qt::FindDirectChildrenOnly)) return *known;
    return *new ColourKeys(hub);
}

void ColourKeys::set(ColourKey key)
{
    if (key == m_now) return;
    m_now = std::move(key);
    Q_EMIT changed();
}

} // namespace views
