#pragma once
// What the colours of the nodes stand for where they are no scale: devices, phases of the compiler, dtypes.

#include "views/common/theme.h"
#include "views/graph/scene.h"

#include <QObject>

#include <vector>

namespace views {

class SelectionHub;

struct ColourEntry {
    QString text;
    Color fill = Color::Panel;
    QString phase = {}; ///< its colour and pattern are those of this phase

    friend bool operator==(const ColourEntry &, const ColourEntry &) = default;
};

struct ColourKey {
    QString title;
    std::vector<ColourEntry> entries;

    friend bool operator==(const ColourKey &, const ColourKey &) = default;
};

/// Of what is in the scene; empty where the overlay has a scale, or none.
[[nodiscard]] ColourKey colourKeyOf(const Scene &scene, Overlay overlay);

/// "float32" of a tensor type; empty for what has none.
[[nodiscard]] QString dtypeOf(const SceneNode &node);
[[nodiscard]] Color dtypeFill(const QString &dtype);

/// The key of the graph that is looked at. One for each hub, on which it hangs.
class ColourKeys : public QObject {
    Q_OBJECT
public:
    static ColourKeys &of(SelectionHub &hub);
    const ColourKey &now() const { return m_now; }
    void set(ColourKey key);

Q_SIGNALS:
    void changed();

private:
    explicit ColourKeys(SelectionHub &hub);
    ColourKey m_now;
};

} // namespace views
