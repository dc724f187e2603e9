// What a graph picture shows, as plain structs: no widgets, no geometry, no colours.
#pragma once

#include "views/common/selection_hub.h"

#include <QHash>
#include <QString>

#include <cstdint>
#include <vector>

namespace views {

// Identity of a drawn thing over all steps and both sides: (graph, what, id).
enum class SceneKey : quint64 {}; // quint64: QMetaType streams no unsigned long
inline constexpr SceneKey kNoSceneKey{~std::uint64_t{0}};

enum class SceneRole : std::uint8_t { Apply, Variable, Output };

[[nodiscard]] constexpr SceneKey sceneKey(std::uint32_t graph, SceneRole role, std::uint32_t id)
{
    return SceneKey{(std::uint64_t{graph} << 36) | (std::uint64_t(role) << 32) | id};
}
[[nodiscard]] constexpr std::uint32_t sceneGraph(SceneKey key) { return static_cast<std::uint32_t>(static_cast<std::uint64_t>(key) >> 36); }
[[nodiscard]] constexpr SceneRole sceneRole(SceneKey key) { return static_cast<SceneRole>((static_cast<std::uint64_t>(key) >> 32) & 0xf); }
[[nodiscard]] constexpr std::uint32_t sceneId(SceneKey key) { return static_cast<std::uint32_t>(static_cast<std::uint64_t>(key)); }
inline size_t qHash(SceneKey key, size_t seed = 0) { return ::qHash(static_cast<quint64>(key), seed); }

enum class SceneKind : std::uint8_t { Apply, View, Input, Constant, Shared, Output, Transfer, Composite, Group };
enum class SceneEdgeKind : std::uint8_t { Data, View, Destroy, Transfer };
enum class DiffState : std::uint8_t { None, Created, Replaced, Fused, Dead, Moved };
enum class Overlay : std::uint8_t { None, Time, Memory, Device, Phase };

struct SceneNode {
    SceneKey key = kNoSceneKey;
    SceneKind kind = SceneKind::Apply;
    QString title;     // friendly
    QString subtitle;  // variable name, or time and share; empty: one line
    QString exactName; // Elemwise{exp,no_inplace}
    QString type;      // of a variable, or of the first output
    QString shape;
    int number = -1; // position in execution order
    DiffState diff = DiffState::None;
    bool ghost = false; // no longer in the graph: drawn pale at its old place
    QString phase;      // the phase that made it; empty: as written
    QString device;     // "cpu", "cuda0"
    bool onDevice = false;
    QString pill;        // at the top right when there is no diff
    QString warning;     // why the triangle is there
    double seconds = -1; // per call; -1: not measured
    double shareOfTotal = -1;
    double shareOfSlowest = -1; // 0 … 1: the hot scale
    double bytes = -1;
    double shareOfLargest = -1;
    int parent = -1;         // the open group that holds it
    bool open = false;       // a group that shows its members
    bool expandable = false; // holds a graph that can be opened in place
};

struct SceneEdge {
    int from = 0;
    int to = 0;
    int slot = 0; // argument of `to`
    int slotCount = 1;
    int port = 0; // output of `from`
    SceneEdgeKind kind = SceneEdgeKind::Data;
    bool ghost = false;
    QString type;
    QString shape;
    double bytes = -1;
};

// Nodes that one kernel runs together. They stay nodes of their own; a frame stands around them.
struct SceneFrame {
    QString caption;
    QString rewrite;          // that grouped them; may be empty
    bool runsAsOne = true;    // else they may: with these sizes each runs alone
    std::vector<int> members; // in the order of their work
};

struct Scene {
    std::vector<SceneNode> nodes;
    std::vector<SceneEdge> edges;
    std::vector<SceneFrame> frames;
    QHash<SceneKey, int> index; // of nodes
    int inlinedApplies = 0;     // outer ones that are only seen in the titles of their readers

    void rebuildIndex();
    [[nodiscard]] int find(SceneKey key) const { return index.value(key, -1); }
    [[nodiscard]] const SceneNode *node(SceneKey key) const;
    [[nodiscard]] int count(SceneKind kind) const;
    // The frame around a node, or null.
    [[nodiscard]] const SceneFrame *frameOf(int node) const;
    // Applies of any kind that are really there: what "19 applies" counts.
    [[nodiscard]] int applyCount() const;
};

[[nodiscard]] bool isApply(SceneKind kind);
[[nodiscard]] bool isVariable(SceneKind kind);
// "apply", "view", "input" …: for tables and tool tips, translated.
[[nodiscard]] QString sceneKindName(SceneKind kind);
// "Runs as one kernel with 3 gemv and 5 sigmoid", of a member; empty where there is no frame.
[[nodiscard]] QString frameSentence(const Scene &scene, int node);
// Graphviz text of what is shown, with the colours and shapes of Theano's pydotprint left to the reader.
[[nodiscard]] QString toDot(const Scene &scene);

} // namespace views
