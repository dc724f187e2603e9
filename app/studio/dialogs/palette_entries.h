#pragma once

#include "app/studio/window/view_table.h"

#include <memory>

namespace app {

/// Something that one can go to or do, as the palette lists it.
struct PaletteEntry {
    enum class Kind { Command, View, Function, Node, Rewrite, Line, Sample };
    Kind kind = Kind::Command;
    QString text;
    QString detail; ///< quiet, behind it
    QString keys;   ///< that do the same
    views::Command command = {};
    QString id;               ///< of a command, a view, a rewrite; file of a line or a sample
    std::int64_t number = -1; ///< function, node, line; first step of a rewrite
    views::Side side = views::Side::Optimized;
    views::NodeKind nodeKind = views::NodeKind::Apply;
    QString folded; ///< text and detail in small letters: what is searched; empty in an answer of `bestMatches`

    QString kindName() const;
};

using PaletteList = std::vector<PaletteEntry>;
class NodeEntries;
/// Lists that are shown one after the other. Those of a session are made with its snapshot and only shared here.
struct PaletteEntries {
    std::vector<std::shared_ptr<const PaletteList>> lists;
    std::shared_ptr<const NodeEntries> nodes; ///< behind them; null: there are none
};

/// Makes in the reading thread what the palette lists of a session.
void preparePalette(const views::SessionData &session);
PaletteEntries paletteEntries(const ViewTable &views, const views::SessionData *session, const views::GraphData *graph);

/// The best matches: all words of the query are in them; those that begin with it come first. Without a query: the first ones.
std::vector<PaletteEntry> bestMatches(const PaletteEntries &entries, const QString &query, std::size_t most);

} // namespace app
