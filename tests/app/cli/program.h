#pragma once
// Runs a program and keeps what it said.

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace app {

struct Result {
    int status = -1;
    std::string out;
    std::string err;
};

inline std::string readFile(const std::string &path)
{
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// Output goes through files in `folder`, so nothing can block.
inline pid_t start(std::vector<std::string> words, const std::string &folder, const std::vector<std::string> &environment = {})
{
    const pid_t child = fork();
    if (child != 0) return child;
    for (const auto &[name, descriptor] : {std::pair("/out", 1), std::pair("/err", 2)}) {
        const int file = open((folder + name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(file, descriptor);
    }
    for (const std::string &variable : environment) putenv(const_cast<char *>(variable.c_str()));
    std::vector<char *> pointers;
    for (std::string &word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execvp(pointers[0], pointers.data());
    _exit(126);
}

inline Result finish(pid_t child, const std::string &folder)
{
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status), readFile(folder + "/out"), readFile(folder + "/err")};
}

inline Result run(const std::vector<std::string> &words, const std::string &folder, const std::vector<std::string> &environment = {})
{
    return finish(start(words, folder, environment), folder);
}

} // namespace app
