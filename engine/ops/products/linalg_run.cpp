// Linear algebra on numbers: copies into LAPACK's order, its routines, and sentences where they fail.
#include "engine/device/cpu/blas.h"
#include "engine/device/cpu/lapack.h"
#include "engine/ops/elements/run_support.h"
#include "engine/ops/products/linalg.h"
#include "engine/tensor/sizes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace engine {
namespace {

using lapack::Complex;
using lapack::Real;

/// Calls f<T>(dtype) with float, double or a complex type.
template <class F>
void withLinear(DType dtype, F &&f)
{
    switch (dtype) {
    case DType::Float32: return f.template operator()<float>(dtype);
    case DType::Complex64: return f.template operator()<std::complex<float>>(dtype);
    case DType::Complex128: return f.template operator()<std::complex<double>>(dtype);
    default: return f.template operator()<double>(DType::Float64);
    }
}

int lapackSize(std::int64_t size) { return librarySize(size, "LAPACK"); }

/// A copy that may be written to, column by column; a vector is one column.
template <class T>
class Columns {
public:
    Columns(const View &x, DType dtype) : rows(lapackSize(x.shape[0])), columns(x.rank == 2 ? lapackSize(x.shape[1]) : 1)
    {
        m_values = Tensor::empty(dtype, Dims{columns, rows});
        const std::int64_t shape[] = {columns, rows}, strides[] = {x.rank == 2 ? x.strides[1] : 0, x.strides[0]};
        copyConverted(View{x.data, x.dtype, 2, shape, strides}, m_values.view());
    }
    T *data() { return m_values.as<T>(); }
    const int rows, columns;

private:
    Tensor m_values;
};

/// A copy of a matrix row by row: to LAPACK its transpose.
Tensor rowsOf(const View &x, DType dtype)
{
    Tensor values = Tensor::empty(dtype, shapeOfView(x));
    copyConverted(x, values.view());
    return values;
}

/// Puts columns of `height` elements where an output wants them.
template <class T>
void put(T *values, int height, DType dtype, const View &out)
{
    const std::int64_t strides[] = {sizeof(T), static_cast<std::int64_t>(sizeof(T)) * height};
    copyConverted(View{const_cast<std::remove_const_t<T> *>(values), dtype, out.rank, out.shape, strides}, out);
}

template <class T>
std::vector<T> block(int rows, int columns)
{
    return std::vector<T>(std::max<std::size_t>(1, static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)));
}
template <class T>
void makeUnit(T *values, int size)
{
    std::fill_n(values, static_cast<std::size_t>(size) * static_cast<std::size_t>(size), T(0));
    for (int i = 0; i < size; ++i) values[static_cast<std::size_t>(i) * static_cast<std::size_t>(size + 1)] = T(1);
}

std::string named(const char *symbol) { return std::string("[") + symbol + "] "; }

int sizeOfSquare(const char *symbol, const View &a)
{
    if (a.shape[0] != a.shape[1]) throw LinearAlgebraError(named(symbol) + "wants a square matrix, got shape " + shapeOfView(a).text());
    return lapackSize(a.shape[0]);
}

template <class T>
void wantFinite(const char *symbol, const T *values, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i)
        if (!std::isfinite(std::real(values[i])) || !std::isfinite(std::imag(values[i])))
            throw LinearAlgebraError(named(symbol) + "the matrix has elements that are infinite or nan");
}

[[noreturn]] void failNotPositive(const char *symbol, int size, int at)
{
    throw LinearAlgebraError(named(symbol) + "the matrix of " + std::to_string(size) + " rows is not positive definite: its first " +
                             std::to_string(at) + " rows and columns are not");
}
[[noreturn]] void failSingular(const char *symbol, int at)
{
    throw LinearAlgebraError(named(symbol) + "Singular matrix: pivot " + std::to_string(at - 1) + " is zero");
}
void wantConverged(const char *symbol, int info)
{
    if (info) throw LinearAlgebraError(named(symbol) + "the iteration did not converge");
}

