"""How fast products of matrices are: python .../theano/misc/check_blas.py, or execute()."""
import optparse
import os
import platform
import sys
import time

import numpy

import theano
import theano.tensor as T


def execute(execute=True, verbose=True, M=2000, N=2000, K=2000, iters=10, order="C"):
    """(seconds that the calls took, what computed them)"""
    if verbose:
        print("Some Theano flags:")
        for flag in ("blas.ldflags", "compiledir", "floatX", "device"):
            value = theano.config
            for part in flag.split("."):
                value = getattr(value, part)
            print("    %s= %s" % (flag, value))
        print("Some OS information:\n    sys.platform= %s\n    platform= %s" % (sys.platform, platform.platform()))
        print("Some environment variables:")
        for name in ("MKL_NUM_THREADS", "OMP_NUM_THREADS", "GOTO_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
            print("    %s= %s" % (name, os.getenv(name)))
        print("Numpy location: %s\nNumpy version: %s" % (numpy.__path__[0], numpy.__version__))
    floats = theano.config.floatX
    a, b, c = (theano.shared(numpy.ones(shape, dtype=floats, order=order)) for shape in ((M, N), (N, K), (M, K)))
    f = theano.function([], updates=[(c, 0.4 * c + 0.8 * T.dot(a, b))])
    if not any("Gemm" in str(node.op) for node in f.maker.fgraph.toposort()):
        raise RuntimeError("no Gemm in the graph: %s" % f.maker.fgraph.toposort())
    if not execute:
        return 0.0, "CPU"
    f()  # the first call loads what it needs
    begin = time.time()
    for _ in range(iters):
        f()
    return time.time() - begin, "CPU"


def main(arguments):
    parser = optparse.OptionParser(usage="%prog [options]\nTimes gemm on matrices of ones.")
    parser.add_option("-q", "--quiet", action="store_true", default=False, help="print only the time")
    parser.add_option("--print_only", action="store_true", default=False, help="do not time")
    for name in "MNK":
        parser.add_option("-" + name, "--" + name, type="int", default=0, help="a size of the matrices")
    parser.add_option("--iter", type="int", default=10, help="how many calls")
    parser.add_option("--order", default="C", help="C or F: how the matrices lie in memory")
    parser.add_option("-B", "--B", type="int", default=5000, help="M, N and K where they are not given")
    options, rest = parser.parse_args(arguments)
    if rest:
        parser.error("unknown: %s" % " ".join(rest))
    sizes = [getattr(options, name) or options.B for name in "MNK"]
    seconds, where = execute(not options.print_only, not options.quiet, *sizes, iters=options.iter, order=options.order)
    if options.print_only:
        return
    if options.quiet:
        print(seconds)
        return
    print("\nWe executed %d calls to gemm with a and b matrices of shapes (%d, %d) and (%d, %d)." % (options.iter, *sizes[:2], *sizes[1:]))
    print("\nTotal execution time: %.2fs on %s." % (seconds, where))


if __name__ == "__main__":
    main(sys.argv[1:])
