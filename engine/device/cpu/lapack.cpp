#include "engine/device/cpu/lapack.h"

#include "engine/device/cpu/small_matrices.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

using C64 = std::complex<float>;
using C128 = std::complex<double>;
using Length = std::size_t; // of a text, behind all arguments

// clang-format off
#define CROTON_LAPACK(s, T) \
    void s##gesv_(const int *n, const int *columns, T *a, const int *lda, int *pivots, T *b, const int *ldb, int *info); \
    void s##getrf_(const int *m, const int *n, T *a, const int *lda, int *pivots, int *info); \
    void s##getrs_(const char *how, const int *n, const int *columns, const T *a, const int *lda, const int *pivots, T *b, const int *ldb, \
                   int *info, Length); \
    void s##getri_(const int *n, T *a, const int *lda, const int *pivots, T *work, const int *length, int *info); \
    void s##potrf_(const char *triangle, const int *n, T *a, const int *lda, int *info, Length); \
    void s##potrs_(const char *triangle, const int *n, const int *columns, const T *a, const int *lda, T *b, const int *ldb, int *info, Length); \
    void s##trtrs_(const char *triangle, const char *how, const char *diagonal, const int *n, const int *columns, const T *a, const int *lda, \
                   T *b, const int *ldb, int *info, Length, Length, Length); \
    void s##sysv_(const char *triangle, const int *n, const int *columns, T *a, const int *lda, int *pivots, T *b, const int *ldb, T *work, \
                  const int *length, int *info, Length); \
    void s##geqrf_(const int *m, const int *n, T *a, const int *lda, T *tau, T *work, const int *length, int *info);
#define CROTON_LAPACK_REAL(s, T) \
    CROTON_LAPACK(s, T) \
    void s##orgqr_(const int *m, const int *n, const int *k, T *a, const int *lda, const T *tau, T *work, const int *length, int *info); \
    void s##gesdd_(const char *job, const int *m, const int *n, T *a, const int *lda, T *s, T *u, const int *ldu, T *vt, const int *ldvt, \
                   T *work, const int *length, int *integers, int *info, Length); \
    void s##syevd_(const char *job, const char *triangle, const int *n, T *a, const int *lda, T *w, T *work, const int *length, \
                   int *integers, const int *integerLength, int *info, Length, Length); \
    void s##sygvd_(const int *kind, const char *job, const char *triangle, const int *n, T *a, const int *lda, T *b, const int *ldb, T *w, \
                   T *work, const int *length, int *integers, const int *integerLength, int *info, Length, Length); \
    void s##geev_(const char *left, const char *right, const int *n, T *a, const int *lda, T *real, T *imaginary, T *vl, const int *ldvl, \
                  T *vr, const int *ldvr, T *work, const int *length, int *info, Length, Length); \
    void s##gelsd_(const int *m, const int *n, const int *columns, T *a, const int *lda, T *b, const int *ldb, T *s, const T *rcond, \
                   int *rank, T *work, const int *length, int *integers, int *info);
#define CROTON_LAPACK_COMPLEX(s, T, R) \
    CROTON_LAPACK(s, T) \
    void s##ungqr_(const int *m, const int *n, const int *k, T *a, const int *lda, const T *tau, T *work, const int *length, int *info); \
    void s##gesdd_(const char *job, const int *m, const int *n, T *a, const int *lda, R *s, T *u, const int *ldu, T *vt, const int *ldvt, \
                   T *work, const int *length, R *reals, int *integers, int *info, Length); \
    void s##heevd_(const char *job, const char *triangle, const int *n, T *a, const int *lda, R *w, T *work, const int *length, R *reals, \
                   const int *realLength, int *integers, const int *integerLength, int *info, Length, Length); \
    void s##hegvd_(const int *kind, const char *job, const char *triangle, const int *n, T *a, const int *lda, T *b, const int *ldb, R *w, \
                   T *work, const int *length, R *reals, const int *realLength, int *integers, const int *integerLength, int *info, Length, \
                   Length); \
    void s##geev_(const char *left, const char *right, const int *n, T *a, const int *lda, T *w, T *vl, const int *ldvl, T *vr, \
                  const int *ldvr, T *work, const int *length, R *reals, int *info, Length, Length); \
    void s##gelsd_(const int *m, const int *n, const int *columns, T *a, const int *lda, T *b, const int *ldb, R *s, const R *rcond, \
                   int *rank, T *work, const int *length, R *reals, int *integers, int *info);
// clang-format on

