#pragma once

#include "app/studio/window/view_host.h"

#include <QHash>
#include <QTimer>

#include <optional>

class QDockWidget;
class QMainWindow;

namespace views {
class PanelHeader;
}

namespace app {

class Preferences;

/// The docks of a window, one for each view at a side, and their arrangement in each workspace: as a person left it, else
/// as the table says. A tight window has arrangements of its own, and what was kept in a larger one is fitted; so is what is
/// open when the window or the letters change while it runs.
class DockLayout : public QObject {
    Q_OBJECT
public:
    DockLayout(QMainWindow &window, ViewHost &host, const views::SelectionHub &hub, Preferences &preferences);

    /// Leaves the workspace that was entered before, keeping its arrangement; empty: no workspace.
    void enter(const QString &workspace);
    void keep(); ///< the arrangement as it is now
    void reset();
    void show(const QString &id, bool on = true);
    bool isShown(const QString &id) const;
    /// As wide as asked, as far as the middle can do without: the other side gives way, and is closed where it has no room left.
    /// 0: as the table says, and the other side is as it was.
    void setWidth(const QString &id, int width);
    /// Puts away all docks that are shown, and brings them back.
    void putAway(bool away);
    /// The views that are shown at a side, from top to bottom.
    std::vector<QWidget *> shown(Qt::DockWidgetArea side) const;
    bool has(const QString &id) const { return m_docks.contains(id); }
    /// A node was selected: views that wait for one come up.
    void openForNode(const QString &workspace);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    /// How much room there is, as far as arrangements differ by it.
    struct Room {
        bool tight = false, narrow = false, low = false;
        bool operator==(const Room &) const = default;
    };
    struct Asked {
        int left = 0, right = 0; ///< widths
        int times = 0;           ///< that they are asked for again
    };
    /// What gave way when room became scarce, to come back with it.
    struct GaveWay {
        QStringList docks;
        int left = 0, right = 0; ///< widths
    };
    QDockWidget *make(const ViewEntry &entry);
    void showAlone(QDockWidget *dock, bool on);
    void standAlone(QDockWidget *dock);
    int standardWidth(const QString &id) const;
    int roomForSides() const;
    int roomAtRight(const QString &id) const;
    void makeRoom(QDockWidget *dock, int width);
    void giveRoomBack();
    void addHeader(QDockWidget *dock, QWidget *view);
    void arrange(const QString &workspace);
    void restore(const QString &workspace);
    QStringList fit(const QString &workspace);
    void refit();
    void giveWidths(int left, int right);
    void resizeSides(int left, int right);
    void askAgain();
    QDockWidget *firstShown(Qt::DockWidgetArea side) const;
    QList<const ViewEntry *> opened() const;
    void giveSizes(const QList<const ViewEntry *> &opened);
    QString keptAs(const QString &workspace) const;
    QSize room() const;
    Room roomNow() const { return {isTight(), isNarrow(), isLow()}; }
    bool isNarrow() const;
    bool isTight() const;
    bool isLow() const;

    QMainWindow &m_window;
    ViewHost &m_host;
    const views::SelectionHub &m_hub;
    Preferences &m_preferences;
    QHash<QString, QDockWidget *> m_docks;
    QHash<QString, views::PanelHeader *> m_headers;
    QString m_workspace;
    QTimer m_refitSoon;
    Room m_room;         ///< for which the docks are arranged
    int m_letters = 100; ///< the same: 100 px of the theme
    std::optional<GaveWay> m_scarce;
    Asked m_asked;
    QByteArray m_beforeAway;
    QStringList m_gaveWay; ///< closed to make room for a dock that is to be wide
    Qt::DockWidgetArea m_sideThatGaveWay = Qt::NoDockWidgetArea;
    int m_widthBefore = 0;    ///< of that side; 0: it did not give way
    QByteArray m_beforeAlone; ///< without the dock that stands alone at its side; empty: none does
};

} // namespace app
