#include "app/cli/shared/remote.h"

#include "app/cli/commands/worker.h"
#include "app/cli/shared/child.h"
#include "app/cli/shared/command.h"
#include "app/cli/shared/job.h"
#include "profiler/session/store/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

namespace app {

namespace fs = std::filesystem;

namespace {

// Statuses of the shell over there, which the script's own cannot be taken for: that one comes in a file.
enum : int { kNoCroton = 93, kNoFolder = 94, kNotUnpacked = 95, kUnreachable = 255 };

// Goes when it is left.
class TemporaryFolder {
public:
    TemporaryFolder(const std::string &in, const std::string &stem) : m_path(profiler::uniquePath(in, stem))
    {
        if (mkdir(m_path.c_str(), 0700) != 0) throw CliError("a folder cannot be made in " + in + ": " + std::strerror(errno));
    }
    ~TemporaryFolder()
    {
        std::error_code error;
        fs::remove_all(m_path, error);
    }
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;
    [[nodiscard]] const std::string &path() const { return m_path; }

private:
    std::string m_path;
};

// Where it comes to over there, from the folder of the run: as it is named here, if that is inside of this folder.
bool keepsItsPlace(const fs::path &file)
{
    return file.is_relative() && std::ranges::none_of(file.lexically_normal(), [](const fs::path &part) { return part == ".."; });
}
std::string remotePath(const std::string &file)
{
    const fs::path path(file);
    return keepsItsPlace(path) ? path.lexically_normal().string() : path.filename().string();
}

class Remote {
public:
    explicit Remote(const RemoteRequest &request) : m_request(request), m_scratch(profiler::temporaryFolder(), "croton-remote")
    {
        std::random_device random;
        for (int i = 0; i < 4; ++i) {
            char part[9];
            std::snprintf(part, sizeof part, "%08x", random());
            m_id += part;
        }
        m_folder = ".cache/croton/remote/" + m_id;
        m_name = fs::path(request.session).filename().string();
        m_ssh = request.ssh;
        // One connection for all that follows: whoever types a password does it once.
        m_shares = fs::path(m_ssh[0]).filename() == "ssh";
        if (m_shares) {
            const std::string socket = "ControlPath=" + m_scratch.path() + "/s";
            m_ssh.insert(m_ssh.end(), {"-o", "ControlMaster=auto", "-o", "ControlPersist=60", "-o", socket});
        }
    }
    ~Remote()
    {
        if (!m_shares) return;
        std::vector<std::string> words = m_ssh;
        words.insert(words.end(), {"-O", "exit", m_request.host});
        (void)run(words, "/dev/null", "/dev/null", "/dev/null");
    }

