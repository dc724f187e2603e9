#include "engine/runtime/device/device_product_thunk.h"

#include "engine/device/device.h"
#include "engine/runtime/device/device_windows.h"
#include "engine/tensor/convert.h"
#include "engine/tensor/errors.h"

#include <algorithm>

namespace engine {
namespace {

double numberAt(const void *address, DType dtype)
{
    return withStorageType(dtype, [&]<class T>() { return convertElement<double>(*static_cast<const T *>(address)); });
}

/// An array as a matrix that libraries take: copied first where neither of its axes is contiguous.
class ProductOperand {
public:
    ProductOperand(const SlotOperand &array, bool isColumn, bool isWritten, const std::string &name) : m_slot(array.slot)
    {
        Dims shape = array.shape, strides = array.strides;
        if (shape.rank() < 3) read(shape, strides, 0, isColumn);
        else read(shape, strides, 1, isColumn);
        if (shape.rank() == 3) {
            m_count = shape[0];
            m_matrix.distance = strides[0] / width(array);
        }
        if (settle(width(array))) return;
        ENGINE_ASSERT(!isWritten, "a product is written into an array with gaps along both axes");
        m_dense.emplace(array.device, array.dtype, shape);
        const SlotOperand copy = m_dense->in(Slot{1});
        SlotOperand source = array;
        source.slot = Slot{0};
        m_copy = copyThunk({source}, {copy}, name);
        read(shape, copy.strides, shape.rank() < 3 ? 0 : 1, isColumn);
        m_matrix.distance = shape.rank() == 3 ? copy.strides[0] / width(array) : 0;
        settle(width(array));
    }
    std::int64_t rows() const { return m_rows; }
    std::int64_t columns() const { return m_columns; }
    std::int64_t count() const { return m_count; }
    /// Is the transpose what lies there row by row?
    bool isTurned() const { return m_matrix.isTransposed; }
    MatrixProduct::Matrix matrix(Slots slots) const
    {
        MatrixProduct::Matrix result = m_matrix;
        result.address = slots[m_slot];
        if (!m_copy) return result;
        void *const own[] = {slots[m_slot], m_dense->data()};
        m_copy->run(own);
        result.address = m_dense->data();
        return result;
    }

private:
    static std::int64_t width(const SlotOperand &array) { return static_cast<std::int64_t>(sizeOf(array.dtype)); }
    void read(const Dims &shape, const Dims &strides, std::size_t first, bool isColumn)
    {
        const std::size_t rank = shape.size() - first;
        m_rows = rank == 2 ? shape[first] : rank == 1 && isColumn ? shape[first] : 1;
        m_columns = rank == 2 ? shape[first + 1] : rank == 1 && !isColumn ? shape[first] : 1;
        m_rowStep = rank == 2 ? strides[first] : rank == 1 && isColumn ? strides[first] : 0;
        m_columnStep = rank == 2 ? strides[first + 1] : rank == 1 && !isColumn ? strides[first] : 0;
    }
    bool settle(std::int64_t bytes)
    {
        const std::int64_t row = m_rowStep / bytes, column = m_columnStep / bytes;
        const auto fits = [](std::int64_t inner, std::int64_t innerSize, std::int64_t outer, std::int64_t outerSize) {
            return (inner == 1 || innerSize <= 1) && (outer >= std::max<std::int64_t>(1, innerSize) || outerSize <= 1);
        };
        if (fits(column, m_columns, row, m_rows)) {
            m_matrix.isTransposed = false;
            m_matrix.leading = std::max({row, m_columns, std::int64_t(1)});
            return true;
        }
        if (!fits(row, m_rows, column, m_columns)) return false;
        m_matrix.isTransposed = true;
        m_matrix.leading = std::max({column, m_rows, std::int64_t(1)});
        return true;
    }

    Slot m_slot;
    std::int64_t m_rows = 1, m_columns = 1, m_rowStep = 0, m_columnStep = 0, m_count = 1;
    MatrixProduct::Matrix m_matrix;
    std::optional<DeviceScratch> m_dense;
    std::unique_ptr<Thunk> m_copy;
};

class DeviceProductThunk final : public Thunk {
public:
    DeviceProductThunk(const DeviceProductOperands &operands, const std::string &name)
        : m_stream(deviceOf(operands.out->device).stream()), m_a(*operands.a, operands.isOuter, false, name),
          m_b(*operands.b, !operands.isOuter, false, name),
          m_out(*operands.out, operands.out->shape.rank() == 1 && m_b.columns() == 1, true, name)
    {
        const std::string shapes = ": " + operands.a->shape.text() + " and " + operands.b->shape.text();
        if (m_a.columns() != m_b.rows()) throw ShapeMismatch("[" + name + "] inner sizes differ" + shapes);
        if (m_out.rows() != m_a.rows() || m_out.columns() != m_b.columns())
            throw ShapeMismatch("[" + name + "] the product of shapes " + operands.a->shape.text() + " and " + operands.b->shape.text() +
                                " does not fit an array of shape " + operands.out->shape.text());
        m_product.dtype = operands.out->dtype;
        m_product.m = m_out.rows();
        m_product.n = m_out.columns();
        m_product.k = m_a.columns();
        m_product.count = m_out.count();
        if (operands.alpha) m_alpha = *operands.alpha;
        if (operands.beta) m_beta = *operands.beta;
        const SlotOperand *const z = operands.z;
        m_adds = z != nullptr;
        if (z && !(z->shape == operands.out->shape))
            throw ShapeMismatch("[" + name + "] an array of shape " + z->shape.text() + " is added to a product of shape " +
                                operands.out->shape.text());
        const bool isInPlace = z && z->root == operands.out->root && z->root != kNoSlot && z->strides == operands.out->strides;
        if (z && !isInPlace && m_product.m * m_product.n * m_product.count > 0) m_copy = copyThunk({*z}, {*operands.out}, name);
    }

    void run(Slots slots) override
    {
        if (m_product.m == 0 || m_product.n == 0 || m_product.count == 0) return;
        m_product.alpha = m_alpha ? numberAt(slots[m_alpha->slot], m_alpha->dtype) : 1;
        m_product.beta = !m_adds ? 0 : m_beta ? numberAt(slots[m_beta->slot], m_beta->dtype) : 1;
        if (m_copy && m_product.beta != 0) m_copy->run(slots);
        const MatrixProduct::Matrix a = m_a.matrix(slots), b = m_b.matrix(slots), out = m_out.matrix(slots);
        MatrixProduct product = m_product;
        product.a = a;
        product.b = b;
        product.c = out;
        if (m_out.isTurned()) {
            std::swap(product.a, product.b);
            std::swap(product.m, product.n);
            product.a.isTransposed = !product.a.isTransposed;
            product.b.isTransposed = !product.b.isTransposed;
            product.c.isTransposed = false;
        }
        m_stream.multiply(product);
    }
    bool callsLibrary() const override { return true; }

private:
    DeviceStream &m_stream;
    ProductOperand m_a, m_b, m_out;
    MatrixProduct m_product;
    std::optional<SlotOperand> m_alpha, m_beta;
    bool m_adds = false;
    std::unique_ptr<Thunk> m_copy;
};

} // namespace

std::string deviceProductProblem(DType dtype)
{
    if (dtype == DType::Float32 || dtype == DType::Float64 || dtype == DType::Float16) return {};
    return "devices multiply matrices of floats only";
}

std::unique_ptr<Thunk> deviceProductThunk(const DeviceProductOperands &operands, const std::string &name)
{
    return std::make_unique<DeviceProductThunk>(operands, name);
}

} // namespace engine
