#pragma once

#include <QWidget>

class QSlider;

namespace views {

class ElidedLabel;
class TextLabel;

/// A name, a slider of few steps, and what its place means in words.
class WhatIfSlider : public QWidget {
    Q_OBJECT
public:
    /// `before`: sliders of that title that stand above it.
    WhatIfSlider(const QString &title, qsizetype before, int last, QWidget *parent = nullptr);

    int step() const;
    int last() const;
    void setStep(int step);
    /// What the step means now; read out, too.
    void setValueText(const QString &text);
    QString valueText() const;
    const QString &title() const { return m_title; }
    QSlider *slider() const { return m_slider; }

Q_SIGNALS:
    void moved();

private:
    QString m_title;
    ElidedLabel *m_name;
    QSlider *m_slider;
    TextLabel *m_value;
};

} // namespace views
