#pragma once

#include <QCoreApplication>
#include <QPointer>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace views {

/// Runs it in another thread, as soon as one is free. An application that ends waits for it.
void runElsewhere(std::function<void()> work);

/// Does `work` in another thread and hands what it gave to `then` in the GUI thread, unless `owner` has gone by then.
template <class Work, class Then>
void inBackground(QObject *owner, Work work, Then then)
{
    using Result = decltype(work());
    struct Job {
        QPointer<QObject> owner;
        Work work;
        Then then;
        std::optional<Result> result;
    };
    auto job = std::make_shared<Job>(Job{owner, std::move(work), std::move(then), std::nullopt});
    runElsewhere([job] {
        job->result.emplace(job->work());
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [job] {
                if (job->owner) job->then(std::move(*job->result));
            },
            Qt::QueuedConnection);
    });
}

/// Ends the life of something large in another thread: that takes as long as making it.
template <class Large>
void discard(Large large)
{
    runElsewhere([large = std::make_shared<Large>(std::move(large))]() mutable { large.reset(); });
}

} // namespace views
