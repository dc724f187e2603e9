// Products of small matrices and vectors in a loop.
#include "engine/codegen/loop_writer.h"
#include "engine/codegen/scalar_text.h"
#include "engine/scalar/registers.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace engine {
namespace {

constexpr std::int64_t kMostMultiplied = 216; // multiply-adds that are written one by one
constexpr std::int64_t kMostProduct = 4096;   // that loops of a kernel do as fast as a library
constexpr std::int64_t kMostMatrix = 32768;   // beside a vector: several threads share more

// One of the run time's functions in the list of what a kernel calls.
template <class Function>
RtLoop inList(Function function)
{
    return reinterpret_cast<RtLoop>(reinterpret_cast<void (*)()>(function));
}

} // namespace

std::string LoopWriter::multiplyAdd(DType dtype, const std::string &a, const std::string &b, const std::string &sum) const
{
    if (!rt_table()->fusesMultiplyAdd) return sum + " + " + a + " * " + b;
    return std::string("__builtin_fma") + (dtype == DType::Float32 ? "f" : "") + "(" + a + ", " + b + ", " + sum + ")";
}

bool LoopWriter::writeProduct(const Product &product)
{
    const DType dtype = output(0).dtype;
    if (dtype != DType::Float32 && dtype != DType::Float64) return false;
    const auto port = [](int i) { return static_cast<std::size_t>(i); };
    for (int i : {product.a, product.b, product.z, product.alpha, product.beta})
        if (i >= 0 && input(port(i)).dtype != dtype) return false;
    const std::size_t a = inputArray(port(product.a)), b = inputArray(port(product.b)), out = outputArray(0);
    const Dims &as = m_arrays[a].shape, &bs = m_arrays[b].shape;
    const Dims aSteps = stepsOf(a), bSteps = stepsOf(b);
    std::int64_t m = 1, n = 1, k = 1, aRow = 0, aColumn = 0, bRow = 0, bColumn = 0;
    if (product.isOuter) {
        m = as[0], n = bs[0];
        aRow = aSteps[0], bColumn = bSteps[0];
    } else {
        k = as[as.size() - 1];
        aColumn = aSteps[aSteps.size() - 1];
        if (as.size() == 2) m = as[0], aRow = aSteps[0];
        if (bs.size() == 2) n = bs[1], bColumn = bSteps[1];
        bRow = bSteps[0];
    }
    if (m * n * k == 0 || (m * n * k > kMostProduct && (product.isOuter || as.size() + bs.size() != 3))) return false;
    const auto factor = [&](int i) -> std::string {
        if (i < 0) return {};
        const std::size_t array = inputArray(port(i));
        const std::string text = load(array, m_arrays[array].offset / itemSize(array));
        return text == (dtype == DType::Float32 ? "0x1p+0f" : "0x1p+0") ? std::string() : text;
    };
    const std::string alpha = factor(product.alpha), beta = factor(product.beta);
    const std::int64_t aBase = m_arrays[a].offset / itemSize(a), bBase = m_arrays[b].offset / itemSize(b);
    const std::vector<std::int64_t> results = offsetsOf(out);
    const std::vector<std::int64_t> added = product.z < 0 ? std::vector<std::int64_t>() : offsetsOf(inputArray(port(product.z)));
    const auto finished = [&](std::size_t e, const std::string &sum) {
        std::string text = alpha.empty() ? sum : alpha + " * " + sum;
        if (product.z >= 0) {
            const std::string old = load(inputArray(port(product.z)), added[e]);
            text = (beta.empty() ? old : beta + " * " + old) + " + " + text;
        }
        return text;
    };
    const char *type = valueType(registerKind(dtype));
    const auto take = [&](const std::string &value) {
        const std::string taken = fresh("e");
        line(std::string("const ") + type + " " + taken + " = " + value + ";");
        return taken;
    };
    if (m * n * k <= kMostMultiplied) {
        Texts values;
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                std::string sum;
                for (std::int64_t p = 0; p < k; ++p) {
                    const std::string left = load(a, aBase + i * aRow + p * aColumn), right = load(b, bBase + p * bRow + j * bColumn);
                    sum = take(sum.empty() ? left + " * " + right : multiplyAdd(dtype, left, right, sum));
                }
                values.push_back(take(finished(values.size(), sum)));
            }
        for (std::size_t e = 0; e < values.size(); ++e) store(out, results[e], values[e]);
        return true;
    }
    if (!product.isOuter && as.size() + bs.size() == 3) return writeMatrixVector(product);
    if (n == 1) return false;
    const std::size_t aRoot = m_arrays[a].root, bRoot = m_arrays[b].root;
    // Where variables would have to be found by a number they go to an array first.
    const auto inMemory = [&](std::size_t array, std::size_t root) {
        if (!isScalars(root)) return "p" + std::to_string(root);
        const std::string spread = fresh("t");
        std::int64_t most = 0;
        for (std::int64_t element : m_elements[root]) {
            if (element < 0) return std::string();
            most = std::max(most, element);
        }
        line(std::string(type) + " " + spread + "[" + std::to_string(most + 1) + "];");
        for (std::int64_t element : m_elements[root]) line(spread + "[" + std::to_string(element) + "] = " + load(array, element) + ";");
        return spread;
    };
    const std::string left = inMemory(a, aRoot), right = inMemory(b, bRoot);
    if (left.empty() || right.empty()) return false;
    const std::string sums = fresh("t");
    const auto head = [](const char *i, std::int64_t count) {
        return std::string("for (long ") + i + " = 0; " + i + " < " + std::to_string(count) + "; ++" + i + ") ";
    };
    const auto at = [](std::int64_t base, const char *i, std::int64_t row, const char *j, std::int64_t column) {
        return "[" + std::to_string(base) + " + " + i + " * " + std::to_string(row) + " + " + j + " * " + std::to_string(column) + "]";
    };
    line(std::string(type) + " " + sums + "[" + std::to_string(m * n) + "] ALIGNED;");
    line(head("i", m * n) + sums + "[i] = 0;");
    const std::string la = left + at(aBase, "i", aRow, "p", aColumn), rb = right + at(bBase, "p", bRow, "j", bColumn);
    const std::string sum = sums + at(0, "i", n, "j", 1);
    line(head("i", m) + head("p", k) + "{ const " + type + " f = " + la + "; IVDEP " + head("j", n) + sum + " = " +
         multiplyAdd(dtype, "f", rb, sum) + "; }");
    // Into the result: beta and z may lie in its memory.
    if (m * n <= 16 || isScalars(m_arrays[out].root)) {
        for (std::size_t e = 0; e < results.size(); ++e) store(out, results[e], finished(e, sums + "[" + std::to_string(e) + "]"));
        return true;
    }
    const auto indexed = [&](std::size_t array) {
        const Dims steps = stepsOf(array);
        std::string text = std::to_string(m_arrays[array].offset / itemSize(array));
        if (steps.size() == 2) text += " + i * " + std::to_string(steps[0]) + " + j * " + std::to_string(steps[1]);
        else text += std::string(m > 1 ? " + i * " : " + j * ") + std::to_string(steps[0]);
        return text;
    };
    std::string value = alpha.empty() ? sum : alpha + " * " + sum;
    if (product.z >= 0) {
        const std::size_t z = inputArray(port(product.z));
        if (isScalars(m_arrays[z].root)) return false;
        const std::string old = load(z, indexed(z));
        value = (beta.empty() ? old : beta + " * " + old) + " + " + value;
    }
    line(head("i", m) + "IVDEP " + head("j", n) + "p" + std::to_string(m_arrays[out].root) + "[" + indexed(out) + "] = " + value + ";");
    return true;
}