/// Sign and size of the determinant, from its factors.
template <class T>
struct Factors {
    explicit Factors(const char *symbol, const View &a, DType dtype)
        : size(sizeOfSquare(symbol, a)), values(rowsOf(a, dtype)), pivots(static_cast<std::size_t>(size))
    {
        isSingular = lapack::getrf(size, values.as<T>(), pivots.data()) > 0;
    }
    T sign() const
    {
        bool isOdd = false;
        for (int i = 0; i < size; ++i) isOdd ^= pivots[i] != i + 1;
        return isOdd ? T(-1) : T(1);
    }
    T pivot(int i) const { return values.as<T>()[static_cast<std::size_t>(i) * static_cast<std::size_t>(size + 1)]; }

    int size;
    Tensor values;
    std::vector<int> pivots;
    bool isSingular;
};

/// U, s and Vᵀ, column by column.
template <class T>
struct SingularValues {
    SingularValues(const char *symbol, const View &x, DType dtype, char job)
        : rows(lapackSize(x.shape[0])), columns(lapackSize(x.shape[1])), few(std::min(rows, columns)), s(block<Real<T>>(few, 1))
    {
        const bool full = job == 'A';
        if (job != 'N') {
            u = block<T>(rows, full ? rows : few);
            vt = block<T>(full ? columns : few, columns);
        }
        if (few == 0) {
            if (full) makeUnit(u.data(), rows), makeUnit(vt.data(), columns);
            return;
        }
        Columns<T> a(x, dtype);
        wantFinite(symbol, a.data(), x.size());
        wantConverged(symbol, lapack::gesdd(job, rows, columns, a.data(), s.data(), u.data(), vt.data()));
    }
    int rows, columns, few;
    std::vector<Real<T>> s;
    std::vector<T> u, vt;
};

} // namespace

void MatrixInverse::perform(PerformArgs &args) const
{
    const View &a = args.inputs[0];
    withLinear(a.dtype, [&]<class T>(DType dtype) {
        const Factors<T> factors("matrix_inverse", a, dtype);
        if (factors.isSingular)
            for (int i = 0; i < factors.size; ++i)
                if (factors.pivot(i) == T(0)) failSingular("matrix_inverse", i + 1);
        if (factors.size) lapack::getri(factors.size, factors.values.template as<T>(), factors.pivots.data());
        copyConverted(factors.values.view(), output(args, 0, shapeOfView(a)));
    });
}

void MatrixPinv::perform(PerformArgs &args) const
{
    const View &a = args.inputs[0];
    const View &out = output(args, 0, Dims{a.shape[1], a.shape[0]});
    withLinear(a.dtype, [&]<class T>(DType dtype) {
        SingularValues<T> parts("pinv", a, dtype, 'S');
        DenseOutput<T> result(out, dtype);
        std::fill_n(result.data(), out.size(), T(0));
        if (parts.few) {
            // conj(V)·diag(1/s)·conj(Uᵀ), both row by row what LAPACK has column by column.
            const auto conjugate = [](T value) {
                if constexpr (std::is_floating_point_v<T>) return value;
                else return std::conj(value);
            };
            const Real<T> least = static_cast<Real<T>>(1e-15 * parts.s[0]);
            for (std::size_t i = 0; i < parts.vt.size(); ++i) {
                const Real<T> s = parts.s[i % static_cast<std::size_t>(parts.few)];
                parts.vt[i] = s > least ? conjugate(parts.vt[i]) / s : T(0);
            }
            for (T &value : parts.u) value = conjugate(value);
            blas().of<T>().gemm(false, false, parts.columns, parts.rows, parts.few, T(1), parts.vt.data(), parts.few, parts.u.data(),
                                parts.rows, T(0), result.data(), parts.rows);
        }
        result.finish();
    });
}

