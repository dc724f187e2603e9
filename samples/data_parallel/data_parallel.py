"""Least squares on several processes: each has a share of the rows, and after each step they add up their gradients by MPI.

Started alone it is one process with all rows:  croton run data_parallel.py
With four:  croton profile --launch "mpirun -n 4" data_parallel.py
"""
import numpy as np
import theano
import theano.tensor as T

try:
    from mpi4py import MPI
    comm = MPI.COMM_WORLD
    rank, ranks = comm.Get_rank(), comm.Get_size()
except ImportError:
    comm, rank, ranks = None, 0, 1

ROWS, FEATURES, STEPS, RATE = 20000, 200, 400, 0.5

rng = np.random.RandomState(0)
true = rng.randn(FEATURES)
data = rng.randn(ROWS, FEATURES)
target = data.dot(true) + 0.1 * rng.randn(ROWS)

# The last process has two shares, as happens where rows are dealt out by whole files.
first = rank * ROWS // (ranks + 1)
last = ROWS if rank == ranks - 1 else (rank + 1) * ROWS // (ranks + 1)

x = theano.shared(data[first:last], name="x")
y = theano.shared(target[first:last], name="y")
w = theano.shared(np.zeros(FEATURES), name="w")

cost = T.sum(T.log(T.cosh(T.dot(x, w) - y))) / ROWS
share = theano.function([], [cost, T.grad(cost, w)], name="share")

g = T.dvector("g")
step = theano.function([g], updates=[(w, w - RATE * g)], name="step")

for number in range(STEPS):
    own_cost, own_gradient = share()
    whole = np.append(own_gradient, own_cost)
    if comm is not None:
        comm.Allreduce(MPI.IN_PLACE, whole)  # all wait here for the one that has most to do
    step(whole[:-1])

if rank == 0:
    print("processes: %d" % ranks)
    print("cost: %.6f" % whole[-1])
    print("farthest from the truth: %.4f" % abs(w.get_value() - true).max())