// A matrix and a vector, by the loop that the thunk uses: the same bits.
bool LoopWriter::writeMatrixVector(const Product &product)
{
    const auto port = [](int i) { return static_cast<std::size_t>(i); };
    const std::size_t out = outputArray(0);
    const bool isLeft = input(port(product.a)).shape.size() == 2; // the matrix stands on the left
    const std::size_t matrix = inputArray(port(isLeft ? product.a : product.b)), vector = inputArray(port(isLeft ? product.b : product.a));
    const DType dtype = output(0).dtype;
    const Dims &sizes = m_arrays[matrix].shape, steps = stepsOf(matrix);
    const std::int64_t summed = sizes[isLeft ? 1 : 0], results = sizes[isLeft ? 0 : 1];
    const std::int64_t resultStep = steps[isLeft ? 0 : 1], summedStep = steps[isLeft ? 1 : 0];
    const bool areRows = summedStep == 1 && resultStep >= summed, areColumns = resultStep == 1 && summedStep >= results;
    if (results * summed > kMostMatrix || isScalars(m_arrays[matrix].root) || !(areRows || areColumns) || results == 1 || summed == 1)
        return false;
    std::string alpha = dtype == DType::Float32 ? "1.0f" : "1.0", beta;
    if (product.alpha >= 0) { // one that may be 0 or no number has rules of its own
        const LoopArray &root = m_arrays[input(port(product.alpha)).root];
        if (root.kind != LoopArray::Kind::Constant) return false;
        alpha = load(inputArray(port(product.alpha)), input(port(product.alpha)).offset / itemSize(out));
        const double value = std::strtod(alpha.front() == '(' ? alpha.c_str() + 1 : alpha.c_str(), nullptr);
        if (value == 0 || !std::isfinite(value)) return false;
    }
    if (product.beta >= 0) beta = load(inputArray(port(product.beta)), input(port(product.beta)).offset / itemSize(out)) + " * ";
    if (beta == (dtype == DType::Float32 ? "0x1p+0f * " : "0x1p+0 * ")) beta.clear();
    const char *type = valueType(registerKind(dtype));
    const auto dense = [&](std::size_t array) { // a copy that a loop reads
        const std::string copy = fresh("t");
        line(std::string(type) + " " + copy + "[" + std::to_string(m_arrays[array].shape[0]) + "] ALIGNED;");
        const std::vector<std::int64_t> offsets = offsetsOf(array);
        if (isScalars(m_arrays[array].root))
            for (std::size_t e = 0; e < offsets.size(); ++e) line(copy + "[" + std::to_string(e) + "] = " + load(array, offsets[e]) + ";");
        else
            line("for (long i = 0; i < " + std::to_string(offsets.size()) + "; ++i) " + copy +
                 "[i] = " + load(array, std::to_string(offsets[0]) + " + i * " + std::to_string(stepsOf(array)[0])) + ";");
        return copy;
    };
    const bool isThere = !isScalars(m_arrays[vector].root) && stepsOf(vector)[0] == 1;
    const std::string x =
        isThere ? "(p" + std::to_string(m_arrays[vector].root) + " + " + std::to_string(m_arrays[vector].offset / itemSize(vector)) + ")"
                : dense(vector);
    std::string y;
    if (product.z >= 0) {
        y = dense(inputArray(port(product.z)));
        if (!beta.empty())
            line("for (long i = 0; i < " + std::to_string(results) + "; ++i) " + y + "[i] = " + y + "[i] * " +
                 beta.substr(0, beta.size() - 3) + ";");
    } else {
        y = fresh("t");
        line(std::string(type) + " " + y + "[" + std::to_string(results) + "] ALIGNED;");
        line("for (long i = 0; i < " + std::to_string(results) + "; ++i) " + y + "[i] = 0;");
    }
    const RtTable *rt = rt_table();
    const RtLoop loop = dtype == DType::Float32 ? inList(areRows ? rt->gemvF32 : rt->gemvTransposedF32)
                                                : inList(areRows ? rt->gemvF64 : rt->gemvTransposedF64);
    const std::string pointer = std::string("const ") + type + " *";
    line(std::string("((void (*)(long, long, ") + type + ", " + pointer + ", long, " + pointer + ", " + type + " *))math[" +
         std::to_string(mathOf(loop)) + "])(" + std::to_string(areRows ? results : summed) + ", " +
         std::to_string(areRows ? summed : results) + ", " + alpha + ", p" + std::to_string(m_arrays[matrix].root) + " + " +
         std::to_string(m_arrays[matrix].offset / itemSize(matrix)) + ", " + std::to_string(areRows ? resultStep : summedStep) + ", " + x +
         ", " + y + ");");
    const std::vector<std::int64_t> places = offsetsOf(out);
    if (places.size() <= 16 || isScalars(m_arrays[out].root))
        for (std::size_t e = 0; e < places.size(); ++e) store(out, places[e], y + "[" + std::to_string(e) + "]");
    else
        line("for (long i = 0; i < " + std::to_string(results) + "; ++i) p" + std::to_string(m_arrays[out].root) + "[" +
             std::to_string(places[0]) + " + i * " + std::to_string(stepsOf(out)[0]) + "] = " + y + "[i];");
    return true;
}

} // namespace engine
