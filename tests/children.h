#pragma once
// For tests that fork while other threads of theirs are at work.

#if defined(__SANITIZE_ADDRESS__)
#define SKIP_WHERE_CHILDREN_CANNOT_WORK() GTEST_SKIP() << "a child of several threads may find the allocator of the sanitizer locked"
#elif defined(__SANITIZE_THREAD__)
#define SKIP_WHERE_CHILDREN_CANNOT_WORK() GTEST_SKIP() << "ThreadSanitizer ends a child of several threads that starts one"
#else
#define SKIP_WHERE_CHILDREN_CANNOT_WORK() static_cast<void>(0)
#endif
