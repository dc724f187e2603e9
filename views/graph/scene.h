// What a graph picture shows, as plain structs: no widgets, no geometry, no colours.
#pragma once

#ifndef Q_MOC_RUN // moc 6.4 stumbles over <concepts>
#include "profiler/stats/times/folding.h"
#endif
#include "views/common/selection_hub.h"

#include <QHash>
#include <QSet>
#include <QString>

#include <cstdint>
#include <memory>
#include <vector>

namespace views {

// Identity of a drawn thing over all steps and both sides: (graph, what, id).
enum class SceneKey : quint64 {}; // quint64: QMetaType streams no unsigned long
inline constexpr SceneKey kNoSceneKey{~std::uint64_t{0}};

// Fold and above: a group of applies that stands as one, by how deep it lies in others; its id is that of its first apply.
enum class SceneRole : std::uint8_t { Apply, Variable, Output, Fold };

[[nodiscard]] constexpr SceneKey sceneKey(std::uint32_t graph, SceneRole role, std::uint32_t id)
{
    return SceneKey{(std::uint64_t{graph} << 36) | (std::uint64_t(role) << 32) | id};
}
[[nodiscard]] constexpr std::uint32_t sceneGraph(SceneKey key) { return static_cast<std::uint32_t>(static_cast<std::uint64_t>(key) >> 36); }
[[nodiscard]] constexpr SceneRole sceneRole(SceneKey key) { return static_cast<SceneRole>((static_cast<std::uint64_t>(key) >> 32) & 0xf); }
[[nodiscard]] constexpr std::uint32_t sceneId(SceneKey key) { return static_cast<std::uint32_t>(static_cast<std::uint64_t>(key)); }
[[nodiscard]] constexpr bool isFold(SceneKey key) { return key != kNoSceneKey && sceneRole(key) >= SceneRole::Fold; }
[[nodiscard]] SceneKey foldKey(std::uint32_t graph, const profiler::FoldGroup &group);
inline size_t qHash(SceneKey key, size_t seed = 0) { return ::qHash(static_cast<quint64>(key), seed); }

enum class SceneKind : std::uint8_t { Apply, View, Input, Constant, Shared, Output, Transfer, Composite, Group };
enum class SceneEdgeKind : std::uint8_t { Data, View, Destroy, Transfer };
enum class DiffState : std::uint8_t { None, Created, Replaced, Fused, Dead, Moved, Merged };
enum class Overlay : std::uint8_t { None, Time, Memory, Device, Phase, Dtype, Digits, Magnitude };
[[nodiscard]] constexpr bool isOfValues(Overlay overlay) { return overlay == Overlay::Digits || overlay == Overlay::Magnitude; }

// What a node takes. -1: not measured.
struct NodeCost {
    double seconds = -1; // per call
    double shareOfTotal = -1;
    double shareOfSlowest = -1; // 0 … 1: the hot scale
    double bytes = -1;          // of its results
    double shareOfLargest = -1;
};

// What a recorded call computed at a node.
struct ValueFacts {
    double lostShare = -1;      // digits lost of those that there are
    double magnitudePlace = -1; // 0 … 1: of its largest number, between those of the graph, by powers of ten
    QString born;               // "nan": the first of the call was born here
    QString bornSentence;
};

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
    int line = 0;       // of the script that most of it descends from
    bool onDevice = false;
    QString pill;    // at the top right when there is no diff
    QString warning; // why the triangle is there
    NodeCost cost;
    ValueFacts values;
    int parent = -1;                // the open group that holds it
    bool open = false;              // a group that shows its members
    bool expandable = false;        // holds a graph or a group that can be opened in place
    int holds = 0;                  // applies that stand as this one node
    std::int64_t inner = -1;        // the graph that it runs again and again, which is a place of its own
    SceneKey slowest = kNoSceneKey; // of those
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
    int count = 1; // edges that are drawn as this one
};

// Nodes that one kernel runs together, or of a group that was opened. They stay nodes of their own; a frame stands around them.
struct SceneFrame {
    QString caption;
    QString rewrite;             // that grouped them; may be empty
    bool runsAsOne = true;       // else they may: with these sizes each runs alone
    std::vector<int> members;    // in the order of their work
    SceneKey fold = kNoSceneKey; // the group that was opened
};

struct Scene {
    std::vector<SceneNode> nodes;
    std::vector<SceneEdge> edges;
    std::vector<SceneFrame> frames;
    QHash<SceneKey, int> index;                       // of nodes
    bool isForOnce = false;                           // has nodes that the pictures before and after have not
    int inlinedApplies = 0;                           // outer ones that are only seen in the titles of their readers
    std::shared_ptr<const profiler::Folding> folding; // that stands behind its groups; may be null
    std::uint32_t foldedGraph = 0;

    void rebuildIndex();
    [[nodiscard]] int find(SceneKey key) const { return index.value(key, -1); }
    // Of a node, or of the group that it is hidden in; -1: it is not in the picture.
    [[nodiscard]] int seenAs(SceneKey key) const;
    // The groups around it, the innermost first, open ones too.
    [[nodiscard]] std::vector<SceneKey> groupsAround(SceneKey key) const;
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
// Which gone node each heir takes the place of: of several the first, by key.
[[nodiscard]] QHash<SceneKey, SceneKey> ancestorsOf(const QHash<SceneKey, SceneKey> &heirs);
// Those nodes and the edges among them.
[[nodiscard]] Scene partOf(const Scene &scene, const QSet<SceneKey> &keys);
// Graphviz text of what is shown, with the colours and shapes of Theano's pydotprint left to the reader.
[[nodiscard]] QString toDot(const Scene &scene);

} // namespace views
