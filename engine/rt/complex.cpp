// Complex registers: one build for every level, through the standard library.
#include "engine/rt/rt.h"

#include <cmath>
#include <complex>

extern "C" void rt_fill_complex(RtTable *table);

namespace {

using Z = std::complex<double>;

template <class F>
void unary(void *out, const void *const *in, long n)
{
    Z *o = static_cast<Z *>(out);
    const Z *a = static_cast<const Z *>(in[0]);
    for (long i = 0; i < n; ++i) o[i] = F{}(a[i]);
}
template <class F>
void binary(void *out, const void *const *in, long n)
{
    Z *o = static_cast<Z *>(out);
    const Z *a = static_cast<const Z *>(in[0]);
    const Z *b = static_cast<const Z *>(in[1]);
    for (long i = 0; i < n; ++i) o[i] = F{}(a[i], b[i]);
}
template <class F>
void toReal(void *out, const void *const *in, long n)
{
    double *o = static_cast<double *>(out);
    const Z *a = static_cast<const Z *>(in[0]);
    for (long i = 0; i < n; ++i) o[i] = F{}(a[i]);
}
template <class F>
void test(void *out, const void *const *in, long n)
{
    auto *o = static_cast<unsigned char *>(out);
    const Z *a = static_cast<const Z *>(in[0]);
    for (long i = 0; i < n; ++i) o[i] = F{}(a[i]);
}
template <class F>
void compare(void *out, const void *const *in, long n)
{
    auto *o = static_cast<unsigned char *>(out);
    const Z *a = static_cast<const Z *>(in[0]);
    const Z *b = static_cast<const Z *>(in[1]);
    for (long i = 0; i < n; ++i) o[i] = F{}(a[i], b[i]);
}
template <class F>
void fromPair(void *out, const void *const *in, long n)
{
    Z *o = static_cast<Z *>(out);
    const auto *a = static_cast<const double *>(in[0]);
    const auto *b = static_cast<const double *>(in[1]);
    for (long i = 0; i < n; ++i) o[i] = F{}(a[i], b[i]);
}
void choose(void *out, const void *const *in, long n)
{
    Z *o = static_cast<Z *>(out);
    const auto *c = static_cast<const unsigned char *>(in[0]);
    const Z *a = static_cast<const Z *>(in[1]);
    const Z *b = static_cast<const Z *>(in[2]);
    for (long i = 0; i < n; ++i) o[i] = c[i] ? a[i] : b[i];
}

template <bool product>
void fold(const void *data, long n, void *acc)
{
    const Z *x = static_cast<const Z *>(data);
    Z value = *static_cast<Z *>(acc);
    for (long i = 0; i < n; ++i) value = product ? value * x[i] : value + x[i];
    *static_cast<Z *>(acc) = value;
}
template <bool product>
void foldEach(const char *data, long rows, long stride, long n, void *acc)
{
    for (long r = 0; r < rows; ++r) fold<product>(data + r * stride, n, static_cast<Z *>(acc) + r);
}
template <bool product>
void foldRows(const char *data, long rows, long stride, long columns, void *result)
{
    Z *acc = static_cast<Z *>(result);
    for (long r = 0; r < rows; ++r) {
        const Z *x = reinterpret_cast<const Z *>(data + r * stride);
        for (long j = 0; j < columns; ++j) acc[j] = product ? acc[j] * x[j] : acc[j] + x[j];
    }
}

#define FN1(expression) decltype([](Z a) { return expression; })
#define FN2(expression) decltype([](Z a, Z b) { return expression; })
#define FND(expression) decltype([](double a, double b) { return expression; })

} // namespace

extern "C" void rt_fill_complex(RtTable *t)
{
    const auto set = [&](RtOp op, RtLoop loop) { t->loops[op][RT_COMPLEX] = loop; };
    set(RT_ADD, binary<FN2(a + b)>);
    set(RT_SUB, binary<FN2(a - b)>);
    set(RT_MUL, binary<FN2(a * b)>);
    set(RT_TRUE_DIV, binary<FN2(a / b)>);
    set(RT_POW, binary<FN2(std::pow(a, b))>);
    set(RT_NEG, unary<FN1(-a)>);
    set(RT_INV, unary<FN1(1.0 / a)>);
    set(RT_SQR, unary<FN1(a * a)>);
    set(RT_SQRT, unary<FN1(std::sqrt(a))>);
    set(RT_COPY, unary<FN1(a)>);
    set(RT_CONJ, unary<FN1(std::conj(a))>);
    set(RT_EXP, unary<FN1(std::exp(a))>);
    set(RT_EXP2, unary<FN1(std::exp(a * 0.69314718055994530942))>);
    set(RT_EXPM1, unary<FN1(std::exp(a) - 1.0)>);
    set(RT_LOG, unary<FN1(std::log(a))>);
    set(RT_LOG2, unary<FN1(std::log(a) / 0.69314718055994530942)>);
    set(RT_LOG10, unary<FN1(std::log10(a))>);
    set(RT_LOG1P, unary<FN1(std::log(1.0 + a))>);
    set(RT_SIGMOID, unary<FN1(1.0 / (1.0 + std::exp(-a)))>);
    set(RT_SIN, unary<FN1(std::sin(a))>);
    set(RT_COS, unary<FN1(std::cos(a))>);
    set(RT_TAN, unary<FN1(std::tan(a))>);
    set(RT_SINH, unary<FN1(std::sinh(a))>);
    set(RT_COSH, unary<FN1(std::cosh(a))>);
    set(RT_TANH, unary<FN1(std::tanh(a))>);
    set(RT_ASIN, unary<FN1(std::asin(a))>);
    set(RT_ACOS, unary<FN1(std::acos(a))>);
    set(RT_ATAN, unary<FN1(std::atan(a))>);
    set(RT_ASINH, unary<FN1(std::asinh(a))>);
    set(RT_ACOSH, unary<FN1(std::acosh(a))>);
    set(RT_ATANH, unary<FN1(std::atanh(a))>);
    // A direction of length one, as NumPy's sign does for complex numbers from version 2 on; zero stays zero.
    set(RT_SGN, unary<FN1((a == Z(0) ? a : a / std::abs(a)))>);
    set(RT_EQ, compare<FN2(a == b)>);
    set(RT_NEQ, compare<FN2(a != b)>);
    set(RT_ISNAN, test<FN1((a.real() != a.real() || a.imag() != a.imag()))>);
    set(RT_ISINF, test<FN1((std::isinf(a.real()) || std::isinf(a.imag())))>);
    set(RT_ABS, toReal<FN1(std::abs(a))>);
    set(RT_REAL, toReal<FN1(a.real())>);
    set(RT_IMAG, toReal<FN1(a.imag())>);
    set(RT_ANGLE, toReal<FN1(std::arg(a))>);
    set(RT_SWITCH, choose);
    // These take real arguments.
    t->loops[RT_COMPLEX_FROM_PAIR][RT_F64] = fromPair<FND(Z(a, b))>;
    t->loops[RT_COMPLEX_FROM_POLAR][RT_F64] = fromPair<FND(Z(a * std::cos(b), a * std::sin(b)))>;
    t->folds[RT_SUM][RT_COMPLEX] = fold<false>;
    t->folds[RT_PROD][RT_COMPLEX] = fold<true>;
    t->foldEach[RT_SUM][RT_COMPLEX] = foldEach<false>;
    t->foldEach[RT_PROD][RT_COMPLEX] = foldEach<true>;
    t->foldRows[RT_SUM][RT_COMPLEX] = foldRows<false>;
    t->foldRows[RT_PROD][RT_COMPLEX] = foldRows<true>;
}
