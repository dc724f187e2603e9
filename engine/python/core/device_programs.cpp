// Kernels of a script's own text, and copies by address: what programs for a device do by hand.
#include "engine/device/device_program.h"
#include "engine/device/offers.h"
#include "engine/python/core/array.h"
#include "engine/python/core/device.h"
#include "engine/runtime/device/device_graphs.h"
#include "engine/runtime/plan/ranges.h"

namespace python {

namespace {

using engine::Device;
using engine::ProgramArgument;

Device &deviceCalled(const std::string &name) { return engine::deviceOf(deviceNamed(name)); }

void *addressOf(std::uintptr_t number) { return reinterpret_cast<void *>(number); }

/// Bytes of whatever shows its memory.
class Bytes {
public:
    Bytes(py::handle object, bool writes)
    {
        if (PyObject_GetBuffer(object.ptr(), &m_view, writes ? PyBUF_CONTIG : PyBUF_CONTIG_RO) != 0) throw py::error_already_set();
    }
    ~Bytes() { PyBuffer_Release(&m_view); }
    Bytes(const Bytes &) = delete;
    Bytes &operator=(const Bytes &) = delete;
    char *data() const { return static_cast<char *>(m_view.buf); }
    std::size_t size() const { return static_cast<std::size_t>(m_view.len); }

private:
    Py_buffer m_view{};
};

/// An address is an int, a value its bytes; (n,): n bytes of memory that a group shares.
ProgramArgument argumentFrom(py::handle object)
{
    if (PyLong_Check(object.ptr())) return {ProgramArgument::Kind::Address, addressOf(py::cast<std::uintptr_t>(object)), {}, 0};
    if (py::isinstance<py::tuple>(object))
        return {ProgramArgument::Kind::Local, nullptr, {}, py::cast<std::size_t>(py::reinterpret_borrow<py::tuple>(object)[0])};
    const Bytes bytes(object, false);
    return {ProgramArgument::Kind::Bytes, nullptr, {bytes.data(), bytes.data() + bytes.size()}, 0};
}

/// What is given now is named by the op that gives it, or by nobody: a name that was left there is of the call before.
engine::DeviceStream &named(engine::DeviceStream &stream)
{
    if (!WithinOp::holds()) stream.tag(0);
    return stream;
}

struct OwnKernel {
    Device *device;
    std::shared_ptr<engine::DeviceProgram> program;
    std::shared_ptr<engine::BuiltKernel> kernel;

    void launch(const std::array<std::uint32_t, 3> &groups, const std::array<std::uint32_t, 3> &items, std::size_t shared,
                const py::list &arguments) const
    {
        engine::ProgramLaunch launch{groups, items, shared, {}};
        for (py::handle argument : arguments) launch.arguments.push_back(argumentFrom(argument));
        py::gil_scoped_release release;
        named(device->stream()).launchProgram(kernel, launch);
    }
};

struct OwnProgram {
    Device *device;
    std::shared_ptr<engine::DeviceProgram> program;
};

} // namespace

void addDevicePrograms(py::module_ &module)
{
    py::class_<OwnKernel>(module, "DeviceKernel").def("launch", &OwnKernel::launch).def("facts", [](const OwnKernel &self) {
        const engine::ProgramFacts facts = self.program->facts(*self.kernel);
        py::dict result;
        result["registers"] = facts.registers;
        result["shared"] = facts.sharedBytes;
        result["local"] = facts.localBytes;
        result["constant"] = facts.constantBytes;
        result["most_items"] = facts.mostItems;
        return result;
    });
    py::class_<OwnProgram>(module, "DeviceProgram")
        .def(py::init(
            [](const std::string &device, const std::string &name, const std::string &text, const std::vector<std::string> &options) {
                Device &owner = deviceCalled(device);
                py::gil_scoped_release release;
                return OwnProgram{&owner, owner.buildProgram({name, text, {}}, options)};
            }))
        .def("kernel",
             [](const OwnProgram &self, const std::string &name) {
                 return OwnKernel{self.device, self.program, self.program->kernel(name)};
             })
        .def("variable",
             [](const OwnProgram &self, const std::string &name) {
                 const auto [address, bytes] = self.program->variable(name);
                 return py::make_tuple(reinterpret_cast<std::uintptr_t>(address), bytes);
             })
        .def_property_readonly("left", [](const OwnProgram &self) { return self.program->left; });
    // Opens it beside the one that functions run on.
    module.def("open_device", [](const std::string &name) {
        Device &device = engine::openDevice(name);
        device.stream();
        return py::make_tuple(device.info().name, device.info().hardware, device.info().bytes, device.info().isSimulated);
    });
    module.def("use_device_graphs", engine::useDeviceGraphs);
    module.def("name_ranges", engine::nameRanges);
    module.def("device_graph_counts", [] {
        const engine::DeviceGraphCounts counts = engine::deviceGraphCounts();
        return py::make_tuple(counts.kept, counts.given);
    });
    module.def("device_live_bytes", [](const std::string &name) { return deviceCalled(name).liveBytes(); });
    module.def("compile_with",
               [](const std::string &name, const std::vector<std::string> &words) { return deviceCalled(name).compileWith(words); });
    // Memory of undefined contents there.
    module.def("bytes_on", [](const std::string &name, std::int64_t count) {
        return deviceArrayOf(engine::emptyOn(deviceNamed(name), engine::DType::UInt8, {count}));
    });
    module.def("copy_in", [](const std::string &name, std::uintptr_t to, const py::object &from) {
        const Bytes bytes(from, false);
        engine::DeviceStream &stream = deviceCalled(name).stream();
        py::gil_scoped_release release;
        named(stream).copyIn(addressOf(to), bytes.data(), bytes.size());
    });
    module.def("copy_out", [](const std::string &name, const py::object &to, std::uintptr_t from) {
        const Bytes bytes(to, true);
        engine::DeviceStream &stream = deviceCalled(name).stream();
        py::gil_scoped_release release;
        named(stream).copyOut(bytes.data(), addressOf(from), bytes.size());
    });
    module.def("copy_within", [](const std::string &name, std::uintptr_t to, std::uintptr_t from, std::size_t bytes) {
        engine::DeviceStream &stream = deviceCalled(name).stream();
        py::gil_scoped_release release;
        named(stream).copyWithin(addressOf(to), addressOf(from), bytes);
    });
    module.def("finish", [](const std::string &name) {
        engine::DeviceStream &stream = deviceCalled(name).stream();
        py::gil_scoped_release release;
        stream.finish();
    });
}

} // namespace python
