#include "engine/device/cpu/one_dnn_conv.h"

#include "engine/device/cpu/one_dnn.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace engine {
namespace {

constexpr std::size_t kMostPlans = 256; ///< each has code of its own

using Handle = void *;
using Status = int; ///< 0: done
using Dim = std::int64_t;

// Descriptors are only handed on: they need room, not a layout. Those of version 2.6 have below 6 KiB.
struct alignas(64) Descriptor {
    unsigned char bytes[16384] = {};
};

// Of the second version's interface, whose numbers these are.
enum { kFloat32 = 3, kAnyLayout = 1, kDirect = 1, kForwardTraining = 64, kCpu = 1, kInOrder = 1, kScratchpadOfUser = 1 };
enum { kSource = 1, kDestination = 17, kWeights = 33, kScratchpad = 80, kSourceGrad = 129, kDestinationGrad = 145, kWeightsGrad = 161 };
enum { kAskSource = 129, kAskSourceGrad, kAskWeights, kAskWeightsGrad, kAskDestination, kAskDestinationGrad, kAskScratchpad = 136 };

struct Argument {
    int place;
    Handle memory;
};

struct Library {
    Status (*engineCreate)(Handle *, int, std::size_t);
    Status (*streamCreate)(Handle *, Handle, unsigned);
    Status (*streamWait)(Handle);
    Status (*attributesCreate)(Handle *);
    Status (*attributesSetScratchpad)(Handle, int);
    Status (*byStrides)(void *, int, const Dim *, int, const Dim *);
    Status (*byTag)(void *, int, const Dim *, int, int);
    int (*equal)(const void *, const void *);
    std::size_t (*sizeOf)(const void *);
    Status (*forward)(void *, int, int, const void *, const void *, const void *, const void *, const Dim *, const Dim *, const Dim *,
                      const Dim *);
    Status (*backwardData)(void *, int, const void *, const void *, const void *, const Dim *, const Dim *, const Dim *, const Dim *);
    Status (*backwardWeights)(void *, int, const void *, const void *, const void *, const void *, const Dim *, const Dim *, const Dim *,
                              const Dim *);
    Status (*describe)(Handle *, const void *, Handle, Handle, Handle);
    const void *(*ask)(Handle, int, int);
    Status (*reorder)(Handle *, const void *, Handle, const void *, Handle, Handle);
    Status (*primitiveCreate)(Handle *, Handle);
    Status (*execute)(Handle, Handle, int, const Argument *);
    Status (*memoryCreate)(Handle *, const void *, Handle, void *);
    Status (*memoryDestroy)(Handle);
    Handle engine = nullptr, attributes = nullptr;

