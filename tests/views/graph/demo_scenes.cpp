#include "tests/views/graph/demo_scenes.h"

#include "views/common/formats.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace views::demo {
namespace {

class Maker {
public:
    int add(SceneKind kind, const QString &title, const std::vector<int> &inputs = {}, const QString &subtitle = {})
    {
        const int at = static_cast<int>(m_scene.nodes.size());
        SceneNode node;
        node.kind = kind;
        node.title = title;
        node.exactName = title;
        node.subtitle = subtitle;
        node.key = sceneKey(1, isVariable(kind) ? SceneRole::Variable : SceneRole::Apply, static_cast<std::uint32_t>(at));
        m_scene.nodes.push_back(node);
        for (std::size_t slot = 0; slot < inputs.size(); ++slot) {
            SceneEdge edge{inputs[slot], at};
            edge.slot = static_cast<int>(slot);
            edge.slotCount = static_cast<int>(inputs.size());
            edge.type = QStringLiteral("TensorType(float32, vector)");
            if (kind == SceneKind::View) edge.kind = SceneEdgeKind::View;
            m_scene.edges.push_back(edge);
        }
        return at;
    }
    int apply(const QString &title, const std::vector<int> &inputs, int number = -1, double us = -1)
    {
        const int at = add(SceneKind::Apply, title, inputs);
        time(at, number, us);
        return at;
    }
    int view(const QString &title, const std::vector<int> &inputs, int number = -1)
    {
        const int at = add(SceneKind::View, title, inputs);
        m_scene.nodes[at].number = number;
        return at;
    }
    void time(int at, int number, double us)
    {
        constexpr double kTotal = 133, kSlowest = 44.5;
        SceneNode &node = m_scene.nodes[at];
        node.number = number;
        if (us < 0) return;
        node.cost.seconds = us * 1e-6;
        node.cost.shareOfTotal = us / kTotal;
        node.cost.shareOfSlowest = us / kSlowest;
        if (node.cost.shareOfTotal > 0.04)
            node.subtitle = formats::time(node.cost.seconds) + QStringLiteral(" · ") + formats::percent(node.cost.shareOfTotal);
    }
    void destroys(int node, int slot)
    {
        for (SceneEdge &edge : m_scene.edges)
            if (edge.to == node && edge.slot == slot) edge.kind = SceneEdgeKind::Destroy;
    }
    SceneNode &node(int at) { return m_scene.nodes[at]; }
    SceneEdge &lastEdge() { return m_scene.edges.back(); }
    Scene finish()
    {
        m_scene.rebuildIndex();
        return std::move(m_scene);
    }

private:
    Scene m_scene;
};

QString s(const char *text) { return QString::fromUtf8(text); }

} // namespace

Scene logisticRegression(bool optimized)
{
    Maker m;
    const int x = m.add(SceneKind::Shared, s("x")), w = m.add(SceneKind::Shared, s("w")), b = m.add(SceneKind::Shared, s("b")),
              y = m.add(SceneKind::Shared, s("y"));
    if (!optimized) {
        const int dot = m.apply(s("dot"), {x, w}), neg = m.apply(s("neg"), {dot}), dim = m.view(s("DimShuffle{x}"), {b});
        const int sub = m.apply(s("sub"), {neg, dim}), exp = m.apply(s("exp"), {sub}), one = m.apply(s("1 + ·"), {exp});
        const int p1 = m.apply(s("1 / ·"), {one});
        m.node(p1).subtitle = s("p_1");
        const int gt = m.apply(s("· > 0.5"), {p1}), log = m.apply(s("log"), {p1}), oneMinus = m.apply(s("1 − ·"), {p1}),
                  negY = m.apply(s("neg"), {y}), log2 = m.apply(s("log"), {oneMinus}), oneMinusY = m.apply(s("1 − ·"), {y});
        const int mul = m.apply(s("mul"), {negY, log}), mul2 = m.apply(s("mul"), {oneMinusY, log2}), xent = m.apply(s("sub"), {mul, mul2});
        const int grad = m.add(SceneKind::Group, s("gradient of cost + updates"), {xent, w, b}, s("by lines 30–32, 37"));
        m.node(grad).expandable = true;
        m.add(SceneKind::Output, s("prediction"), {gt});
        m.add(SceneKind::Output, s("xent"), {xent});
        m.add(SceneKind::Output, s("w"), {grad});
        m.add(SceneKind::Output, s("b"), {grad});
        return m.finish();
    }
    const int shape = m.view(s("Shape_i{0}"), {x});
    m.lastEdge().kind = SceneEdgeKind::Data;
    const int alloc = m.apply(s("Alloc 0"), {shape}, 5, 0.5);
    const int gemv = m.apply(s("CGemv{inplace}"), {alloc, x, w}, 7, 44.5);
    m.destroys(gemv, 0);
    const int dim = m.view(s("DimShuffle{x}"), {b});
    const int u = m.apply(s("−i0 − i1"), {gemv, dim}, 9, 2.1);
    m.destroys(u, 0);
    const int oneMinusY = m.apply(s("1 − y"), {y}, 4, 1.2);
    const int perN = m.add(SceneKind::Group, s("1 / N"), {y}, s("4 shape nodes"));
    const int allocN = m.apply(s("Alloc 1/N"), {perN}, 12, 0.6);
    const int neg = m.apply(s("neg"), {u}, 11, 1.0);
    const int gt = m.apply(s("σ(i0) > i1"), {neg}, 13, 6.0);
    const int xent = m.apply(s("y·softplus(u) − (−1)·(1−y)·softplus(−u)"), {neg, u, oneMinusY}, 14, 22.3);
    m.destroys(xent, 0);
    const int du = m.apply(s("∂cost/∂u"), {u, y, oneMinusY, allocN}, 15, 10.9);
    m.destroys(du, 0);
    const int xT = m.view(s("x.T"), {x}, 2);
    const int gemv2 = m.apply(s("CGemv{inplace}"), {w, xT, du}, 17, 39.3);
    m.destroys(gemv2, 0);
    const int sum = m.apply(s("Sum"), {du}, 16, 0.8);
    const int step = m.apply(s("i0 − i1·i2"), {b, sum}, 18, 0.5);
    m.add(SceneKind::Output, s("prediction"), {gt});
    m.add(SceneKind::Output, s("xent"), {xent});
    m.add(SceneKind::Output, s("w"), {gemv2});
    m.add(SceneKind::Output, s("b"), {step});
    return m.finish();
}

