"""Names of Theano that Croton has not got, and what to use instead."""

_ENGINE = "the engine compiles graphs; describe what the op does with perform() and grad()"
_LINKER = "functions are run by the engine; Mode(linker=…) says how, WrapLinker wraps what runs"
_C_TEXT = "C text of ops is made where they are compiled; write c_code() of an op"
_REWRITES = "the engine has rewrites of its own; `croton passes` lists them, mode.excluding(name) leaves one out, local_optimizer adds yours"
_DEVICE = "the op of theano.tensor gets its form for a device where the flag device names one"
_DNN = "use dnn_conv, dnn_pool, dnn_batch_normalization_train … of this module, or theano.tensor.nnet"
_KERNELS = "kernels are made by the engine; theano.compile.kernels takes your own"
_FLAGS = "flags are read and set by theano.config, change_flags() and THEANO_FLAGS"
_COMPILER = "the flag cxx names the compiler; `croton devices` tells what is used"
_CHECKS = "DebugMode checks each op and each rewrite, and says which one is wrong"
_LOGGER = "use logging.getLogger('theano')"
_PAGES = "theano.d3viz.d3viz writes the page, theano.printing.pydotprint a picture"
_PROFILE = "theano.ProfileStats has the times; `croton profile` records them"
_UNIFY = "PatternSub finds and replaces patterns in graphs"
_SHELL = "it was a program of Theano's makers; time your own function with profile=True"
_CONV_CLASS = "take AbstractConv2d, AbstractConv3d or their gradients"
_BN = "batch_normalization_train and batch_normalization_test are expressions here"
_INDEX = "x[…] with arrays and masks, set_subtensor and inc_subtensor build what is needed"