void Det::perform(PerformArgs &args) const
{
    const View &a = args.inputs[0];
    withLinear(a.dtype, [&]<class T>(DType dtype) {
        const Factors<T> factors("det", a, dtype);
        T result = factors.sign();
        for (int i = 0; i < factors.size; ++i) result *= factors.pivot(i);
        *output(args, 0, Dims{}).template as<T>() = result;
    });
}

void SLogDet::perform(PerformArgs &args) const
{
    const View &a = args.inputs[0];
    withLinear(a.dtype, [&]<class T>(DType dtype) {
        const Factors<T> factors("slogdet", a, dtype);
        T sign = factors.sign();
        Real<T> logarithm = 0;
        for (int i = 0; i < factors.size; ++i) {
            const Real<T> size = std::abs(factors.pivot(i));
            sign *= size == 0 ? T(0) : factors.pivot(i) / size;
            logarithm += std::log(size);
        }
        *output(args, 0, Dims{}).template as<T>() = sign;
        *output(args, 1, Dims{}).template as<Real<T>>() = logarithm;
    });
}

void Cholesky::perform(PerformArgs &args) const
{
    const View &a = args.inputs[0];
    const int n = sizeOfSquare("cholesky", a);
    const View &out = output(args, 0, shapeOfView(a));
    withLinear(a.dtype, [&]<class T>(DType dtype) {
        // Row by row the lower triangle is LAPACK's upper one.
        const Tensor values = rowsOf(a, dtype);
        T *factor = values.as<T>();
        if (const int info = n ? lapack::potrf(!m_lower, n, factor) : 0) {
            if (m_raises) failNotPositive("cholesky", n, info);
            std::fill_n(factor, values.size(), T(std::numeric_limits<Real<T>>::quiet_NaN()));
        } else {
            for (int i = 0; i < n; ++i)
                for (int j = m_lower ? i + 1 : 0; j < (m_lower ? n : i); ++j) factor[static_cast<std::int64_t>(i) * n + j] = T(0);
        }
        copyConverted(values.view(), out);
    });
}

void Solve::perform(PerformArgs &args) const
{
    const View &a = args.inputs[0], &b = args.inputs[1];
    const int n = sizeOfSquare("solve", a);
    if (b.shape[0] != n)
        throw ShapeMismatch("[solve] the matrix has shape " + shapeOfView(a).text() + " and the right side " + shapeOfView(b).text(),
                            "both have one number of rows");
    const View &out = output(args, 0, shapeOfView(b));
    withLinear(a.dtype, [&]<class T>(DType dtype) {
        Columns<T> x(b, dtype);
        if (out.size() == 0) return;
        const bool isTriangle = m_structure == MatrixStructure::LowerTriangular || m_structure == MatrixStructure::UpperTriangular;
        if (isTriangle) {
            const Dense<T> triangle(a, dtype);
            const bool isLower = m_structure == MatrixStructure::LowerTriangular;
            if (const int info = lapack::trtrs(!isLower, m_transposed ? 'N' : 'T', m_unit, n, x.columns, triangle.data(), x.data()))
                failSingular("solve", info);
        } else if (m_structure == MatrixStructure::General && m_transposed) {
            const Tensor matrix = rowsOf(a, dtype);
            std::vector<int> pivots(static_cast<std::size_t>(n));
            if (const int info = lapack::getrf(n, matrix.as<T>(), pivots.data())) failSingular("solve", info);
            lapack::getrs('N', n, x.columns, matrix.as<T>(), pivots.data(), x.data());
        } else {
            Columns<T> matrix(a, dtype);
            int info = 0;
            if (m_structure == MatrixStructure::Symmetric) {
                info = lapack::sysv(m_lower, n, x.columns, matrix.data(), x.data());
            } else if (m_structure == MatrixStructure::Positive) {
                if (const int at = lapack::potrf(m_lower, n, matrix.data())) failNotPositive("solve", n, at);
                lapack::potrs(m_lower, n, x.columns, matrix.data(), x.data());
            } else {
                std::vector<int> pivots(static_cast<std::size_t>(n));
                info = lapack::gesv(n, x.columns, matrix.data(), n, pivots.data(), x.data(), n);
            }
            if (info > 0) failSingular("solve", info);
        }
        put(x.data(), n, dtype, out);
    });
}