    bool load(void *library)
    {
        const auto find = [&](const char *name, auto &function) {
            function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
            return function != nullptr;
        };
        return find("dnnl_engine_create", engineCreate) && find("dnnl_stream_create", streamCreate) &&
               find("dnnl_stream_wait", streamWait) && find("dnnl_primitive_attr_create", attributesCreate) &&
               find("dnnl_primitive_attr_set_scratchpad_mode", attributesSetScratchpad) &&
               find("dnnl_memory_desc_init_by_strides", byStrides) && find("dnnl_memory_desc_init_by_tag", byTag) &&
               find("dnnl_memory_desc_equal", equal) && find("dnnl_memory_desc_get_size", sizeOf) &&
               find("dnnl_dilated_convolution_forward_desc_init", forward) &&
               find("dnnl_dilated_convolution_backward_data_desc_init", backwardData) &&
               find("dnnl_dilated_convolution_backward_weights_desc_init", backwardWeights) &&
               find("dnnl_primitive_desc_create", describe) && find("dnnl_primitive_desc_query_md", ask) &&
               find("dnnl_reorder_primitive_desc_create", reorder) && find("dnnl_primitive_create", primitiveCreate) &&
               find("dnnl_primitive_execute", execute) && find("dnnl_memory_create", memoryCreate) &&
               find("dnnl_memory_destroy", memoryDestroy) && engineCreate(&engine, kCpu, 0) == 0 && attributesCreate(&attributes) == 0 &&
               attributesSetScratchpad(attributes, kScratchpadOfUser) == 0;
    }
};

/// Null where it is not wanted or has another interface.
const Library *library()
{
    static const Library *const loaded = []() -> const Library * {
        void *const found = oneDnn() ? dlopen("libdnnl.so.2", RTLD_NOW | RTLD_LOCAL) : nullptr;
        static Library functions;
        return found && functions.load(found) ? &functions : nullptr;
    }();
    return loaded;
}

Handle stream(const Library &dnn)
{
    thread_local Handle mine = nullptr;
    if (!mine && dnn.streamCreate(&mine, dnn.engine, kInOrder)) mine = nullptr;
    return mine;
}

/// Floats that nobody else uses while they are needed, on this thread.
float *scratch(std::size_t which, std::size_t bytes)
{
    struct Free {
        void operator()(void *memory) const { std::free(memory); }
    };
    thread_local std::array<std::pair<std::unique_ptr<void, Free>, std::size_t>, 4> blocks;
    auto &[memory, size] = blocks[which];
    if (size < bytes) {
        memory.reset(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
        size = bytes;
    }
    return static_cast<float *>(memory.get());
}

/// One convolution of known sizes, in the layouts that oneDNN likes, and the ways into them and out.
class Plan {
public:
    Plan(const Library &dnn, const OneDnnConvolution &of) : m_dnn(dnn)
    {
        const int skipped = of.in[0] == 1 && of.kernel[0] == 1 && of.out[0] == 1 && of.before[0] == 0 && of.after[0] == 0;
        const auto spatial = [&](const OneDnnConvolution::Sizes &sizes, Dim first, Dim second) {
            std::vector<Dim> dims{first, second};
            dims.insert(dims.end(), sizes.begin() + skipped, sizes.end());
            return dims;
        };
        const auto axes = [&](OneDnnConvolution::Sizes sizes, Dim less) {
            for (Dim &size : sizes) size -= less;
            return std::vector<Dim>(sizes.begin() + skipped, sizes.end());
        };
        const std::vector<Dim> image = spatial(of.in, of.images, of.channels), kernels = spatial(of.kernel, of.filters, of.channels),
                               out = spatial(of.out, of.images, of.filters);
        const std::vector<Dim> stride = axes(of.stride, 0), dilation = axes(of.dilation, 1), before = axes(of.before, 0),
                               after = axes(of.after, 0);
        const std::unique_ptr<Descriptor> source = anyLayout(image), weights = anyLayout(kernels), destination = anyLayout(out),
                                          work = std::make_unique<Descriptor>();
        Handle forward = nullptr;
        if (dnn.forward(work.get(), kForwardTraining, kDirect, source.get(), weights.get(), nullptr, destination.get(), stride.data(),
                        dilation.data(), before.data(), after.data()) ||
            dnn.describe(&forward, work.get(), dnn.attributes, dnn.engine, nullptr))
            return;
        m_description = forward;
        if (of.pass == OneDnnConvolution::Pass::Image) {
            if (dnn.backwardData(work.get(), kDirect, source.get(), weights.get(), destination.get(), stride.data(), dilation.data(),
                                 before.data(), after.data()) ||
                dnn.describe(&m_description, work.get(), dnn.attributes, dnn.engine, forward))
                return;
            m_operands = {Operand{kWeights, kAskWeights, kernels},
                          {kDestinationGrad, kAskDestinationGrad, out},
                          {kSourceGrad, kAskSourceGrad, image}};
        } else if (of.pass == OneDnnConvolution::Pass::Kernels) {
            if (dnn.backwardWeights(work.get(), kDirect, source.get(), weights.get(), nullptr, destination.get(), stride.data(),
                                    dilation.data(), before.data(), after.data()) ||
                dnn.describe(&m_description, work.get(), dnn.attributes, dnn.engine, forward))
                return;
            m_operands = {Operand{kSource, kAskSource, image},
                          {kDestinationGrad, kAskDestinationGrad, out},
                          {kWeightsGrad, kAskWeightsGrad, kernels}};
        } else {
            m_operands = {Operand{kSource, kAskSource, image}, {kWeights, kAskWeights, kernels}, {kDestination, kAskDestination, out}};
        }
        if (dnn.primitiveCreate(&m_primitive, m_description)) return;
        m_scratchpad = dnn.ask(m_description, kAskScratchpad, 0);
        m_isReady = prepare(m_operands[0], true) && prepare(m_operands[1], true) && prepare(m_operands[2], false);
    }

    bool run(const float *first, const float *second, float *result) const
    {
        if (!m_isReady || !stream(m_dnn)) return false;
        const OneDnnCall alone(*oneDnn());
        float *const given[] = {const_cast<float *>(first), const_cast<float *>(second), result};
        std::array<float *, 3> placed;
        for (std::size_t i = 0; i < 3; ++i) {
            const Operand &operand = m_operands[i];
            placed[i] = operand.reorder ? scratch(i, operand.bytes) : given[i];
            if (operand.reorder && i < 2 && !reorder(operand, operand.plain.get(), given[i], operand.wanted, placed[i])) return false;
        }
        std::vector<Argument> arguments;
        bool isDone = true;
        for (std::size_t i = 0; i < 3; ++i) isDone &= add(arguments, m_operands[i].place, m_operands[i].wanted, placed[i]);
        isDone &= add(arguments, kScratchpad, m_scratchpad, scratch(3, m_dnn.sizeOf(m_scratchpad)));
        isDone = isDone && execute(m_primitive, arguments);
        release(arguments);
        const Operand &last = m_operands[2];
        return isDone && (!last.reorder || reorder(last, last.wanted, placed[2], last.plain.get(), result));
    }

private:
    struct Operand {
        Operand() = default;
        Operand(int place, int asked, std::vector<Dim> dims) : place(place), asked(asked), dims(std::move(dims)) {}
        int place = 0, asked = 0;
        std::vector<Dim> dims;
        std::unique_ptr<Descriptor> plain; ///< as the engine has it
        const void *wanted = nullptr;      ///< as oneDNN has it
        Handle reorder = nullptr;          ///< from one to the other; null: they are the same
        const void *scratchpad = nullptr;
        std::size_t bytes = 0;
    };

    std::unique_ptr<Descriptor> anyLayout(const std::vector<Dim> &dims) const
    {
        auto result = std::make_unique<Descriptor>();
        m_dnn.byTag(result.get(), static_cast<int>(dims.size()), dims.data(), kFloat32, kAnyLayout);
        return result;
    }

    bool prepare(Operand &operand, bool isRead)
    {
        std::vector<Dim> strides(operand.dims.size());
        Dim stride = 1;
        for (std::size_t i = strides.size(); i-- > 0; stride *= operand.dims[i]) strides[i] = stride;
        operand.plain = std::make_unique<Descriptor>();
        if (m_dnn.byStrides(operand.plain.get(), static_cast<int>(strides.size()), operand.dims.data(), kFloat32, strides.data()))
            return false;
        operand.wanted = m_dnn.ask(m_description, operand.asked, 0);
        if (!operand.wanted) return false;
        if (m_dnn.equal(operand.plain.get(), operand.wanted)) return true;
        operand.bytes = m_dnn.sizeOf(operand.wanted);
        const void *const from = isRead ? operand.plain.get() : operand.wanted, *const to = isRead ? operand.wanted : operand.plain.get();
        Handle description = nullptr;
        if (m_dnn.reorder(&description, from, m_dnn.engine, to, m_dnn.engine, m_dnn.attributes)) return false;
        operand.scratchpad = m_dnn.ask(description, kAskScratchpad, 0);
        return m_dnn.primitiveCreate(&operand.reorder, description) == 0;
    }

    bool add(std::vector<Argument> &arguments, int place, const void *description, float *data) const
    {
        Handle memory = nullptr;
        if (!description || m_dnn.memoryCreate(&memory, description, m_dnn.engine, data)) return false;
        arguments.push_back({place, memory});
        return true;
    }
    void release(const std::vector<Argument> &arguments) const
    {
        for (const Argument &argument : arguments) m_dnn.memoryDestroy(argument.memory);
    }
    bool execute(Handle primitive, const std::vector<Argument> &arguments) const
    {
        return m_dnn.execute(primitive, stream(m_dnn), static_cast<int>(arguments.size()), arguments.data()) == 0 &&
               m_dnn.streamWait(stream(m_dnn)) == 0;
    }
    bool reorder(const Operand &operand, const void *from, float *data, const void *to, float *result) const
    {
        std::vector<Argument> arguments;
        bool isDone = add(arguments, kSource, from, data) && add(arguments, kDestination, to, result);
        isDone = isDone && add(arguments, kScratchpad, operand.scratchpad, scratch(3, m_dnn.sizeOf(operand.scratchpad)));
        isDone = isDone && execute(operand.reorder, arguments);
        release(arguments);
        return isDone;
    }

    const Library &m_dnn;
    Handle m_description = nullptr, m_primitive = nullptr; // kept as long as the process lives
    std::array<Operand, 3> m_operands;
    const void *m_scratchpad = nullptr;
    bool m_isReady = false;
};

} // namespace

bool OneDnnConvolution::run(const float *first, const float *second, float *result) const
{
    const Library *const dnn = library();
    if (!dnn) return false;
    static std::mutex mutex; // guards plans
    static std::map<OneDnnConvolution, std::unique_ptr<const Plan>> plans;
    const Plan *plan;
    {
        const std::lock_guard lock(mutex);
        const auto found = plans.find(*this);
        if (found == plans.end() && plans.size() >= kMostPlans) return false;
        std::unique_ptr<const Plan> &kept = found == plans.end() ? plans[*this] : found->second;
        if (!kept) kept = std::make_unique<const Plan>(*dnn, *this);
        plan = kept.get();
    }
    return plan->run(first, second, result);
}

} // namespace engine