# module → what to use, and the names; "*": every name
_TABLE = {
    "": [(_LINKER, "Linker LocalLinker"), ("use the module logging; the logger is called theano", "disable_log_handler has_handlers"), (_COMPILER, "rpath"),
         ("the tests are run by tests/run of the sources", "test")],
    "compile.builders": [(_REWRITES, "inline_ofg_expansion")],
    "compile.debugmode": [(_CHECKS, "DataDestroyed NoDuplicateOptWarningFilter char_from_number check_eq data_destroyed")],
    "compile.function_module": [(_LINKER, "DUPLICATE NODEFAULT Supervisor alias_root check_equal convert_function_input fgraph_updated_vars get_info_on_inputs "
                                 "infer_reuse_pattern insert_deepcopy register_checker std_fgraph view_tree_set")],
    "compile.mode": [("name the rewrites by Mode(optimizer=…), including() and excluding()", "AddDestroyHandler OPT_FAST_RUN_STABLE OPT_O2 OPT_O3 exclude "
                      "instantiated_default_mode local_useless")],
    "compile.nanguardmode": [(_LOGGER, "logger"), ("NanGuardMode looks at every result by itself", "f_compute f_gpua_absmax f_gpua_max f_gpua_min pygpu_available")],
    "compile.ops": [(_ENGINE, "OutputGuard"), ("as_op makes an op of a function", "load_back"), ("use Shape_i", "shape_i_op"),
                    ("Rebroadcast takes every type that has dimensions", "expandable_types")],
    "compile.profiling": [(_LOGGER, "logger"),
                          (_PROFILE, "ScanProfileStats print_global_stats register_profiler_printer total_fct_exec_time total_graph_opt_time total_time_linker")],
    "compile": [(_PROFILE, "ScanProfileStats")],
    "compile.sharedvalue": [("theano.shared takes every value", "generic_constructor")],
    "compile.sandbox": [("theano.compile has what it had", "*")],
    "configparser": [(_FLAGS, "THEANO_FLAGS count newp p_out param rc var"),
                     (_FLAGS, "ContextsParam DeviceParam check_mkl_openmp compiledir_format_dict compiledir_format_keys default_base_compiledir default_blas_ldflags "
                      "default_compiledir default_compiledir_format default_compiledirname default_cuda_include default_dnn_base_path default_dnn_bin_path "
                      "default_dnn_inc_path default_dnn_lib_path default_openmp deprecated_gpuarray_sync filter_base_compiledir filter_compiledir filter_mode "
                      "filter_vm_lazy floatX_convert gcc_version_str get_cuda_root get_home_dir good_seed_param is_valid_check_preallocated_output_param "
                      "mingw_w64_gcc safe_no_dnn_algo_bwd safe_no_dnn_workmem safe_no_dnn_workmem_bwd short_platform split_version try_blas_flag warn_cxx "
                      "warn_default SUPPORTED_DNN_CONV_ALGO_BWD_DATA SUPPORTED_DNN_CONV_ALGO_BWD_FILTER SUPPORTED_DNN_CONV_ALGO_FWD "
                      "SUPPORTED_DNN_CONV_ALGO_RUNTIME SUPPORTED_DNN_CONV_PRECISION THEANO_FLAGS_DICT TheanoConfigWarning config_files "
                      "config_files_from_theanorc fetch_val_for_key get_config_hash parse_config_string theano_cfg theano_raw_cfg")],
    "d3viz": [(_PAGES, "replace_patterns safe_json")],
    "d3viz.formatting": [(_PAGES, "apply_label apply_profile broadcastable_to_str dict_to_pdnode dtype_to_char type_to_str var_label var_tag")],
    "gof": [(_LINKER, "Linker LocalLinker"), (_REWRITES, "CheckStackTraceOptimization"), (_C_TEXT, "get_module_cache get_persistent_module_cache"),
            ("errors of a run name their apply by themselves", "raise_with_op")],
    "gof.callcache": [("pickle results, or use functools.lru_cache", "*")],
    "gof.cc": [(_C_TEXT, "CodeBlock apply_policy code_gen failure_code failure_code_init get_c_cleanup get_c_declare get_c_extract get_c_extract_out "
               "get_c_init get_c_sync get_module_cache get_nothing get_persistent_module_cache run_cthunk struct_gen struct_variable_codeblocks")],
    "gof.cmodule": [(_COMPILER, "*")], "gof.cutils": [(_ENGINE, "*")], "gof.lazylinker_c": [(_ENGINE, "*")],
    "gof.compiledir": [("`croton cache` shows, bounds and clears what was compiled", "*")],
    "gof.compilelock": [("locks of the cache are the system's and go with their process", "*")],
    "gof.destroyhandler": [("DestroyHandler says what may be overwritten", "ProtocolError fast_inplace_check")],
    "gof.graph": [("ops without parameters have no params", "NoParams"), ("the journal of a function counts applies", "nodes_constructed")],
    "gof.link": [(_LINKER, "Linker LocalLinker add_clear_storage gc_helper log_thunk_trace map_storage streamline thunk_hook"),
                 ("errors of a run name their apply by themselves", "raise_with_op")],
    "gof.op": [(_ENGINE, "apply_meth debug_error_message simple_meth")],
    "gof.opt": [(_REWRITES, "GraphToGPULocalOptGroup MergeFeature Updater check_chain inherit_stack_trace merge_dict")],
    "gof.sched": [("sort_apply_nodes and posort order applies", "key_to_cmp make_depends memodict reverse_dict")],
    "gof.sync": [("use threading", "*")],
    "gof.type": [("CDataType(…).make_constant(value)", "CDataTypeConstant")],
    "gof.unify": [(_UNIFY, "*")],
    "gof.utils": [("use collections.defaultdict", "D"), ("ask isinstance(value, (int, float, str))", "simple_types"),
                  (_UNIFY, "ABORT ANY_TYPE FALL_THROUGH FAILURE Keyword RETRY comm_guard type_guard"), (_C_TEXT, "c_cpp_keywords"),
                  ("variable.tag.trace is set by the engine", "add_tag_trace simple_extract_stack"), ("use collections.Counter", "hist"),
                  ("use theano.gof.graph.general_toposort", "toposort")],
    "gof.vm": [(_LOGGER, "logger"), (_LINKER, "CVM Loop LoopGC Stack VM calculate_reallocate_info")],
    "gpuarray": [(_LOGGER, "error info"), ("use variable.transfer(device)", "transfer"),
                 (_DEVICE, "GpuAdvancedIncSubtensor1 GpuAlloc GpuAllocEmpty GpuContiguous GpuElemwise GpuEye GpuFromHost GpuIncSubtensor GpuJoin "
                  "GpuReshape GpuSplit GpuSubtensor HostFromGpu"), ("the flag device chooses it; `croton devices` lists them", "init_dev pygpu "
                  "pygpu_parse_version reg_context theano_gpu_is_already_active use"), (_REWRITES, "optdb"), ("use variable.transfer(device)", "register_transfer")],
    "gpuarray.basic_ops": [(_KERNELS, "CGpuKernelBase GpuKernelBase Kernel get_ctype get_dtype gpuarray_helper_inc_dir forward_string_meth"),
                           (_DEVICE, "GpuAlloc GpuContiguous GpuEye GpuJoin GpuReshape GpuSplit GpuToGpu GpuTri HostFromGpu empty_like gpu_join"),
                           (_PROFILE, "profile_printer")],
    "gpuarray.dnn": [("`croton devices` says whether cuDNN is there", "WIN32_CUDNN_NAMES"),
                     (_DNN, "CUDNNDataType DNN_CONV_ALGO_CHOOSE_ONCE DNN_CONV_ALGO_CHOOSE_TIME DnnBase DnnVersion GpuDnnBatchNorm GpuDnnBatchNormGrad "
                      "GpuDnnBatchNormInference GpuDnnDropoutOp GpuDnnPoolBase GpuDnnPoolDesc GpuDnnPoolGrad GpuDnnRNNGradInputs GpuDnnRNNGradWeights GpuDnnRNNOp "
                      "GpuDnnReduction GpuDnnSoftmaxBase GpuDnnSoftmaxGrad GpuDnnTransformerGradI GpuDnnTransformerGradT GpuDnnTransformerGrid "
                      "GpuDnnTransformerSampler NoCuDNNRaise as_i32 cudnn dropoutdesc_type ensure_dt get_precision gpudata_type handle_type rnndesc_type"),
                     ("write the recurrence with theano.scan", "RNNBlock"), ("multiply by MRG_RandomStreams.binomial", "dropout"),
                     ("index the image by the grid: x[:, :, rows, columns], weighted", "dnn_spatialtf"),
                     (_REWRITES, "local_abstract_batch_norm_inference_cudnn local_abstract_batch_norm_train_cudnn local_abstract_batch_norm_train_grad_cudnn "
                      "local_abstractconv3d_cudnn_alt local_abstractconv3d_cudnn_graph local_abstractconv_cudnn local_abstractconv_cudnn_alt "
                      "local_abstractconv_cudnn_graph local_abstractconv_gi_cudnn local_abstractconv_gw_cudnn local_batch_norm_inference_inplace "
                      "local_batch_norm_inplace_output local_batch_norm_inplace_running_mean local_batch_norm_inplace_running_var local_cudnn_maxandargmax "
                      "local_dnn_argmax local_dnn_conv_alpha_merge local_dnn_conv_inplace local_dnn_conv_output_merge local_dnn_convgi_inplace "
                      "local_dnn_convgw_inplace local_dnn_convi_alpha_merge local_dnn_convi_output_merge local_dnn_convw_alpha_merge "
                      "local_dnn_convw_output_merge local_dnn_reduction local_gpua_avg_pool_dnn_grad_stride local_gpua_logsoftmax_to_dnn "
                      "local_gpua_pool_dnn_alternative local_gpua_pool_dnn_grad_stride local_gpua_softmax_dnn_grad local_log_softmax_dnn local_softmax_dnn")],
    "gpuarray.type": [("leave target out", "notset"),
                      (_DEVICE, "EQ_MAP GpuArraySignature GpuArray_pickler GpuArray_unpickler "
                       "gpu_supported list_contexts move_to_gpu pygpu reg_context")],
    "ifelse": [(_REWRITES, "CondMerge acceptable_ops cond_make_inplace cond_merge_ifs_false cond_merge_ifs_true cond_merge_random_op cond_remove_identical "
                "ifelse_lift_single_if_through_acceptable_ops")],
    "misc.ordered_set": [("dictionaries and OrderedSet keep their order", "Link check_deterministic")],
    "misc.pkl_utils": [("dump and load of this module write and read files", "DEFAULT_PROTOCOL PersistentGpuArrayID load_reduce min_recursion zipadd")],
    "misc.strutil": [("use textwrap.dedent", "pretty_format strip_leading_white_space")],
    "misc.windows": [("use subprocess.run", "*")],
    "pathparse": [("use os.environ['PATH']", "*")],
    "printing": [("all is in parentheses", "VALID_ASSOC"), ("names of Greek letters are written as such", "greek special use_ascii"),
                 ("pass colorCodes to pydotprint", "default_colorCodes"), ("use min_informative_str", "position_independent_str")],
    "sandbox.blocksparse": [("use theano.tensor.nnet.blocksparse", "*")],
    "sandbox.fourier": [("use theano.tensor.fft.rfft and irfft, or theano.tensor.fourier.fft", "*")],
    "sandbox.minimal": [("derive an op of your own from theano.Op", "*")],
    "sandbox.linalg.ops": [(_LOGGER, "logger"),
                           ("matrices have no hints: call cholesky and solve_triangular where you know it", "Hint HintsFeature HintsOptimizer hints is_hint_node "
                            "is_positive is_psd is_symmetric remove_hint_nodes psd_solve_with_chol tag_solve_triangular transinv_to_invtrans "
                            "no_transpose_symmetric inv_as_solve"), (_REWRITES, "local_det_chol local_log_pow local_log_prod_sqr")],
    "sandbox.rng_mrg": [("MRG_RandomStreams draws, guess_n_streams counts streams", "A1p134 A1p72 A2p134 A2p72 DotModulo MASK12 MASK13 MASK2 MULT2 NORM matVecModM "
                         "mrg_next_value multMatVect np_int32_vals"), (_REWRITES, "mrg_random_make_inplace")],
    "scalar.basic_sympy": [("write the function of theano.scalar, or a UnaryScalarOp with impl() or c_code()", "*")],
    "scalar": [("these functions are always there", "imported_scipy_special"),
               ("theano.tensor.cast converts, and theano.scalar has the functions by their names", "BinaryBitOp Cast Compositef32 FixedLogicalComparison "
                "LogicalComparison UnaryBitOp composite_f32 convert_to_bool convert_to_complex128 convert_to_complex64 convert_to_float16 convert_to_float32 "
                "convert_to_float64 convert_to_int16 convert_to_int32 convert_to_int64 convert_to_int8 convert_to_uint16 convert_to_uint32 convert_to_uint64 "
                "convert_to_uint8 handle_cast handle_composite inopenrange round_half_away_from_zero_ round_half_away_from_zero_vec "
                "round_half_away_from_zero_vec32 round_half_away_from_zero_vec64 unary_out_lookup"),
               ("a shared number is a shared tensor without dimensions: theano.shared", "ScalarSharedVariable"),
               ("the flags cast_policy and floatX say it", "NumpyAutocaster autocast_float autocast_float_as autocast_int"),
               ("use the function of theano.tensor", "div_proxy int_or_true_div mod_check ComplexError IntegerDivisionError shared"),
               ("use upgrade_to_float or upcast_out", "float_out_nocomplex int_out int_out_nocomplex real_out same_out_float_only same_out_min8 same_out_nobool "
                "upcast_out_min8 upcast_out_no_complex"), ("use Python's own", "builtin_bool builtin_complex builtin_float builtin_int")],
    "scan_module.scan_opt": [(_LOGGER, "info warning"), (_REWRITES, "PushOutDot1 has_duplicates list_opt_slice make_equiv")],
    "scan_module.scan_op": [(_PROFILE, "profile_printer")],
    "scan_module.scan_perform": [(_ENGINE, "*")], "scan_module.scan_perform_ext": [(_ENGINE, "*")],
    "scan_module.scan_utils": [("a Scan is built by theano.scan; theano.clone(outputs, replace) replaces in graphs", "DEPRECATED_ARG Validator compress_outs "
                                "expand_empty forced_replace hash_listsDictsTuples infer_shape isNaN_or_Inf_or_None reconstruct_graph scan_args "
                                "scan_can_remove_outs traverse")],
    "sparse": [("sparse matrices are there with and without SciPy", "scipy_ver"), ("use theano.shared", "shared"),
               ("use csr_matrix, and hstack and vstack", "bsr_dmatrix bsr_fmatrix")],
    "sparse.type": [("theano.sparse.shared_constructor is theano.shared", "SparseTensorSharedVariable sparse_constructor"),
                    ("sparse matrices are there with and without SciPy", "imported_scipy")],
    "sparse.utils": [("compare m.data, m.indices and m.indptr", "*")],
    "sparse.basic": [("the gradient of an index is built where it is asked for", "CSMGrad GetItem2ListsGrad GetItemListGrad csm_grad get_item_2lists_grad "
                      "get_item_list_grad"), ("constants are equal where their values are", "SparseConstantSignature"), ("use csr_matrix, and hstack and vstack", "bsr_dmatrix bsr_fmatrix")],
    "sparse.sandbox.sp": [("use theano.tensor.nnet.conv2d and theano.tensor.signal.pool.pool_2d", "*")],
    "sparse.sandbox.truedot": [("use theano.sparse.true_dot", "*")],
    "tensor.blas": [(_REWRITES, "GemmRelated blas_opt_inplace blas_optdb check_init_y local_print_as_we_go_along res_is_a"),
                    ("products go to one library, which `croton devices` names", "fblas have_fblas ldflags")],
    "tensor.blas_c": [(_C_TEXT, "BaseBLAS check_force_gemv_init gemv_c_code ger_c_code make_c_gemv_destructive make_c_ger_destructive use_c_gemv use_c_ger")],
    "tensor.blas_headers": [(_C_TEXT, "*")], "tensor.elemwise_cgen": [(_C_TEXT, "*")], "tensor.inc_code": [(_C_TEXT, "*")],
    "tensor.blas_scipy": [("use theano.tensor.blas: products go to one library, which `croton devices` names", "*")],
    "tensor.elemwise": [("pp writes transposes by itself", "DimShufflePrinter"), ("use prod: its gradient is right where factors are 0", "ProdWithoutZeros "
                        "mul_without_zeros")],
    "tensor.basic": [("use variable.transfer(device)", "register_transfer"),
                     ("T.constant keeps small constants by itself", "constant_cache constructor isinf_ isnan_ join_ "
                     "get_scalar_constant_value_elemwises"), ("sizes are checked where it runs", "alloc_validate_shape check_equal_numpy"),
                     ("numpy.diagonal gives views", "numpy_diagonal_return_view")],
    "tensor.nnet.abstract_conv": [("for a ratio of p to q: bilinear_upsampling by p, then every q-th pixel", "frac_bilinear_upsampling"),
                                  (_CONV_CLASS, "AbstractConv AbstractConv_gradInputs AbstractConv_gradWeights BaseAbstractConv imported_scipy_signal")],
    "tensor.nnet": [("use theano.tensor.nnet.conv2d or conv3d", "ConvOp")],
    "tensor.nnet.conv": [("use theano.tensor.nnet.conv2d or conv3d", "ConvOp gen_conv_code_unroll_batch_kern imported_scipy_signal")],
    "tensor.nnet.bn": [(_BN, "AbstractBatchNormInference AbstractBatchNormTrain AbstractBatchNormTrainGrad BNComposite bn_groupopt "
                        "local_abstract_batch_norm_inference local_abstract_batch_norm_train local_abstract_batch_norm_train_grad")],
    "tensor.nnet.conv3d2d": [("conv3d of this module takes the diagonals by itself", "DiagonalSubtensor IncDiagonalSubtensor diagonal_subtensor "
                              "get_diagonal_subtensor_view inc_diagonal_subtensor local_inplace_DiagonalSubtensor")],
    "tensor.nnet.corr": [("use CorrMM of this module", "BaseCorrMM")], "tensor.nnet.corr3d": [("use Corr3dMM of this module", "BaseCorr3dMM")],
    "tensor.nnet.ctc": [("ctc() is always there", "ctc_present"), (_REWRITES, "local_ctc_no_grad")],
    "tensor.nnet.blocksparse": [("sparse_block_dot is written into place by rewrites", "sparse_block_gemv_inplace sparse_block_outer_inplace")],
    "tensor.nnet.sigm": [(_REWRITES, "compute_mul is_1pexp is_exp is_mul is_neg "
                          "parse_mul_tree partition_num_or_denom perform_sigm_times_exp register_local_1msigmoid replace_leaf simplify_mul")],
    "tensor.opt": [(_REWRITES, "ALL_REDUCE Canonizer InplaceElemwiseOptimizer MakeVectorPrinter ShapeOptimizer UnShapeOptimizer add_calculate add_canonizer "
                    "apply_local_dimshuffle_lift apply_rebroadcast_opt attempt_distribution check_for_x_over_absX distribute_greedy elemwise_max_input_fct "
                    "fuse_seqopt inplace_elemwise_optimizer local_elemwise_fusion_op is_an_upcast is_dimshuffle_useless merge_two_slices mul_calculate mul_canonizer topo_constant_folding")],
    "tensor.raw_random": [(_REWRITES, "random_make_inplace")],
    "tensor.signal.pool": [("pool_2d and pool_3d have all modes", "DownsampleFactorMaxGradGrad MaxPoolRop PoolGrad PoolingMode_t")],
    "tensor.subtensor": [("import theano.sparse", "sparse_module_ref"), (_INDEX, "as_index_variable get_idx_list make_constant "
                          "AdvancedBooleanIncSubtensor AdvancedBooleanIndexingError AdvancedBooleanSubtensor BaseAdvancedIncSubtensor "
                          "BaseAdvancedSubtensor SubtensorPrinter adv_index_broadcastable_pattern advanced_boolean_inc_subtensor advanced_boolean_set_subtensor "
                          "advanced_boolean_subtensor check_advanced_indexing_dimensions check_and_reject_bool get_canonical_form_slice")],
    "tensor.var": [("compare start, stop and step", "equal_slices")], "tensor.sharedvar": [("use pickle.load", "load_shared_variable")],
    "tensor.xlogx": [("xlogx and xlogy0 are the ops", "XlogX XlogY0 scalar_xlogx scalar_xlogy0")],
    "tensor.extra_ops": [("bartlett, fill_diagonal and fill_diagonal_offset are functions", "bartlett_ fill_diagonal_ fill_diagonal_offset_")],
    "gradient": [("name a mode: theano.compile.get_default_mode()", "mode_not_slow")],
    "tensor.io": [("mpi_cmps orders sends and receives", "mpi_keys mpi_send_wait_cmp mpi_tag_cmp"),
                  ("send, recv and mpi_send_wait_key take a communicator by themselves", "comm mpi_enabled")],
    "typed_list.opt": [(_REWRITES, "*")],
    "tensor.nnet.nnet": [("use softsign", "ScalarSoftsign scalar_softsign")],
    "tensor.nlinalg": [(_LOGGER, "logger")],
    "tensor.slinalg": [(_LOGGER, "logger message"), ("linear algebra is always there", "imported_scipy")],
    "updates": [(_LOGGER, "logger")],
    "misc.check_blas": [("execute(M=…, N=…, K=…, iters=…) times a product", "K M N arguments impl jobman_job options parser t test")],
    "sparse.opt": [("add and sub of theano.sparse take dense matrices", "AddSD_ccode")],
    "_version": [("use theano.__version__", "*")],
    "sparse.sandbox.test_sp": [("the tests are run by tests/run of the sources", "*")],
    "version": [("use theano.__version__", "FALLBACK_VERSION get_versions info")],
}
for _name in ("blas blocksparse ctc elemwise extra_ops linalg multinomial neighbours nerv nnet pool reduction rng_mrg sort subtensor").split():
    _TABLE["gpuarray." + _name] = [(_DEVICE, "*")]