void Eig::perform(PerformArgs &args) const
{
    const View &a = args.inputs[0];
    const int n = sizeOfSquare("eig", a);
    const View &values = output(args, 0, Dims{n}), &vectors = output(args, 1, shapeOfView(a));
    if (n == 0) return;
    withLinear(a.dtype, [&]<class T>(DType dtype) {
        Columns<T> matrix(a, dtype);
        wantFinite("eig", matrix.data(), a.size());
        auto w = block<Complex<T>>(n, 1), v = block<Complex<T>>(n, n);
        wantConverged("eig", lapack::geev(n, matrix.data(), w.data(), v.data()));
        const auto store = [&](const std::vector<Complex<T>> &from, const View &to) {
            if constexpr (std::is_floating_point_v<T>) {
                std::vector<T> real(from.size());
                std::transform(from.begin(), from.end(), real.begin(), [](Complex<T> one) { return one.real(); });
                put(real.data(), n, dtype, to);
            } else {
                put(from.data(), n, dtype, to);
            }
        };
        store(w, values);
        store(v, vectors);
    });
}

void Eigh::perform(PerformArgs &args) const
{
    const View &a = args.inputs[0];
    const int n = sizeOfSquare("eigh", a);
    const View &values = output(args, 0, Dims{n}), &vectors = output(args, 1, shapeOfView(a));
    if (n == 0) return;
    withLinear(a.dtype, [&]<class T>(DType dtype) {
        Columns<T> matrix(a, dtype);
        wantFinite("eigh", matrix.data(), a.size());
        auto w = block<Real<T>>(n, 1);
        wantConverged("eigh", lapack::syevd(true, m_lower, n, matrix.data(), w.data()));
        put(w.data(), n, realPart(dtype), values);
        put(matrix.data(), n, dtype, vectors);
    });
}

void GeneralEigh::perform(PerformArgs &args) const
{
    const View &a = args.inputs[0], &b = args.inputs[1];
    const int n = sizeOfSquare("eigvalsh", a);
    if (shapeOfView(b) != shapeOfView(a))
        throw ShapeMismatch("[eigvalsh] the matrices have shapes " + shapeOfView(a).text() + " and " + shapeOfView(b).text());
    const View &values = output(args, 0, Dims{n}), &vectors = output(args, 1, shapeOfView(a));
    if (n == 0) return;
    withLinear(a.dtype, [&]<class T>(DType dtype) {
        Columns<T> first(a, dtype), second(b, dtype);
        wantFinite("eigvalsh", first.data(), a.size());
        wantFinite("eigvalsh", second.data(), b.size());
        auto w = block<Real<T>>(n, 1);
        const int info = lapack::sygvd(true, m_lower, n, first.data(), second.data(), w.data());
        if (info > n) failNotPositive("eigvalsh", n, info - n);
        wantConverged("eigvalsh", info);
        put(w.data(), n, realPart(dtype), values);
        put(first.data(), n, dtype, vectors);
    });
}

void Svd::perform(PerformArgs &args) const
{
    const View &x = args.inputs[0];
    withLinear(x.dtype, [&]<class T>(DType dtype) {
        SingularValues<T> parts("svd", x, dtype, !m_vectors ? 'N' : m_full ? 'A' : 'S');
        const int few = parts.few;
        put(parts.s.data(), few, realPart(dtype), output(args, m_vectors ? 1 : 0, Dims{few}));
        if (!m_vectors) return;
        put(parts.u.data(), parts.rows, dtype, output(args, 0, Dims{parts.rows, m_full ? parts.rows : few}));
        const int height = m_full ? parts.columns : few;
        put(parts.vt.data(), height, dtype, output(args, 2, Dims{height, parts.columns}));
    });
}