    int profile()
    {
        const std::string archive = packed();
        const std::string run = runText(fs::file_size(archive));
        int status = startWith(archive, run);
        if (status == kUnreachable)
            throw CliError(m_request.host + " cannot be reached, or the connection broke: what " + m_request.ssh[0] + " said stands above",
                           "`" + shellQuoted({m_request.ssh[0], m_request.host, "true"}) +
                               "` has to work; what a broken run recorded is in ~/" + m_folder + " over there");
        if (status == Child::kNoProgram)
            throw CliError(m_request.ssh[0] + " cannot be run here",
                           "it comes with the Debian package openssh-client, or --ssh names another");
        if (status == kNoCroton)
            throw CliError("there is no " + m_request.croton + " on " + m_request.host,
                           "install Croton there, or say where it is: --host-croton /path/to/croton");
        if (status == kNoFolder)
            throw CliError("on " + m_request.host + " there can be no folder ~/" + m_folder,
                           "is its disk full, or the home directory read-only?");
        if (status == kNotUnpacked) throw CliError("the script could not be unpacked on " + m_request.host, "is its disk full?");
        const int remoteStatus = fetch();
        (void)shell("rm -rf \"$HOME\"/" + m_folder, "/dev/null", "");
        return remoteStatus;
    }

private:
    [[nodiscard]] static int run(const std::vector<std::string> &words, const char *in, const char *out, const char *error)
    {
        return Child::of(words,
                         [&] {
                             const auto redirect = [](const char *path, int flags, int to) {
                                 if (!path) return;
                                 const int from = open(path, flags | O_CLOEXEC, 0600);
                                 if (from < 0 || dup2(from, to) < 0) _exit(126);
                             };
                             redirect(in, O_RDONLY, STDIN_FILENO);
                             redirect(out, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
                             redirect(error, O_WRONLY, STDERR_FILENO);
                         })
            .wait();
    }

    [[nodiscard]] std::vector<std::string> remoteWords(const std::string &text) const
    {
        std::vector<std::string> words = m_ssh;
        words.insert(words.end(), {m_request.host, "sh -c " + shellQuoted({text})});
        return words;
    }
    int shell(const std::string &text, const char *in, const std::string &out) const
    {
        return run(remoteWords(text), in, out.empty() ? nullptr : out.c_str(), nullptr);
    }

    // The script and what goes with it, as an archive of tar.
    std::string packed() const
    {
        const std::string archive = m_scratch.path() + "/files.tar";
        std::vector<std::string> words{"tar", "-cf", archive, "-C", fs::current_path().string()};
        std::vector<std::string> files{m_request.script};
        files.insert(files.end(), m_request.files.begin(), m_request.files.end());
        for (const std::string &file : files) {
            if (!fs::exists(file))
                throw CliError("there is no file " + file, "--with names what the script reads, as seen from this folder");
            const fs::path path = fs::absolute(file).lexically_normal();
            if (!keepsItsPlace(file)) words.insert(words.end(), {"-C", path.parent_path().string()});
            words.push_back("./" + remotePath(file));
            if (!keepsItsPlace(file)) words.insert(words.end(), {"-C", fs::current_path().string()});
        }
        const int status = run(words, "/dev/null", nullptr, nullptr);
        if (status == Child::kNoProgram)
            throw CliError("tar cannot be run here, and packs the files for " + m_request.host, "install the package tar");
        if (status != 0) throw CliError("the files for " + m_request.host + " could not be packed: what tar said stands above");
        return archive;
    }

    // The end of our side of the connection ends the run over there, as does Ctrl-C here: its recording is closed then.
    std::string runText(std::uintmax_t archiveBytes) const
    {
        std::vector<std::string> words{m_request.croton, "profile", "--quiet", "-o", m_name};
        words.insert(words.end(), m_request.options.begin(), m_request.options.end());
        words.push_back(remotePath(m_request.script));
        if (!m_request.arguments.empty()) words.push_back("--");
        words.insert(words.end(), m_request.arguments.begin(), m_request.arguments.end());
        std::ostringstream text;
        text << "command -v " << shellQuoted({m_request.croton}) << " >/dev/null 2>&1 || exit " << kNoCroton << "\n"
             << "umask 077; mkdir -p \"$HOME\"/" << m_folder << " && cd \"$HOME\"/" << m_folder << " || exit " << kNoFolder << "\n"
             << "exec 3<&0\n"
             << "head -c " << archiveBytes << " <&3 | tar -xf - || exit " << kNotUnpacked << "\n"
             << shellQuoted(words) << " </dev/null 3<&- &\n"
             << "run=$!\n"
             << "(cat <&3 >/dev/null 2>&1; kill -TERM $run 2>/dev/null) >/dev/null 2>&1 &\n"
             << "watch=$!\n"
             << "wait $run; status=$?\n"
             << "kill $watch 2>/dev/null\n"
             << "echo $status >status\n";
        return text.str();
    }

    // Runs ssh with the archive on its input, which stays open until it ends.
    int startWith(const std::string &archive, const std::string &text) const
    {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) throw CliError(std::string("no pipe can be made: ") + std::strerror(errno));
        struct sigaction ignore {
        }, interrupt{}, broken{};
        ignore.sa_handler = SIG_IGN;
        sigaction(SIGINT, &ignore, &interrupt);
        sigaction(SIGPIPE, &ignore, &broken);
        const auto asBefore = [&] {
            sigaction(SIGINT, &interrupt, nullptr);
            sigaction(SIGPIPE, &broken, nullptr);
        };
        try {
            const Child child = Child::of(remoteWords(text), [&] {
                asBefore();
                dup2(ends[0], STDIN_FILENO);
            });
            close(std::exchange(ends[0], -1));
            send(archive, ends[1]);
            const int status = child.wait();
            close(ends[1]);
            asBefore();
            return status;
        } catch (const CliError &) {
            for (const int end : ends) close(end);
            asBefore();
            throw;
        }
    }
    // Ends when the other side does; its status says why.
    static void send(const std::string &archive, int to)
    {
        std::ifstream in(archive, std::ios::binary);
        std::array<char, 65536> part;
        while (in) {
            in.read(part.data(), part.size());
            for (std::streamsize at = 0, size = in.gcount(); at < size;) {
                const ssize_t written = write(to, part.data() + at, static_cast<std::size_t>(size - at));
                if (written < 0 && errno == EINTR) continue;
                if (written < 0) return;
                at += written;
            }
        }
    }

