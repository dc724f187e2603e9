// Functions that neither C nor its library has, for one double. The loops for other dtypes convert around them.
#pragma once

namespace engine::special {

double floorDivide(double a, double b); ///< Python's //
double modulo(double a, double b);      ///< Python's %, sign of the divisor
double sigmoid(double x);
double softplus(double x);
double ultraFastSigmoid(double x);
double erfcx(double x);
double erfinv(double x);
double erfcinv(double x);
double psi(double x);
double trigamma(double x);
double gammaLowerRegularized(double a, double x); ///< P(a, x)
double gammaUpperRegularized(double a, double x); ///< Q(a, x)
double chi2sf(double x, double degrees);
double besselJ(double order, double x);
double besselI(double order, double x);
double roundHalfToEven(double x);
double xlogx(double x);
double xlogy0(double x, double y);

} // namespace engine::special