for _name in ("kernel_codegen", "cudnn_defs"):
    _TABLE["gpuarray." + _name] = [(_KERNELS, "*")]
_TABLE["gpuarray.opt"] = _TABLE["gpuarray.opt_util"] = [(_REWRITES, "*")]
_TABLE["sandbox.cuda.nvcc_compiler"] = [(_COMPILER, "*")]
_TABLE["gpuarray.fft"] = [("use theano.tensor.fft.rfft and irfft", "*")]
for _name in ("buildbot_filter burn_gpu check_duplicate_key check_multi_gpu elemwise_openmp_speedup elemwise_time_test gh_api latence_gpu_transfert").split():
    _TABLE["misc." + _name] = [(_SHELL, "*")]

NAMES = {("croton." + module).rstrip("."): {name: way_out for way_out, names in entries for name in names.split()} for module, entries in _TABLE.items()}

# package → its modules of which it has all names
STARRED = {"croton.compile": ("builders", "function_module", "mode"), "croton.sparse": ("basic", "type"), "croton.tensor": ("basic", "subtensor", "type_other", "io")}

# module → names that many of Theano's modules import from it, so that scripts find them there
_HOMES = {
    "": "config gof tensor scalar gradient compile printing clone function pprint change_flags",
    "compat": "izip imap ifilter PY3 DefaultOrderedDict cmp",
    "gof": "Apply COp CLinkerObject Constant DestroyHandler EnumList EquilibriumOptimizer FunctionGraph Generic InconsistencyError MethodNotDefined Op OpenMPOp "
           "Optimizer ParamsType PureOp ReplacementDidntRemovedError SequenceDB TopoOptimizer Type Variable graph link local_optimizer null_type toolbox utils view_roots",
    "gof.graph": "equal_computations is_same_graph_with_merge io_connection_pattern is_same_graph list_of_nodes",
    "gof.op": "get_debug_values ops_with_inner_function",
    "gof.opt": "copy_stack_trace in2out",
    "gof.null_type": "NullType",
    "gof.utils": "get_variable_trace_string hashtype object2 undef",
    "compile": "Function FunctionMaker In Mode Out ProfileStats SharedVariable SymbolicInput SymbolicOutput UnusedInputError ViewOp deep_copy_op get_mode optdb "
               "orig_function pfunc rebuild_collect_shared register_mode shared shared_constructor view_op",
    "gradient": "DisconnectedType disconnected_type grad_not_implemented grad_undefined",
    "scalar": "Composite as_scalar discrete_dtypes float_dtypes get_scalar_type int64 int8",
    "misc.ordered_set": "OrderedSet",
    "printing": "debugprint",
    "scan_module": "scan_op scan_utils",
    "tensor": "NotScalarConstantError TensorType as_tensor_variable blas elemwise extra_ops nlinalg opt patternbroadcast subtensor true_div",
    "tensor.basic": "Alloc AllocEmpty Join Reshape Split addbroadcast alloc arange cast clip constant extract_constant get_scalar_constant_value get_vector_length",
    "tensor.elemwise": "CAReduce DimShuffle Elemwise",
    "tensor.nnet.abstract_conv": "assert_conv_shape get_conv_output_shape get_conv_shape_1axis",
    "tensor.opt": "Assert register_canonicalize register_specialize register_specialize_device register_stabilize",
    "tensor.subtensor": "AdvancedIncSubtensor AdvancedIncSubtensor1 AdvancedSubtensor1 IncSubtensor Subtensor advanced_inc_subtensor1 advanced_subtensor "
                        "advanced_subtensor1 set_subtensor",
    "tensor.type": "values_eq_approx_always_true values_eq_approx_remove_inf values_eq_approx_remove_inf_nan values_eq_approx_remove_nan",
    "tensor.type_other": "NoneConst",
    "tensor.utils": "hash_from_ndarray",
}
IMPORTED = {name: (home, name) for home, names in _HOMES.items() for name in names.split()}
IMPORTED.update(T=("tensor", None), scal=("scalar", None),
                bool_t=("scalar", "bool"), int_t=("scalar", "int32"), int32_t=("scalar", "int32"), uint32_t=("scalar", "uint32"))