extern "C" {
CROTON_LAPACK_REAL(s, float)
CROTON_LAPACK_REAL(d, double)
CROTON_LAPACK_COMPLEX(c, C64, float)
CROTON_LAPACK_COMPLEX(z, C128, double)

// LAPACK asks Fortran's library for nothing but this, to name a routine.
[[gnu::visibility("hidden")]] void croton_lapack_concat_string(Length length, char *to, Length first, const char *a, Length second,
                                                               const char *b)
{
    std::memset(to, ' ', length);
    std::memcpy(to, a, std::min(first, length));
    if (first < length) std::memcpy(to + first, b, std::min(second, length - first));
}
}

namespace engine::lapack {
namespace {

/// The routine of T's letter.
#define ROUTINE(name)                                                                                                                      \
    [](auto... arguments) {                                                                                                                \
        if constexpr (std::is_same_v<T, float>) s##name##_(arguments...);                                                                  \
        else if constexpr (std::is_same_v<T, double>) d##name##_(arguments...);                                                            \
        else if constexpr (std::is_same_v<T, C64>) c##name##_(arguments...);                                                               \
        else z##name##_(arguments...);                                                                                                     \
    }
#define REAL_ROUTINE(name)                                                                                                                 \
    [](auto... arguments) {                                                                                                                \
        if constexpr (std::is_same_v<T, float>) s##name##_(arguments...);                                                                  \
        else d##name##_(arguments...);                                                                                                     \
    }
#define COMPLEX_ROUTINE(name)                                                                                                              \
    [](auto... arguments) {                                                                                                                \
        if constexpr (std::is_same_v<T, C64>) c##name##_(arguments...);                                                                    \
        else z##name##_(arguments...);                                                                                                     \
    }

template <class T>
constexpr bool kIsReal = std::is_floating_point_v<T>;
constexpr int kAsk = -1;

int atLeastOne(int size) { return std::max(size, 1); }
const char *triangle(bool lower) { return lower ? "L" : "U"; }
/// The length that a routine asks for: a whole number, in its own type.
template <class T>
int asked(const T &answer)
{
    // A float above 2^24 may be rounded down.
    return atLeastOne(static_cast<int>(static_cast<double>(std::real(answer)) * (sizeof(Real<T>) == 4 ? 1.000001 : 1.0)) + 1);
}

/// A routine with a work space: first asked how much it wants, then run.
template <class T, class Run>
void askThenRun(const Run &run)
{
    T answer{};
    run(&answer, &kAsk);
    const int length = asked(answer);
    std::vector<T> work(static_cast<std::size_t>(length));
    run(work.data(), &length);
}

} // namespace

template <class T>
int gesv(int n, int columns, T *a, int lda, int *pivots, T *b, int ldb)
{
    if constexpr (kIsReal<T>)
        if (n <= small::kMostSolved) return small::solve(n, columns, a, lda, pivots, b, ldb);
    int info = 0;
    ROUTINE(gesv)(&n, &columns, a, &lda, pivots, b, &ldb, &info);
    return info;
}

template <class T>
int getrf(int n, T *a, int *pivots)
{
    const int lda = atLeastOne(n);
    int info = 0;
    ROUTINE(getrf)(&n, &n, a, &lda, pivots, &info);
    return info;
}

template <class T>
int getrs(char how, int n, int columns, const T *a, const int *pivots, T *b)
{
    const int lda = atLeastOne(n);
    int info = 0;
    ROUTINE(getrs)(&how, &n, &columns, a, &lda, pivots, b, &lda, &info, Length(1));
    return info;
}

template <class T>
int getri(int n, T *a, const int *pivots)
{
    const int lda = atLeastOne(n);
    int info = 0;
    askThenRun<T>([&](T *work, const int *length) { ROUTINE(getri)(&n, a, &lda, pivots, work, length, &info); });
    return info;
}

template <class T>
int potrf(bool lower, int n, T *a)
{
    const int lda = atLeastOne(n);
    int info = 0;
    ROUTINE(potrf)(triangle(lower), &n, a, &lda, &info, Length(1));
    return info;
}

template <class T>
int potrs(bool lower, int n, int columns, const T *a, T *b)
{
    const int lda = atLeastOne(n);
    int info = 0;
    ROUTINE(potrs)(triangle(lower), &n, &columns, a, &lda, b, &lda, &info, Length(1));
    return info;
}

template <class T>
int trtrs(bool lower, char how, bool unitDiagonal, int n, int columns, const T *a, T *b)
{
    const int lda = atLeastOne(n);
    int info = 0;
    ROUTINE(trtrs)(triangle(lower), &how, unitDiagonal ? "U" : "N", &n, &columns, a, &lda, b, &lda, &info, Length(1), Length(1), Length(1));
    return info;
}

template <class T>
int sysv(bool lower, int n, int columns, T *a, T *b)
{
    const int lda = atLeastOne(n);
    int info = 0;
    std::vector<int> pivots(static_cast<std::size_t>(lda));
    askThenRun<T>([&](T *work, const int *length) {
        ROUTINE(sysv)(triangle(lower), &n, &columns, a, &lda, pivots.data(), b, &lda, work, length, &info, Length(1));
    });
    return info;
}

template <class T>
int geqrf(int m, int n, T *a, T *tau)
{
    const int lda = atLeastOne(m);
    int info = 0;
    askThenRun<T>([&](T *work, const int *length) { ROUTINE(geqrf)(&m, &n, a, &lda, tau, work, length, &info); });
    return info;
}

template <class T>
int orgqr(int m, int n, int k, T *a, const T *tau)
{
    const int lda = atLeastOne(m);
    int info = 0;
    askThenRun<T>([&](T *work, const int *length) {
        if constexpr (kIsReal<T>) REAL_ROUTINE(orgqr)(&m, &n, &k, a, &lda, tau, work, length, &info);
        else COMPLEX_ROUTINE(ungqr)(&m, &n, &k, a, &lda, tau, work, length, &info);
    });
    return info;
}

template <class T>
int gesdd(char job, int m, int n, T *a, Real<T> *s, T *u, T *vt)
{
    const int lda = atLeastOne(m), ldu = lda, few = std::min(m, n), ldvt = atLeastOne(job == 'A' ? n : few);
    int info = 0;
    std::vector<int> integers(static_cast<std::size_t>(8 * atLeastOne(few)));
    const auto size = static_cast<std::size_t>(few), largest = static_cast<std::size_t>(std::max(m, n));
    std::vector<Real<T>> reals(
        kIsReal<T> ? 0 : std::max(5 * size * size + 5 * size, 2 * largest * size + 2 * size * size + size) + 7 * size + 1);
    const auto run = [&](T *work, const int *length) {
        if constexpr (kIsReal<T>)
            REAL_ROUTINE(gesdd)(&job, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, length, integers.data(), &info, Length(1));
        else COMPLEX_ROUTINE(gesdd)
        (&job, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, length, reals.data(), integers.data(), &info, Length(1));
    };
    T answer{};
    run(&answer, &kAsk);
    if (info) return info;
    const int length = asked(answer);
    std::vector<T> work(static_cast<std::size_t>(length));
    run(work.data(), &length);
    return info;
}

/// A routine with three work spaces: first asked how much of each it wants, then run.
template <class T, class Run>
void askForThree(const Run &run)
{
    T answer{};
    Real<T> real = 0;
    int integer = 0;
    run(&answer, kAsk, &real, kAsk, &integer, kAsk);
    const int length = asked(answer), realLength = asked(real);
    std::vector<T> work(static_cast<std::size_t>(length));
    std::vector<Real<T>> reals(static_cast<std::size_t>(realLength));
    std::vector<int> integers(static_cast<std::size_t>(atLeastOne(integer)));
    run(work.data(), length, reals.data(), realLength, integers.data(), static_cast<int>(integers.size()));
}

template <class T>
int syevd(bool vectors, bool lower, int n, T *a, Real<T> *w)
{
    const int lda = atLeastOne(n);
    const char *job = vectors ? "V" : "N";
    int info = 0;
    const auto run = [&](T *work, int length, [[maybe_unused]] Real<T> *reals, [[maybe_unused]] int realLength, int *integers,
                         int integerLength) {
        if constexpr (kIsReal<T>) REAL_ROUTINE(syevd)
        (job, triangle(lower), &n, a, &lda, w, work, &length, integers, &integerLength, &info, Length(1), Length(1));
        else COMPLEX_ROUTINE(heevd)(job, triangle(lower), &n, a, &lda, w, work, &length, reals, &realLength, integers, &integerLength,
                                    &info, Length(1), Length(1));
    };
    askForThree<T>(run);
    return info;
}

template <class T>
int sygvd(bool vectors, bool lower, int n, T *a, T *b, Real<T> *w)
{
    const int lda = atLeastOne(n), kind = 1;
    const char *job = vectors ? "V" : "N";
    int info = 0;
    const auto run = [&](T *work, int length, [[maybe_unused]] Real<T> *reals, [[maybe_unused]] int realLength, int *integers,
                         int integerLength) {
        if constexpr (kIsReal<T>) REAL_ROUTINE(sygvd)
        (&kind, job, triangle(lower), &n, a, &lda, b, &lda, w, work, &length, integers, &integerLength, &info, Length(1), Length(1));
        else COMPLEX_ROUTINE(hegvd)(&kind, job, triangle(lower), &n, a, &lda, b, &lda, w, work, &length, reals, &realLength, integers,
                                    &integerLength, &info, Length(1), Length(1));
    };
    askForThree<T>(run);
    return info;
}

template <class T>
int geev(int n, T *a, Complex<T> *w, Complex<T> *vectors)
{
    const int lda = atLeastOne(n), one = 1;
    const auto size = static_cast<std::size_t>(n);
    int info = 0;
    if constexpr (kIsReal<T>) {
        // Pairs of conjugates share two columns: real and imaginary parts.
        std::vector<T> real(size), imaginary(size), columns(size * size);
        askThenRun<T>([&](T *work, const int *length) {
            REAL_ROUTINE(geev)
            ("N", "V", &n, a, &lda, real.data(), imaginary.data(), static_cast<T *>(nullptr), &one, columns.data(), &lda, work, length,
             &info, Length(1), Length(1));
        });
        for (std::size_t j = 0; j < size; ++j) {
            w[j] = {real[j], imaginary[j]};
            const T sign = imaginary[j] > 0 ? T(1) : imaginary[j] < 0 ? T(-1) : T(0);
            const std::size_t first = imaginary[j] < 0 ? j - 1 : j;
            for (std::size_t i = 0; i < size; ++i)
                vectors[j * size + i] = {columns[first * size + i], sign == 0 ? T(0) : sign * columns[(first + 1) * size + i]};
        }
    } else {
        std::vector<Real<T>> reals(2 * size);
        askThenRun<T>([&](T *work, const int *length) {
            COMPLEX_ROUTINE(geev)
            ("N", "V", &n, a, &lda, w, static_cast<T *>(nullptr), &one, vectors, &lda, work, length, reals.data(), &info, Length(1),
             Length(1));
        });
    }
    return info;
}

template <class T>
int gelsd(int m, int n, int columns, T *a, T *b, Real<T> *s, Real<T> rcond, int *rank)
{
    const int lda = atLeastOne(m), ldb = atLeastOne(std::max(m, n));
    int info = 0, integer = 0;
    Real<T> real = 0;
    T answer{};
    const auto run = [&](T *work, const int *length, [[maybe_unused]] Real<T> *reals, int *integers) {
        if constexpr (kIsReal<T>) REAL_ROUTINE(gelsd)(&m, &n, &columns, a, &lda, b, &ldb, s, &rcond, rank, work, length, integers, &info);
        else COMPLEX_ROUTINE(gelsd)(&m, &n, &columns, a, &lda, b, &ldb, s, &rcond, rank, work, length, reals, integers, &info);
    };
    run(&answer, &kAsk, &real, &integer);
    const int length = asked(answer);
    std::vector<T> work(static_cast<std::size_t>(length));
    std::vector<Real<T>> reals(static_cast<std::size_t>(asked(real)));
    std::vector<int> integers(static_cast<std::size_t>(atLeastOne(integer)));
    run(work.data(), &length, reals.data(), integers.data());
    return info;
}

// clang-format off
#define CROTON_LAPACK_OF(T) \
    template int gesv(int, int, T *, int, int *, T *, int); \
    template int getrf(int, T *, int *); \
    template int getrs(char, int, int, const T *, const int *, T *); \
    template int getri(int, T *, const int *); \
    template int potrf(bool, int, T *); \
    template int potrs(bool, int, int, const T *, T *); \
    template int trtrs(bool, char, bool, int, int, const T *, T *); \
    template int sysv(bool, int, int, T *, T *); \
    template int geqrf(int, int, T *, T *); \
    template int orgqr(int, int, int, T *, const T *); \
    template int gesdd(char, int, int, T *, Real<T> *, T *, T *); \
    template int syevd(bool, bool, int, T *, Real<T> *); \
    template int sygvd(bool, bool, int, T *, T *, Real<T> *); \
    template int geev(int, T *, Complex<T> *, Complex<T> *); \
    template int gelsd(int, int, int, T *, T *, Real<T> *, Real<T>, int *);
CROTON_LAPACK_OF(float)
CROTON_LAPACK_OF(double)
CROTON_LAPACK_OF(C64)
CROTON_LAPACK_OF(C128)
// clang-format on

} // namespace engine::lapack
