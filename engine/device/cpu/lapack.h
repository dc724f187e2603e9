// LAPACK's routines, by their names, for float, double and their complex forms: matrices column by column, LAPACK's info as the result.
// Work memory is their own.
#pragma once

#include <complex>

namespace engine::lapack {

template <class T>
struct RealOf {
    using Type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
    using Type = T;
};
template <class T>
using Real = typename RealOf<T>::Type;
template <class T>
using Complex = std::complex<Real<T>>;

/// Solves a·x = b, into b; a becomes its factors.
template <class T>
int gesv(int n, int columns, T *a, int lda, int *pivots, T *b, int ldb);
template <class T>
int getrf(int n, T *a, int *pivots);
/// `how`: 'N', 'T' or 'C'.
template <class T>
int getrs(char how, int n, int columns, const T *a, const int *pivots, T *b);
template <class T>
int getri(int n, T *a, const int *pivots);
template <class T>
int potrf(bool lower, int n, T *a);
template <class T>
int potrs(bool lower, int n, int columns, const T *a, T *b);
template <class T>
int trtrs(bool lower, char how, bool unitDiagonal, int n, int columns, const T *a, T *b);
/// Of a symmetric (not hermitian) matrix, of which one triangle is read.
template <class T>
int sysv(bool lower, int n, int columns, T *a, T *b);
template <class T>
int geqrf(int m, int n, T *a, T *tau);
/// The first n columns of the m×m factor that k reflectors make.
template <class T>
int orgqr(int m, int n, int k, T *a, const T *tau);
/// `job`: 'A', 'S' or 'N'. u has m rows; vt has n rows of job 'A', min(m, n) of 'S'.
template <class T>
int gesdd(char job, int m, int n, T *a, Real<T> *s, T *u, T *vt);
/// Of a symmetric or hermitian matrix: a becomes the vectors, if they are wanted.
template <class T>
int syevd(bool vectors, bool lower, int n, T *a, Real<T> *w);
/// a·x = w·b·x
template <class T>
int sygvd(bool vectors, bool lower, int n, T *a, T *b, Real<T> *w);
/// Vectors from the right, n×n.
template <class T>
int geev(int n, T *a, Complex<T> *w, Complex<T> *vectors);
/// Least squares; b has max(m, n) rows.
template <class T>
int gelsd(int m, int n, int columns, T *a, T *b, Real<T> *s, Real<T> rcond, int *rank);

} // namespace engine::lapack
