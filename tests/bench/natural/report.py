"""What natural.py prints and writes."""
import math
import os
import pathlib
import platform
import re

PAGE = pathlib.Path(__file__).resolve().parents[3] / "resources/docs/performance.md"
HEADING = "<!-- natural rows -->\n"
BEGIN, END = "<!-- natural: %s -->\n", "<!-- /natural -->\n"


def processor():
    with open("/proc/cpuinfo") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), platform.machine())


def about(options, machine, versions):
    import croton
    return {"processor": processor(), "level": os.environ.get("CROTON_CPU_LEVEL", "best"), "threads": options.threads, "croton": croton.__version__,
            "versions": versions, "load": os.getloadavg()[0], "copies": machine.copies, "flops": machine.flops}


def micros(seconds):
    return "%.1f" % (seconds * 1e6) if seconds < 1e-3 else "%.0f" % (seconds * 1e6)


def line(result):
    head = "%-12s %-60s" % (result["theme"], result["row"])
    if "ahead" not in result:
        return head + " " + result.get("error", "no peer: %s" % result.get("missing"))
    times = result["times"]
    others = "  ".join("%s %s" % (name, micros(times[name])) for name in ("jax", "numpy", "numexpr") if name in times)
    return "%s %10s us %6.2f x best  %4.0f %% of roof  %s%s" % (
        head, micros(times["croton"]), result["ahead"], 100 * result["of roof"], others, "  ERROR " + result["error"] if "error" in result else "")


def counts(results):
    rows = [result for result in results if "ahead" in result]
    if not rows:
        return "no row was measured"
    against_jax = [result["times"]["jax"] / result["times"]["croton"] for result in rows if "jax" in result["times"]]
    mean = lambda values: math.exp(sum(map(math.log, values)) / max(1, len(values)))
    behind = sum(result["ahead"] < 1 for result in rows)
    neither = sum(result["ahead"] < 1.2 and result["of roof"] < 1 / 1.15 for result in rows)
    return ("%d rows; behind the best peer: %d; neither 1.2 ahead nor at the roof: %d; good (1.5 ahead or at the roof): %d; geometric mean %.2f "
            "(against JAX alone %.2f, behind in %d); errors: %d" % (
                len(rows), behind, neither, sum(result["good"] for result in rows), mean([result["ahead"] for result in rows]), mean(against_jax),
                sum(ratio < 1 for ratio in against_jax), sum("error" in result for result in results)))


def headline(about):
    return "%s, level %s, %d thread%s, Croton %s against %s; copies at %.0f (cache) and %.0f GB/s (memory), products at %.0f Gflop/s (float32); load %.1f" % (
        about["processor"], about["level"], about["threads"], "" if about["threads"] == 1 else "s", about["croton"],
        ", ".join("%s %s" % pair for pair in about["versions"].items()), max(speed for _, speed in about["copies"]) / 1e9,
        about["copies"][-1][1] / 1e9, about["flops"]["float32"] / 1e9, about["load"])


def sorted_rows(results):
    return sorted((result for result in results if "lost" in result), key=lambda result: -result["lost"])


def text(about, results, worst):
    lines = ["", headline(about), counts(results), "", "By what is lost:"]
    lines += [line(result) for result in sorted_rows(results)[:worst]]
    lines += [line(result) for result in results if "error" in result]
    return "\n".join(lines)


def write(about, results):
    """Puts the table into the page of performance, in the place of an older one of this machine, level and number of threads."""
    machine = "%s, level %s, %d thread%s" % (about["processor"], about["level"], about["threads"], "" if about["threads"] == 1 else "s")
    rows = sorted_rows(results)
    table = "\n### %s\n\n%s.\n%s.\n\n```text\n%s\n```\n" % (machine, headline(about), counts(results), "\n".join(line(result) for result in rows))
    begin, text = BEGIN % machine, PAGE.read_text()
    section = begin + table + END
    old = re.compile(re.escape(begin) + ".*?" + re.escape(END), re.DOTALL)
    if old.search(text):
        text = old.sub(lambda _: section, text)
    else:
        text = text.replace(HEADING, HEADING + "\n" + section, 1)
    PAGE.write_text(text)
