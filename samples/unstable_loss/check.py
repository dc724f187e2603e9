import numpy


def check(said, script):
    scores, wanted = script.certain_and_wrong, script.answers
    above = scores - scores.max(axis=1, keepdims=True)
    log_probability = above - numpy.log(numpy.exp(above).sum(axis=1, keepdims=True))
    rows = numpy.arange(len(scores))
    loss = -log_probability[rows, wanted].mean()
    slope = numpy.exp(log_probability)
    slope[rows, wanted] -= 1
    for name in ("as_written", "by_hand"):
        numpy.testing.assert_allclose(said(name), loss, atol=1e-6)
        numpy.testing.assert_allclose(said("slope of " + name), slope.ravel() / len(scores), atol=1e-6)
    assert numpy.isinf(said("clipped")).all() and numpy.isnan(said("slope of clipped")).any()
    assert numpy.isinf(said("as written, without the rewrites")).all()
    assert said.text("NanGuardMode") == "Inf detected"
