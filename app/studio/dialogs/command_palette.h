#pragma once

#include "app/studio/dialogs/palette_entries.h"

#include <QFrame>

class QLineEdit;
class QListView;

namespace views {
class TextLabel;
}

namespace app {

class PaletteModel;

/// One line to go to anything: every command, view, function, node, rewrite, source line and sample. Not modal: a click
/// elsewhere or Esc closes it.
class CommandPalette : public QFrame {
    Q_OBJECT
public:
    explicit CommandPalette(QWidget *window);

    void open(PaletteEntries entries);
    QLineEdit *edit() const { return m_edit; }
    QListView *list() const { return m_list; }

Q_SIGNALS:
    void chosen(const app::PaletteEntry &entry);

protected:
    bool eventFilter(QObject *object, QEvent *event) override;

private:
    void search();
    void place();
    void choose();

    PaletteEntries m_entries;
    QLineEdit *m_edit;
    QListView *m_list;
    views::TextLabel *m_none;
    PaletteModel *m_model;
};

} // namespace app
