// What libcroton and its program croton-compile say to each other. A compiler is not our own child: the program between
// finishes its work, or clears it away, whatever becomes of us.
#pragma once

namespace engine {

/// Beside the library. Arguments: our process id, the limit in ms, how long it may go on without us in ms, the product's
/// name, the compiler and its flags. The text comes in on stdin; what the compiler says goes out on stdout.
inline constexpr const char *kCompileProgram = "croton-compile";

/// Its exit statuses.
enum CompileStatus : int { kCompiled = 0, kCompilerFailed = 1, kNotKept = 2 };

} // namespace engine