void Qr::perform(PerformArgs &args) const
{
    const View &x = args.inputs[0];
    withLinear(x.dtype, [&]<class T>(DType dtype) {
        Columns<T> a(x, dtype);
        const int rows = a.rows, columns = a.columns, few = std::min(rows, columns);
        auto tau = block<T>(few, 1);
        if (few) lapack::geqrf(rows, columns, a.data(), tau.data());
        if (m_mode == QrMode::Raw) {
            const View &out = output(args, 0, Dims{columns, rows});
            const Dims shape{columns, rows};
            const std::int64_t strides[] = {static_cast<std::int64_t>(sizeof(T)) * rows, sizeof(T)};
            copyConverted(View{a.data(), dtype, 2, shape.begin(), strides}, out);
            put(tau.data(), few, dtype, output(args, 1, Dims{few}));
            return;
        }
        const int height = m_mode == QrMode::Complete ? rows : few;
        auto r = block<T>(height, columns);
        for (int j = 0; j < columns; ++j)
            for (int i = 0; i <= std::min(j, height - 1); ++i)
                r[static_cast<std::size_t>(j) * static_cast<std::size_t>(height) + static_cast<std::size_t>(i)] =
                    i < few ? a.data()[static_cast<std::int64_t>(j) * rows + i] : T(0);
        put(r.data(), height, dtype, output(args, m_mode == QrMode::R ? 0 : 1, Dims{height, columns}));
        if (m_mode == QrMode::R) return;
        auto q = block<T>(rows, height);
        if (few == 0) makeUnit(q.data(), height == rows ? rows : 0);
        else {
            std::copy_n(a.data(), static_cast<std::int64_t>(rows) * few, q.data());
            lapack::orgqr(rows, height, few, q.data(), tau.data());
        }
        put(q.data(), rows, dtype, output(args, 0, Dims{rows, height}));
    });
}

void LeastSquares::perform(PerformArgs &args) const
{
    const View &a = args.inputs[0], &b = args.inputs[1];
    if (a.shape[0] != b.shape[0])
        throw LinearAlgebraError("[lstsq] the matrix has shape " + shapeOfView(a).text() + " and the right side " + shapeOfView(b).text() +
                                 ": both have one number of rows");
    withLinear(a.dtype, [&]<class T>(DType dtype) {
        Columns<T> matrix(a, dtype), right(b, dtype);
        const int m = matrix.rows, n = matrix.columns, columns = right.columns, few = std::min(m, n), height = std::max(m, n);
        auto x = block<T>(height, columns);
        for (int j = 0; j < columns; ++j)
            std::copy_n(right.data() + static_cast<std::int64_t>(j) * m, m, x.data() + static_cast<std::int64_t>(j) * height);
        auto s = block<Real<T>>(few, 1);
        int rank = 0;
        if (few && columns) {
            wantFinite("lstsq", matrix.data(), a.size());
            wantFinite("lstsq", right.data(), b.size());
            const View &tolerance = args.inputs[2];
            double rcond = 0;
            const std::int64_t none = 0;
            copyConverted(tolerance, View{&rcond, DType::Float64, 0, &none, &none});
            wantConverged("lstsq", lapack::gelsd(m, n, columns, matrix.data(), x.data(), s.data(), static_cast<Real<T>>(rcond), &rank));
        } else {
            std::fill(x.begin(), x.end(), T(0));
        }
        Dims solved{n};
        if (b.rank == 2) solved.push_back(columns);
        put(x.data(), height, dtype, output(args, 0, solved));
        const int known = rank == n && m > n ? columns : 0;
        std::vector<Real<T>> residuals(static_cast<std::size_t>(known));
        for (int j = 0; j < known; ++j)
            for (int i = n; i < m; ++i)
                residuals[j] += std::norm(x[static_cast<std::size_t>(j) * static_cast<std::size_t>(height) + static_cast<std::size_t>(i)]);
        put(residuals.data(), known, realPart(dtype), output(args, 1, Dims{known}));
        *output(args, 2, Dims{}).template as<std::int64_t>() = rank;
        put(s.data(), few, realPart(dtype), output(args, 3, Dims{few}));
    });
}

