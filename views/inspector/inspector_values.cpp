// What the inspector says of the values of a node: from `croton values`.

#include "views/inspector/inspector_values.h"
#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/numbers.h"
#include "views/common/text.h"

#include <QStringList>

#include <algorithm>

namespace views {
namespace {

QString number(double value) { return text(profiler::shortNumber(value)); }

QString digitsText(const profiler::ValueRow &row)
{
    if (row.accuracy.digits == 0)
        return row.accuracy.differing > 0
                   ? tr("another value in the reference for %1 of %2")
                         .arg(formats::count(row.accuracy.differing), formats::counted(row.facts.elements, formats::Thing::Element))
                   : QString();
    switch (row.accuracy.reference) {
    case profiler::ValueReference::None: return tr("No reference: how many digits are right is not known.");
    case profiler::ValueReference::Same: return tr("Nothing with more digits is known for it: its own values are taken as right.");
    case profiler::ValueReference::Precise:
    case profiler::ValueReference::Double: break;
    }
    QString said = tr("%1 of %2 digits lost, %3 of them in it.")
                       .arg(formats::number(row.accuracy.lost, 'f', 1), formats::number(row.accuracy.digits, 'f', 1),
                            formats::number(row.accuracy.own, 'f', 1));
    if (const std::string loss = profiler::lossText(row); !loss.empty() && row.accuracy.lost >= 1 && row.accuracy.born.empty())
        said += QStringLiteral("\n") + text(loss) + QChar('.');
    return said;
}

QString countsText(const profiler::ValueRow &row)
{
    QStringList parts{formats::counted(row.facts.elements, formats::Thing::Element)};
    const auto add = [&](std::int64_t count, const QString &what) {
        if (count > 0) parts << QStringLiteral("%1 %2").arg(formats::count(count), what);
    };
    add(row.facts.nans, QStringLiteral("nan"));
    add(row.facts.infinities, QStringLiteral("inf"));
    add(row.facts.denormals, tr("denormal"));
    add(row.facts.zeros, tr("zero"));
    if (row.facts.hasFinite() && row.facts.elements > 1)
        parts << tr("mean %1, deviation %2").arg(number(row.facts.mean), number(row.facts.deviation));
    return parts.join(QStringLiteral(" · "));
}

TimesPicture histogramOf(const profiler::ValueRow &row)
{
    TimesPicture picture;
    picture.name = tr("Distribution of the values");
    picture.median = picture.p95 = -1;
    std::vector<double> counts;
    for (const std::string &part : row.facts.histogram) counts.push_back(QString::fromStdString(part).toDouble());
    const double most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
    const double step = counts.empty() ? 0 : (row.facts.largest - row.facts.least) / static_cast<double>(counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
        picture.bars.push_back(most > 0 ? counts[i] / most : 0);
        const double from = row.facts.least + step * static_cast<double>(i);
        picture.tips.push_back(
            tr("%1 from %2 to %3").arg(formats::count(static_cast<std::int64_t>(counts[i])), number(from), number(from + step)));
    }
    picture.least = number(row.facts.least);
    picture.most = row.facts.largest > row.facts.least ? number(row.facts.largest) : QString();
    picture.sentence = countsText(row);
    return picture;
}

} // namespace

std::vector<InspectorContent::Values> valuesOf(const ValueMarks::OfNode &node)
{
    std::vector<InspectorContent::Values> all;
    for (const profiler::ValueRow *row : node.rows) {
        InspectorContent::Values values;
        if (node.rows.size() > 1) values.name = QStringLiteral("o%1").arg(row->port);
        if (row->facts.hasFinite()) values.histogram = histogramOf(*row);
        if (row == node.rows.front() && !node.sentence.isEmpty())
            for (const QString &line : node.sentence.split(u'\n')) values.alarms.push_back(line + QChar('.'));
        values.sentences.push_back(countsText(*row) + QChar('.'));
        if (const QString digits = digitsText(*row); !digits.isEmpty()) values.sentences.push_back(digits);
        QStringList first;
        for (const std::string &value : row->facts.first) first << text(profiler::shortNumber(value));
        if (static_cast<std::int64_t>(row->facts.first.size()) < row->facts.elements) first << QStringLiteral("…");
        values.first = first.join(QStringLiteral("  "));
        all.push_back(std::move(values));
    }
    if (!all.empty() && !node.steps.empty())
        for (const profiler::ValueRow *step : node.steps)
            all.back().steps.push_back(
                {text(step->op),
                 step->accuracy.isMeasured() && step->accuracy.digits > 0
                     ? tr("%1 of %2 lost").arg(formats::number(step->accuracy.lost, 'f', 1), formats::number(step->accuracy.digits, 'f', 1))
                     : QString(),
                 views::text(step->accuracy.born.empty() ? std::string() : step->accuracy.born.front())});
    return all;
}

} // namespace views
