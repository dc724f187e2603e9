"""Rewrites of loops, by the names and the classes that Theano has for them."""
from croton.compile.rewriting import engine_rewrite

_CLASSES = {"remove_constants_and_unused_inputs_scan": "scanOp_remove_constants_and_unused_inputs0",
            "PushOutNonSeqScan": "scanOp_pushout_nonseqs_ops", "PushOutSeqScan": "scanOp_pushout_seqs_ops",
            "ScanInplaceOptimizer": "scanOp_make_inplace", "ScanSaveMem": "scanOp_save_mem",
            "ScanMerge": "scanOp_merge", "PushOutScanOutput": "scanOp_pushout_output"}


def __getattr__(name):
    return engine_rewrite("theano.scan_module.scan_opt", name, _CLASSES.get(name))