namespace {

/// Nicholas Higham, "The scaling and squaring method for the matrix exponential revisited", 2005.
template <class T>
void exponential(int n, T *a)
{
    constexpr double kCoefficients[] = {64764752532480000.,
                                        32382376266240000.,
                                        7771770303897600.,
                                        1187353796428800.,
                                        129060195264000.,
                                        10559470521600.,
                                        670442572800.,
                                        33522128640.,
                                        1323241920.,
                                        40840800.,
                                        960960.,
                                        16380.,
                                        182.,
                                        1.};
    constexpr double kLargest = 5.371920351148152;
    const auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    double norm = 0;
    for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int i = 0; i < n; ++i)
            sum += std::abs(a[static_cast<std::size_t>(j) * static_cast<std::size_t>(n) + static_cast<std::size_t>(i)]);
        norm = std::max(norm, sum);
    }
    const int squarings = norm > kLargest ? static_cast<int>(std::ceil(std::log2(norm / kLargest))) : 0;
    for (std::size_t i = 0; i < count; ++i) a[i] *= std::ldexp(1.0, -squarings);

    const auto times = [&](const std::vector<T> &x, const std::vector<T> &y) {
        std::vector<T> result(count);
        blas().of<T>().gemm(false, false, n, n, n, T(1), x.data(), n, y.data(), n, T(0), result.data(), n);
        return result;
    };
    const std::vector<T> one(a, a + count), two = times(one, one), four = times(two, two), six = times(four, two);
    const auto terms = [&](int first) { // the powers 6, 4, 2 and, below the highest ones, 0
        std::vector<T> result(count);
        for (std::size_t i = 0; i < count; ++i)
            result[i] = kCoefficients[first] * six[i] + kCoefficients[first - 2] * four[i] + kCoefficients[first - 4] * two[i];
        if (first < 8)
            for (int i = 0; i < n; ++i) result[static_cast<std::size_t>(i) * static_cast<std::size_t>(n + 1)] += kCoefficients[first - 6];
        return result;
    };
    const auto half = [&](int parity) {
        std::vector<T> result = times(six, terms(12 + parity));
        const std::vector<T> low = terms(6 + parity);
        for (std::size_t i = 0; i < count; ++i) result[i] += low[i];
        return result;
    };
    const std::vector<T> odd = times(one, half(1)), even = half(0);
    std::vector<T> below(count), result(count);
    for (std::size_t i = 0; i < count; ++i) below[i] = even[i] - odd[i], result[i] = even[i] + odd[i];
    // The same whether rows or columns come first: everything here is made of powers of one matrix.
    std::vector<int> pivots(static_cast<std::size_t>(n));
    if (const int info = lapack::getrf(n, below.data(), pivots.data())) failSingular("expm", info);
    lapack::getrs('N', n, n, below.data(), pivots.data(), result.data());
    for (int i = 0; i < squarings; ++i) result = times(result, result);
    std::copy(result.begin(), result.end(), a);
}

} // namespace

void Expm::perform(PerformArgs &args) const
{
    const View &a = args.inputs[0];
    const int n = sizeOfSquare("expm", a);
    const View &out = output(args, 0, shapeOfView(a));
    if (n == 0) return;
    const bool isComplexMatrix = isComplex(a.dtype);
    const Tensor values = rowsOf(a, isComplexMatrix ? DType::Complex128 : DType::Float64);
    const auto run = [&]<class T>(T *elements) {
        wantFinite("expm", elements, a.size());
        exponential(n, elements);
    };
    if (isComplexMatrix) run(values.as<std::complex<double>>());
    else run(values.as<double>());
    copyConverted(values.view(), out);
}

} // namespace engine