    // The sessions, into the place of the one that was asked for; the script's status.
    int fetch() const
    {
        const std::string stay = "they stay in ~/" + m_folder + " on " + m_request.host;
        const fs::path path(m_name);
        const std::string stem = shellQuoted({path.stem().string()}), end = shellQuoted({path.extension().string()});
        const fs::path into = fs::absolute(m_request.session).parent_path();
        const TemporaryFolder folder(into.string(), ".croton-remote");
        const std::string archive = folder.path() + "/sessions.tar";
        // A run that is stopped from here closes its recording first.
        const std::string text = "cd \"$HOME\"/" + m_folder +
                                 " || exit 1\n"
                                 "i=0; while [ ! -f status ] && [ $i -lt 200 ]; do sleep 0.1; i=$((i+1)); done\n"
                                 "[ -f status ] || echo 1 >status\n"
                                 "set -- status\n"
                                 "for f in " +
                                 stem + end + "* " + stem + ".*" + end + "*; do [ -f \"$f\" ] && set -- \"$@\" \"./$f\"; done\n" +
                                 "exec tar -cf - \"$@\"\n";
        if (shell(text, "/dev/null", archive) != 0)
            throw CliError("the sessions could not be brought from " + m_request.host + " into " + into.string(),
                           "is the disk here full, or did the connection break? " + stay);
        if (run({"tar", "-xf", archive, "-C", folder.path()}, "/dev/null", nullptr, nullptr) != 0)
            throw CliError("the sessions from " + m_request.host + " could not be unpacked in " + into.string(),
                           "is the disk full? " + stay);
        int status = 1;
        std::ifstream(folder.path() + "/status") >> status;
        std::vector<fs::path> sessions;
        for (const fs::directory_entry &entry : fs::directory_iterator(folder.path()))
            if (entry.symlink_status().type() == fs::file_type::regular &&
                entry.path().filename().string().starts_with(path.stem().string()))
                sessions.push_back(entry.path());
        const bool hasIt = std::ranges::any_of(sessions, [&](const fs::path &file) { return file.filename() == m_name; });
        if (hasIt)
            for (const fs::path &file : sessions) profiler::moveFile(file.string(), (into / file.filename()).string());
        (void)fs::remove(archive);
        if (!hasIt)
            throw CliError("the script ended with status " + std::to_string(status) + " on " + m_request.host + " and left no session",
                           "what it said stands above");
        return status;
    }

    const RemoteRequest &m_request;
    TemporaryFolder m_scratch;
    std::string m_id;
    std::string m_folder; // over there, from the home directory
    std::string m_name;   // of the session, there as here
    std::vector<std::string> m_ssh;
    bool m_shares = false;
};

} // namespace

int profileRemotely(const RemoteRequest &request) { return Remote(request).profile(); }

} // namespace app
