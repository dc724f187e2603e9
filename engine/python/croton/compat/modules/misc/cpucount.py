"""How many processors there are."""
import os


def cpuCount():
    return len(os.sched_getaffinity(0))
