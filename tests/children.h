#pragma once
// For tests that fork while other threads of theirs are at work.

#if defined(__SANITIZE_ADDRESS__)
#define SKIP_WHERE_CHILDREN_CANNOT_ALLOCATE() GTEST_SKIP() << "a child of several threads may find the allocator of the sanitizer locked"
#else
#define SKIP_WHERE_CHILDREN_CANNOT_ALLOCATE() static_cast<void>(0)
#endif
