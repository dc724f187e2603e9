#pragma once

#include <QObject>
#include <QString>

#include <memory>

class QThread;

namespace views {

struct CompareRows;

/// Compares in a thread of its own. Who asks again gets the last answer only.
class CompareJob : public QObject {
    Q_OBJECT
public:
    explicit CompareJob(QObject *parent = nullptr);
    ~CompareJob() override;

    void start(const QString &pathA, const QString &pathB);
    void cancel();
    bool isRunning() const { return m_running; }

Q_SIGNALS:
    void compared(std::shared_ptr<const views::CompareRows> rows);
    void failed(const QString &sentence);

private:
    void run(quint64 id, const QString &pathA, const QString &pathB);
    quint64 m_id = 0;
    bool m_running = false;
    std::vector<std::unique_ptr<QThread>> m_threads; ///< each ends by itself
};

} // namespace views
