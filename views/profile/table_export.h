#pragma once

#include <QString>

class QTableView;

namespace views {

/// What a table shows (its rows as filtered and sorted, its columns without the hidden ones) with comma between values, numbers
/// without units.
QString tableAsCsv(const QTableView &table);
/// Asks where to, and writes it there; an error as one sentence, empty when all is well or nothing was chosen.
QString saveTableAsCsv(QTableView &table, const QString &name);

} // namespace views
