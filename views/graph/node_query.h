#pragma once

#include "views/graph/scene.h"

#include <functional>
#include <vector>

namespace views {

/// What is looked for in a graph: words, facts by name, regular expressions; all of them must hold.
/// "gemm type:float64 time>1ms line:10 phase:fusion device:cuda /inplace$/"
class NodeQuery {
public:
    explicit NodeQuery(const QString &text = {});

    bool isEmpty() const { return m_conditions.empty(); }
    /// Why it finds nothing, in one sentence; empty where it can be read.
    const QString &error() const { return m_error; }
    bool matches(const SceneNode &node) const;

    /// What can be asked for by name, with an example of each: for a menu.
    struct Field {
        QString example, meaning;
    };
    static std::vector<Field> fields();

private:
    void add(const QString &word);

    std::vector<std::function<bool(const SceneNode &)>> m_conditions;
    QString m_error;
};

} // namespace views
