"""The texts of steps, as tables: @0 and @1 are the operands, M is theano.tensor or numpy."""
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
COMPLEX = ["complex64", "complex128"]

# Of one float, in both worlds: (Theano's text, NumPy's where it differs).
UNARY = [
    ("M.tanh(@0)",), ("M.sin(@0)",), ("M.cos(@0)",), ("M.arctan(@0)",), ("M.exp(-abs(@0))",), ("M.exp2(M.tanh(@0))",), ("M.expm1(M.minimum(@0, 2))",),
    ("M.log(abs(@0) + 0.5)",), ("M.log1p(abs(@0))",), ("M.log2(abs(@0) + 1)",), ("M.log10(abs(@0) + 1)",), ("M.sqrt(abs(@0) + 0.01)",),
    ("M.sinh(M.tanh(@0))",), ("M.cosh(M.tanh(@0))",), ("M.arcsin(M.tanh(@0) * 0.9)",), ("M.arccos(M.tanh(@0) * 0.9)",), ("M.arcsinh(@0)",),
    ("M.arccosh(abs(@0) + 1.5)",), ("M.arctanh(M.tanh(@0) * 0.9)",), ("M.tan(M.tanh(@0))",), ("M.deg2rad(@0)",), ("M.rad2deg(M.tanh(@0))",),
    ("-@0",), ("abs(@0)",), ("@0 ** 2",), ("@0 ** 3",), ("(abs(@0) + 0.1) ** -1.5",), ("(abs(@0) + 0.1) ** 0.5",), ("1 / (abs(@0) + 0.5)",),
    ("M.clip(@0, -1, 0.5)",), ("M.floor(@0 * 1.5)",), ("M.ceil(@0 * 1.5)",), ("M.trunc(@0)",), ("T.sgn(@0)", "numpy.sign(@0)"),
    ("T.iround(@0, 'half_to_even')", "numpy.rint(@0).astype('int64')"),
    ("T.sqr(@0)", "@0 ** 2"), ("T.inv(abs(@0) + 0.5)", "1 / (abs(@0) + 0.5)"), ("T.erf(@0)", "numpy.vectorize(math.erf, otypes='d')(@0)"),
    ("T.erfc(@0)", "numpy.vectorize(math.erfc, otypes='d')(@0)"), ("T.gammaln(abs(@0) + 0.5)", "numpy.vectorize(math.lgamma, otypes='d')(abs(@0) + 0.5)"),
    ("T.nnet.sigmoid(@0)", "0.5 * (1 + numpy.tanh(@0 * 0.5))"), ("T.nnet.softplus(@0)", "numpy.logaddexp(0, @0)"),
    ("1 / (1 + M.exp(-@0))",), ("M.log(1 + M.exp(@0))",), ("M.log(1 / (1 + M.exp(-@0)))",), ("1 - 1 / (1 + M.exp(@0))",), ("M.log(M.exp(@0) * 2)",),
    ("M.exp(@0) / (1 + M.exp(@0))",), ("T.nnet.relu(@0, 0.1)", "numpy.where(@0 > 0, @0, 0.1 * @0)"), ("T.nnet.elu(@0)", "numpy.where(@0 > 0, @0, numpy.expm1(@0))"),
    ("T.nnet.hard_sigmoid(@0)", "numpy.clip(@0 * 0.2 + 0.5, 0, 1)"), ("@0 * 2 / 2 + 1",), ("(@0 + 1) - 1",), ("@0 * 0.5 - @0 / 4",), ("0 * @0 + 3",),
    ("M.exp(M.log(abs(@0) + 1))",), ("M.isnan(@0)",), ("M.isinf(@0)",),
    ("T.gamma(M.tanh(@0) + 2)", "numpy.vectorize(math.gamma, otypes='d')(numpy.tanh(@0) + 2)"), ("T.i0(@0)", "numpy.i0(@0).reshape(@0.shape)"),
    ("T.xlogx.xlogx(abs(@0) + 0.1)", "(abs(@0) + 0.1) * numpy.log(abs(@0) + 0.1)"), ("T.specify_shape(@0 * 2, @0.shape)", "@0 * 2"),
    ("T.round(@0 * 1.5, 'half_away_from_zero')", "numpy.trunc(@0 * 1.5 + numpy.copysign(0.5, @0))"), ("inside(M, lambda x: M.tanh(x) * x, @0)",),
    ("T.nnet.binary_crossentropy(T.nnet.sigmoid(M.tanh(@0)), 0.3)", "0.3 * numpy.logaddexp(0, -numpy.tanh(@0)) + 0.7 * numpy.logaddexp(0, numpy.tanh(@0))"),
    ("M.mod(@0, 2.5)",), ("@0 // 0.7",), ("M.zeros_like(@0)",), ("M.ones_like(@0)",),
    ("T.tri(3)[0, 0] * @0", "@0 * 1.0"), ("theano.gradient.grad_clip(@0, -1e9, 1e9) * 1.0", "@0 * 1.0"), ("T.opt.Assert('always')(@0, T.ge(@0.size, 0))", "@0"),
]
# Of one integer.
DISCRETE = [("M.bitwise_xor(@0, 1)",), ("~@0",), ("abs(@0)",), ("@0 % 3",), ("@0 // 2",), ("@0 * @0",), ("@0 & 3",), ("@0 | 1",), ("M.eq(@0, 1)", "@0 == 1"),
            ("@0 > 1",), ("T.sgn(@0)", "numpy.sign(@0)"), ("T.sqr(@0)", "@0 * @0"), ("M.minimum(@0, 2)",), ("T.switch(@0 > 0, @0, 2)", "numpy.where(@0 > 0, @0, 2)")]
