#include "app/studio/window/translation.h"

#include "views/common/numbers.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

#include <memory>

static void initTranslations()
{
#ifdef CROTON_TRANSLATIONS
    Q_INIT_RESOURCE(translations);
#endif
}

namespace app {
namespace {

/// Looks a text up by itself: all stand in one context, whatever class says them.
class ByText : public QTranslator {
public:
    QString translate(const char *, const char *source, const char *, int n) const override
    {
        return QTranslator::translate("croton", source, nullptr, n);
    }
};

} // namespace

void speak(QCoreApplication &application, const QString &language)
{
    initTranslations();
    const QString name = language == QLatin1String("system") ? QLocale::system().name().section(u'_', 0, 0) : language;
    views::formats::setDecimalSign(u'.');
    static std::unique_ptr<QTranslator> ours, ofQt; // an application removes what it no longer has
    ours = std::make_unique<ByText>();
    if (!ours->load(QStringLiteral(":/croton/translations/croton_%1.qm").arg(name))) {
        ours.reset();
        ofQt.reset();
        return;
    }
    application.installTranslator(ours.get());
    if (name == QLatin1String("fr")) views::formats::setDecimalSign(u',');
    ofQt = std::make_unique<QTranslator>();
    if (ofQt->load(QStringLiteral("qtbase_") + name, QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        application.installTranslator(ofQt.get());
}

} // namespace app
