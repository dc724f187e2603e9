// CUDA's compiler, which needs no card. Loaded by hand: a machine without it builds and runs the tests, too.
#pragma once

#include <dlfcn.h>
#include <string>
#include <vector>

class Nvrtc {
public:
    Nvrtc()
    {
        for (const char *name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"})
            if (!m_library) m_library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    bool isThere() const { return m_library; }
    /// What the compiler says; empty: it took it.
    std::string compile(const std::string &text, const char *target) const
    {
        void *program = nullptr;
        call<int(void **, const char *, const char *, int, const char *const *, const char *const *)>("nvrtcCreateProgram")(
            &program, text.c_str(), "kernel.cu", 0, nullptr, nullptr);
        const std::string architecture = std::string("--gpu-architecture=") + target;
        const char *const options[] = {architecture.c_str(), "-fmad=false", "--ptxas-options=-O0"}; // its speed is nothing to these tests
        const int failed = call<int(void *, int, const char *const *)>("nvrtcCompileProgram")(program, 3, options);
        std::size_t size = 0;
        call<int(void *, std::size_t *)>("nvrtcGetProgramLogSize")(program, &size);
        std::string log(size, ' ');
        call<int(void *, char *)>("nvrtcGetProgramLog")(program, log.data());
        call<int(void **)>("nvrtcDestroyProgram")(&program);
        return failed ? log : std::string();
    }

private:
    template <class Function>
    Function *call(const char *name) const
    {
        return reinterpret_cast<Function *>(dlsym(m_library, name));
    }
    void *m_library = nullptr;
};
