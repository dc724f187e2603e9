// Small helpers of the running parts: dense operands, sizes, loops over outer and inner positions.
#pragma once

#include "engine/runtime/thunks/thunk.h"
#include "engine/tensor/convert.h"
#include "engine/tensor/errors.h"

#include <string>
#include <vector>

namespace engine {

inline Dims shapeOfView(const View &view) { return Dims(std::span(view.shape, static_cast<std::size_t>(view.rank))); }

/// Output `index`, allocated now if its size was not known before.
inline const View &output(PerformArgs &args, int index, const Dims &shape)
{
    View &view = args.outputs[index];
    if (!view.data) args.allocate(index, shape);
    else if (!(shapeOfView(view) == shape))
        throw InternalError("an output of shape " + shapeOfView(view).text() + " was planned, but the op makes " + shape.text());
    return view;
}

/// The elements of a view as a dense C-ordered array of T (dtype `dtype`); copies only where they are not one already.
template <class T>
class Dense {
public:
    Dense(const View &view, DType dtype)
    {
        if (view.dtype == dtype && view.isContiguous()) {
            m_data = view.as<T>();
            return;
        }
        m_copy = Tensor::empty(dtype, shapeOfView(view));
        copyConverted(view, m_copy.view());
        m_data = m_copy.as<T>();
    }
    const T *data() const { return m_data; }
    const T &operator[](std::int64_t i) const { return m_data[i]; }

private:
    Tensor m_copy;
    const T *m_data = nullptr;
};

/// A dense array to write into; finish() puts it into the view where the view is not dense itself.
template <class T>
class DenseOutput {
public:
    DenseOutput(const View &view, DType dtype) : m_view(view)
    {
        m_direct = view.dtype == dtype && view.isContiguous();
        if (!m_direct) m_copy = Tensor::empty(dtype, shapeOfView(view));
        m_data = m_direct ? view.as<T>() : m_copy.as<T>();
    }
    T *data() const { return m_data; }
    T &operator[](std::int64_t i) const { return m_data[i]; }
    void finish()
    {
        if (!m_direct) copyConverted(m_copy.view(), m_view);
    }

private:
    View m_view;
    Tensor m_copy;
    T *m_data = nullptr;
    bool m_direct = false;
};

/// Calls f.template operator()<T>(dtype) with float or double: what the floats of `dtype` are computed in.
template <class F>
decltype(auto) withFloat(DType dtype, F &&f)
{
    if (dtype == DType::Float64) return f.template operator()<double>(DType::Float64);
    return f.template operator()<float>(DType::Float32);
}

/// Calls f.template operator()<bytes>() where a copy of so many bytes is a few instructions; false: it is not.
template <class F>
bool withFewBytes(std::size_t bytes, F &&f)
{
    switch (bytes) {
    case 1: f.template operator()<1>(); return true;
    case 2: f.template operator()<2>(); return true;
    case 4: f.template operator()<4>(); return true;
    case 8: f.template operator()<8>(); return true;
    case 12: f.template operator()<12>(); return true;
    case 16: f.template operator()<16>(); return true;
    case 24: f.template operator()<24>(); return true;
    case 32: f.template operator()<32>(); return true;
    case 64: f.template operator()<64>(); return true;
    default: return false;
    }
}

inline Dense<std::int64_t> integers(const View &view) { return Dense<std::int64_t>(view, DType::Int64); }

} // namespace engine
