"""Graphs: variables, applies, ops, types."""
from croton.gof import utils
from croton.gof.errors import InconsistencyError, MethodNotDefined, MissingInputError
from croton.gof.graph import view_roots
from croton.gof.graph import (Apply, Constant, Node, SharedVariableBase, Variable, ancestors, clone,
                              clone_get_equiv, general_toposort, graph_inputs, io_toposort, list_of_nodes, orphans, stack_search,
                              variables, variables_and_orphans)
from croton.gof.graph import graph_inputs as inputs
from croton.gof.link import Container
from croton.gof.sched import sort_apply_nodes, sort_schedule_fn
from croton.gof.op import CLinkerOp, Op, PureOp, ops_with_inner_function
from croton.gof.c_files import COp, ExternalCOp, OpenMPOp
from croton.gof.c_types import CLinkerObject, CLinkerType, HideC
from croton.gof.type import Generic, PureType, SingletonType, Type, generic
from croton.gof.compare import is_same_graph
from croton.gof.utils import hashtype, object2
from croton.gof.enums import CDataType, CEnumType, EnumList, EnumType
from croton.gof.params_type import Params, ParamsType
from croton.gof.user_op import default_shapes
from croton.gof.fg import CachedConstantError, FunctionGraph
from croton.gof.destroyhandler import DestroyHandler
from croton.gof.opt import (EquilibriumOptimizer, LocalOptGroup, LocalOptimizer, NavigatorOptimizer, OpKeyOptimizer, Optimizer, SeqOptimizer,
                            TopoOptimizer, in2out, inplace_optimizer, local_optimizer, optimizer, out2in)
from croton.gof.merge import MergeOptimizer, pre_constant_merge, pre_greedy_local_optimizer
from croton.gof import stack_traces  # noqa: F401
from croton.gof.patterns import OpRemove, OpSub, PatternSub
from croton.gof.optdb import DB, EquilibriumDB, LocalGroupDB, ProxyDB, Query, SequenceDB
from croton.gof.toolbox import (AlreadyThere, Bookkeeper, Feature, History, NodeFinder, NoOutputFromInplace, PreserveNames,
                                PreserveVariableAttributes, PrintListener, ReplacementDidntRemovedError, ReplaceValidate, Validator)
from croton.gof import destroyhandler, driven, fg, graph, link, null_type, op, opt, optdb, sched, toolbox, type