# Of two: what they are converted to first, #P (what both fit into) or #D (what comes out).
BINARY = [
    ("@0 + @1", "D"), ("@0 - @1", "D"), ("@0 * @1", "D"), ("@0 * @1 + @0", "D"), ("M.maximum(@0, @1)", "D"), ("M.minimum(@0, @1)", "D"),
    ("@0 / (abs(@1) + 1)", "D"), ("M.true_divide(@0, @1 * @1 + 1)", "D"), ("M.less(@0, @1)", "P"), ("@0 <= @1", "P"), ("@0 > @1", "P"), ("@0 >= @1", "P"),
    ("M.equal(@0, @1)", "P"), ("M.not_equal(@0, @1)", "P"), ("M.where(@0 > 0, @0, @1)", "D"), ("@0 ** 2 + @1 ** 2", "D"),
]
OF_FLOATS = [
    ("M.sqrt(@0 ** 2 + @1 ** 2 + 0.01)", "D"), ("M.arctan2(@0, abs(@1) + 1)", "D"), ("(abs(@0) + 0.5) ** M.tanh(@1)", "D"), ("M.mod(@0, abs(@1) + 1)", "D"),
    ("@0 / (abs(@1) + 0.5) * @1", "D"), ("@0 * @1 - @1 * @0 * 0.5", "D"), ("M.log(M.exp(@0) + M.exp(@1))", "D"), ("M.exp(@0) * M.exp(-@1)", "D"),
    ("@1 / (@0 / (abs(@1) + 1) + 20)", "D"), ("M.exp(-@0 ** 2) * @1", "D"), ("M.tanh(@0) * (1 - M.tanh(@0)) * @1", "D"),
]
IN_THEANO = {"M.true_divide": "M.true_div", "M.less(": "M.lt(", "M.equal": "M.eq", "M.not_equal": "M.neq", "M.where": "M.switch"}
# The bodies of loops. x: what comes in, h: the state one step back (h2: two), w: what is the same in all steps.
LINEAR = ["0.5 * h + x", "h - x * 0.25", "-h + x", "h + x * w", "h * w * 0.3 + x", "x * 2 + 0 * h", "h * 0.5", "M.sum(x) * 0.1 + h * 0.5"]
CURVED = ["M.tanh(h + x)", "M.tanh(h) * x + w", "M.sin(x * 0.5 + h * h * 0.1)", "h * M.tanh(x)", "x / (1 + h * h)", "M.exp(-abs(h)) + x * w", "M.maximum(h * 0.5, x)"]
TWO_BACK = ["0.5 * h - 0.3 * h2 + x", "M.tanh(h - h2) + x", "0.4 * h2 + x * w", "h2 + 0 * h - x", "h * 0.1 + M.tanh(h2) * x"]