Scene everyKind()
{
    Maker m;
    const int input = m.add(SceneKind::Input, s("x")), shared = m.add(SceneKind::Shared, s("weights")),
              constant = m.add(SceneKind::Constant, s("[0.25 0.5 …]"));
    const int view = m.view(s("DimShuffle{x,0}"), {input}), apply = m.apply(s("exp"), {view}, 3, 2);
    const int composite = m.add(SceneKind::Composite, s("tanh(i0·i1 + i2)"), {apply, shared, constant});
    const int transfer = m.add(SceneKind::Transfer, s("GpuFromHost"), {composite}, s("3.1 MB"));
    m.lastEdge().kind = SceneEdgeKind::Transfer;
    const int gpu = m.apply(s("GpuGemm"), {transfer, shared}, 7, 40);
    m.node(gpu).onDevice = true;
    m.node(gpu).device = s("cuda0");
    m.node(gpu).warning = s("launch-bound");
    m.destroys(gpu, 0);
    const int group = m.add(SceneKind::Group, s("for{cpu,scan_fn}"), {gpu, input}, s("holds 12 applies"));
    m.node(group).pill = s("×12");
    const DiffState states[] = {DiffState::Created, DiffState::Replaced, DiffState::Fused, DiffState::Dead, DiffState::Moved};
    const char *names[] = {"created", "replaced", "fused", "dead", "moved"};
    const char *phases[] = {"canonicalize", "stabilize", "specialize", "fusion", "inplace"};
    for (int i = 0; i < 5; ++i) {
        const int node = m.apply(s(names[i]), {group});
        m.node(node).diff = states[i];
        m.node(node).ghost = states[i] == DiffState::Dead;
        m.node(node).phase = s(phases[i]);
        m.node(node).ghost = false;
        m.add(SceneKind::Output, QStringLiteral("out %1").arg(i), {node});
    }
    return m.finish();
}

Scene layered(int count, unsigned seed)
{
    Maker m;
    std::mt19937 random(seed);
    const char *names[] = {"dot", "exp", "tanh", "mul", "sub", "Sum{axis=[0]}", "CGemv{inplace}", "add", "softmax", "log1p"};
    for (int i = 0; i < count; ++i) {
        if (i < 5) {
            m.add(i % 2 ? SceneKind::Shared : SceneKind::Input, QStringLiteral("x%1").arg(i));
            continue;
        }
        std::vector<int> inputs;
        for (unsigned k = 0; k < 1 + random() % 3; ++k) {
            const int reach = random() % 50 == 0 ? i : std::min(i, 7);
            const int from = i - 1 - static_cast<int>(random() % static_cast<unsigned>(reach));
            if (std::find(inputs.begin(), inputs.end(), from) == inputs.end()) inputs.push_back(from);
        }
        const double us = 44.5 * std::pow((random() % 1000) / 1000.0, 6);
        if (random() % 9 == 0) m.view(s("DimShuffle{1,0}"), {inputs[0]}, i);
        else m.apply(s(names[random() % 10]), inputs, i, us);
    }
    return m.finish();
}

} // namespace views::demo
