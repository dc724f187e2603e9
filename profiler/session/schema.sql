-- Croton session, schema 3. Additive within a major: new tables and columns may appear, nothing is
-- removed or changes its meaning; readers ignore what they do not know.
-- What there is most of holds numbers of `strings` in the place of texts; the views graph_applies, graph_variables,
-- steps and source_links show it with its texts, for queries. What there is a row an apply of stands in tables *_pages, many
-- rows in each of theirs: a JSON array with an array for each row. A view of each shows its columns, in the order in which the struct describes them.
-- In such a view, LIMIT -1 makes SQLite compute the view once and build an index for a join, where it would otherwise read pages again for
-- each row of the other side. CAST gives a whole number the type that such an index needs.
-- application_id = 0x43526f4e ("CRoN"), user_version = major * 1000 + minor: one more with each table or column that is added.
PRAGMA user_version = 3011;

-- Times are nanoseconds. *_ns of a point in time counts from the start of the session (monotonic host
-- clock); *_unix_ms is wall clock. Apply and variable ids are unique in their graph and never reused;
-- a nested graph (scan body, OpFromGraph, Composite body) has its own graph id and names its parent.

-- One row per fact about the session itself.
CREATE TABLE meta (
    key TEXT PRIMARY KEY,  -- schema, state (running, finished), created_unix_ms, croton, label, command, directory, rank, ranks (of the job),
                           -- pid, pid_start, boot, host, file_number (inode), duration_ns, exit_status, end_reason, grad_ns,
                           -- collection_ns (in Python's garbage collector), collections (how often it ran), recording_ns (what recording cost, as calibrated), simulated (devices that are none: names)
    value TEXT NOT NULL    -- as text
) WITHOUT ROWID;

-- Where the run stands; refreshed with each commit, so that a cut-off session says where it ended.
CREATE TABLE progress (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    activity TEXT NOT NULL,  -- compiling, running, script
    function INTEGER,        -- functions.id or NULL
    call INTEGER NOT NULL,   -- number of the last call known
    graph INTEGER,           -- graphs.id being compiled or NULL
    step INTEGER NOT NULL,   -- last step known, -1 = none
    time_ns INTEGER NOT NULL -- when this was true
);

-- The script that ran.
CREATE TABLE script (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    path TEXT NOT NULL,
    text TEXT NOT NULL,
    arguments TEXT NOT NULL  -- JSON array of strings
);

-- Text of every source file that a node points into.
CREATE TABLE sources (
    file TEXT PRIMARY KEY,
    text TEXT NOT NULL
) WITHOUT ROWID;

-- Configuration as in force.
CREATE TABLE flags (
    name TEXT PRIMARY KEY,  -- floatX, mode, optimizer_excluding ...
    value TEXT NOT NULL,
    origin TEXT NOT NULL    -- default, THEANO_FLAGS, CROTON_FLAGS, .theanorc, script, command line
) WITHOUT ROWID;

-- Environment variables, only those of the white list (writer.cpp).
CREATE TABLE environment (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- The machine: cpu, cores, threads, memory_bytes, blas, blas_core, os, compiler, python, numpy ...
CREATE TABLE machine (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- Measured ceilings of the machine.
CREATE TABLE roofs (
    device TEXT NOT NULL,  -- devices.name
    name TEXT NOT NULL,    -- flops.float32, bandwidth.memory, bandwidth.HtoD, launch ...
    value REAL NOT NULL,
    unit TEXT NOT NULL,    -- flop/s, B/s, ns
    PRIMARY KEY (device, name)
) WITHOUT ROWID;

-- Devices that were looked for, also absent ones.
CREATE TABLE devices (
    name TEXT PRIMARY KEY,      -- cpu, cuda0, opencl0:0
    description TEXT NOT NULL,
    available INTEGER NOT NULL, -- 0 or 1
    reason TEXT NOT NULL,       -- why it is not available
    memory_bytes INTEGER NOT NULL
) WITHOUT ROWID;

-- Clocks and what measuring costs.
CREATE TABLE clocks (
    name TEXT PRIMARY KEY,       -- host, device name
    description TEXT NOT NULL,
    resolution_ns REAL NOT NULL,
    offset_ns REAL NOT NULL,     -- added to its readings to reach the host clock
    overhead_ns REAL NOT NULL    -- cost of one measurement, as calibrated
) WITHOUT ROWID;

-- Compiled functions, in the order of creation.
CREATE TABLE functions (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    file TEXT NOT NULL,           -- where it was made
    line INTEGER NOT NULL,
    mode TEXT NOT NULL,           -- FAST_RUN, FAST_COMPILE, DebugMode ...
    linker TEXT NOT NULL,
    device TEXT NOT NULL,
    graph INTEGER,                -- graphs.id of its own graph
    state TEXT NOT NULL,          -- compiling, ready, running, failed
    created_ns INTEGER NOT NULL,
    applies_original INTEGER NOT NULL,
    applies_optimized INTEGER NOT NULL,
    step_count INTEGER NOT NULL,
    compile_ns INTEGER NOT NULL,   -- total
    graph_ns INTEGER NOT NULL,     -- clone, givens, updates
    optimizer_ns INTEGER NOT NULL,
    validate_ns INTEGER NOT NULL,  -- part of optimizer_ns
    linker_ns INTEGER NOT NULL,    -- stages, graphs inside of applies, checks: kernels and thunks are made in calls
    import_ns INTEGER NOT NULL,
    make_thunk_ns INTEGER NOT NULL,-- thunks of the first plan, made in the first call: part of call_ns
    calls INTEGER NOT NULL,
    call_ns INTEGER NOT NULL,      -- Function.__call__
    vm_ns INTEGER NOT NULL,        -- Function.fn.__call__
    thunk_ns INTEGER NOT NULL,     -- sum over applies
    first_call_ns INTEGER NOT NULL,-- point in time
    last_call_ns INTEGER NOT NULL, -- point in time, end of the last call
    warmup_calls INTEGER NOT NULL, -- calls before the last change of tier
    message TEXT,                  -- what profile='message' said, NULL = nothing
    stages INTEGER NOT NULL        -- stretches that run by a plan each: more than 1 where sizes are known only as it runs
);

-- Inputs of functions, shared variables included.
CREATE TABLE function_inputs (
    function INTEGER NOT NULL,
    position INTEGER NOT NULL,
    variable INTEGER NOT NULL, -- of functions.graph
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    kind TEXT NOT NULL,        -- input, shared
    PRIMARY KEY (function, position)
) WITHOUT ROWID;

-- Output number `output` of the graph becomes the new value of shared variable `variable`.
CREATE TABLE updates (
    function INTEGER NOT NULL,
    variable INTEGER NOT NULL,
    output INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (function, variable)
) WITHOUT ROWID;

-- Graphs. Nested ones name the apply that holds them.
CREATE TABLE graphs (
    id INTEGER PRIMARY KEY,
    function INTEGER NOT NULL,
    parent_graph INTEGER,         -- NULL: the function's own graph
    parent_apply INTEGER,
    kind TEXT NOT NULL,           -- function, composite, scan, op_from_graph
    label TEXT NOT NULL,
    step_count INTEGER NOT NULL,
    applies_original INTEGER NOT NULL,
    applies_optimized INTEGER NOT NULL,
    outputs TEXT                  -- JSON array of the variables that the optimized graph returns, in their order; NULL = not known yet
);

-- Texts that other tables and blobs name by number; 0 is the empty string.
CREATE TABLE strings (id INTEGER PRIMARY KEY, text TEXT NOT NULL);

-- Applies of the original and of the optimized graph; those in between are in rewrite_steps.edits. Bodies of Composites
-- have no rows here, in variables and in apply_inputs: they are what the edits of their step 0 build.
CREATE TABLE applies (
    graph INTEGER NOT NULL,
    apply INTEGER NOT NULL,
    op INTEGER NOT NULL,             -- exact: Elemwise{exp,no_inplace}
    friendly INTEGER NOT NULL,       -- exp
    op_class INTEGER NOT NULL,       -- theano.tensor.elemwise.Elemwise
    device INTEGER NOT NULL,
    in_original INTEGER NOT NULL,
    in_optimized INTEGER NOT NULL,
    original_index INTEGER,          -- position in the toposort of the original
    optimized_index INTEGER,         -- position in execution order: <id> of Theano's tables
    created_step INTEGER NOT NULL,   -- 0 = original
    created_phase INTEGER NOT NULL,
    created_rewrite INTEGER NOT NULL,
    fate TEXT,                       -- of an original apply: kept, replaced, merged, fused, moved, constant, dead
    label TEXT NOT NULL,             -- with inputs: CGemv{inplace}(w, ...)
    implementation INTEGER NOT NULL, -- C, Py, BLAS
    inputs TEXT,                     -- JSON array of the variables that it reads; NULL = not in the optimized graph
    origins TEXT,                    -- JSON array of original applies that it stems from; NULL = itself, if in the optimized graph
    file INTEGER,                    -- the line of source that it stems from; NULL = none, or several: line_pages
    line INTEGER,
    chain INTEGER,                   -- chains.id of it; NULL = none, or several: chain_pages
    PRIMARY KEY (graph, apply)
) WITHOUT ROWID;

-- What a call of an apply costs for the shapes of the last run, where its op states it.
CREATE TABLE cost_pages (graph INTEGER NOT NULL, page INTEGER NOT NULL, rows TEXT NOT NULL, PRIMARY KEY (graph, page));
CREATE VIEW apply_costs AS
    SELECT p.graph AS graph,
           CAST(json_extract(r.value, '$[0]') AS INTEGER) AS apply,
           json_extract(r.value, '$[1]') AS flops,     -- per call, NULL = the op states none
           json_extract(r.value, '$[2]') AS cost_bytes -- read and written per call, by the op's own account
    FROM cost_pages p, json_each(p.rows) r LIMIT -1;

CREATE VIEW graph_applies AS
    SELECT a.graph AS graph, a.apply AS apply, op.text AS op, friendly.text AS friendly, class.text AS op_class, device.text AS device,
           a.in_original AS in_original, a.in_optimized AS in_optimized, a.original_index AS original_index,
           a.optimized_index AS optimized_index, a.created_step AS created_step, phase.text AS created_phase,
           rewrite.text AS created_rewrite, a.fate AS fate, a.label AS label, way.text AS implementation, cost.flops AS flops,
           cost.cost_bytes AS cost_bytes
    FROM applies a JOIN strings op ON op.id = a.op JOIN strings friendly ON friendly.id = a.friendly
    JOIN strings class ON class.id = a.op_class JOIN strings device ON device.id = a.device JOIN strings phase ON phase.id = a.created_phase
    JOIN strings rewrite ON rewrite.id = a.created_rewrite JOIN strings way ON way.id = a.implementation
    LEFT JOIN apply_costs cost ON cost.graph = a.graph AND cost.apply = a.apply;

-- What the applies of the optimized graph read. Those of other graphs are in rewrite_steps.edits.
CREATE VIEW apply_inputs AS
    SELECT a.graph AS graph, a.apply AS apply, CAST(i.key AS INTEGER) AS port, CAST(i.value AS INTEGER) AS variable
    FROM applies a, json_each(a.inputs) i LIMIT -1;

-- Variables of the original and of the optimized graph, but for bodies of Composites.
CREATE TABLE variable_pages (graph INTEGER NOT NULL, page INTEGER NOT NULL, rows TEXT NOT NULL, PRIMARY KEY (graph, page));
CREATE VIEW variables AS
    SELECT p.graph AS graph,
           CAST(json_extract(r.value, '$[0]') AS INTEGER) AS variable,
           json_extract(r.value, '$[1]') AS kind,        -- result, input, shared, constant
           CAST(json_extract(r.value, '$[2]') AS INTEGER) AS name,        -- a number of strings, as the next four
           CAST(json_extract(r.value, '$[3]') AS INTEGER) AS type,        -- TensorType(float32, matrix)
           CAST(json_extract(r.value, '$[4]') AS INTEGER) AS dtype,
           CAST(json_extract(r.value, '$[5]') AS INTEGER) AS shape,       -- static, with ?
           CAST(json_extract(r.value, '$[6]') AS INTEGER) AS value,       -- summary of a constant or shared value
           CAST(json_extract(r.value, '$[7]') AS INTEGER) AS owner,       -- apply that computes it
           CAST(json_extract(r.value, '$[8]') AS INTEGER) AS owner_port,
           CAST(json_extract(r.value, '$[9]') AS INTEGER) AS in_original,
           CAST(json_extract(r.value, '$[10]') AS INTEGER) AS in_optimized,
           CAST(json_extract(r.value, '$[11]') AS INTEGER) AS is_output   -- of the optimized graph
    FROM variable_pages p, json_each(p.rows) r LIMIT -1;

-- Shapes of the last run.
CREATE TABLE size_pages (graph INTEGER NOT NULL, page INTEGER NOT NULL, rows TEXT NOT NULL, PRIMARY KEY (graph, page));
CREATE VIEW variable_sizes AS
    SELECT p.graph AS graph,
           CAST(json_extract(r.value, '$[0]') AS INTEGER) AS variable,
           json_extract(r.value, '$[1]') AS shape,
           CAST(json_extract(r.value, '$[2]') AS INTEGER) AS bytes
    FROM size_pages p, json_each(p.rows) r LIMIT -1;

CREATE VIEW graph_variables AS
    SELECT v.graph AS graph, v.variable AS variable, v.kind AS kind, name.text AS name, type.text AS type, dtype.text AS dtype,
           coalesce(size.shape, static.text) AS shape, value.text AS value, v.owner AS owner, v.owner_port AS owner_port,
           v.in_original AS in_original, v.in_optimized AS in_optimized, v.is_output AS is_output, size.bytes AS bytes
    FROM variables v JOIN strings name ON name.id = v.name JOIN strings type ON type.id = v.type JOIN strings dtype ON dtype.id = v.dtype
    JOIN strings static ON static.id = v.shape JOIN strings value ON value.id = v.value
    LEFT JOIN variable_sizes size ON size.graph = v.graph AND size.variable = v.variable;

-- Passes over a graph, also those that changed nothing.
CREATE TABLE passes (
    graph INTEGER NOT NULL,
    pass INTEGER NOT NULL,
    phase TEXT NOT NULL,          -- merge, useless, canonicalize, stabilize, blas, specialize, device, fusion, inplace, schedule
    name TEXT NOT NULL,
    kind TEXT NOT NULL,           -- sequence, equilibrium, global
    iteration INTEGER NOT NULL,
    first_step INTEGER NOT NULL,
    step_count INTEGER NOT NULL,
    ns INTEGER NOT NULL,
    validate_ns INTEGER NOT NULL,
    nodes_before INTEGER NOT NULL,
    nodes_after INTEGER NOT NULL,
    PRIMARY KEY (graph, pass)
) WITHOUT ROWID;

-- What each rewrite did in each pass where it applied; how often it was tried and declined: rewrite_counts.
CREATE TABLE pass_rewrites (
    graph INTEGER NOT NULL,
    pass INTEGER NOT NULL,
    rewrite TEXT NOT NULL,
    applied INTEGER NOT NULL,
    ns INTEGER NOT NULL,
    nodes_created INTEGER NOT NULL,
    PRIMARY KEY (graph, pass, rewrite)
) WITHOUT ROWID;

-- Rewrites that changed the graph, in order. Step 0 builds the original graph.
CREATE TABLE rewrite_steps (
    graph INTEGER NOT NULL,
    step INTEGER NOT NULL,
    phase INTEGER NOT NULL,
    pass INTEGER NOT NULL,        -- passes.pass, -1 = none
    rewrite INTEGER NOT NULL,     -- rewrites.name
    reason INTEGER NOT NULL,
    ns INTEGER NOT NULL,
    nodes_before INTEGER NOT NULL,
    nodes_after INTEGER NOT NULL,
    matched BLOB NOT NULL,        -- varint apply ids, live before the step
    produced BLOB NOT NULL,       -- varint apply ids, live after the step
    lineage BLOB NOT NULL,        -- what the step made of the applies of its region: described in edit_codec.h
    edit_count INTEGER NOT NULL,
    edits BLOB NOT NULL,          -- records described in edit_codec.h
    PRIMARY KEY (graph, step)
) WITHOUT ROWID;

CREATE VIEW steps AS
    SELECT s.graph AS graph, s.step AS step, phase.text AS phase, s.pass AS pass, rewrite.text AS rewrite, reason.text AS reason, s.ns AS ns,
           s.nodes_before AS nodes_before, s.nodes_after AS nodes_after, s.matched AS matched, s.produced AS produced,
           s.lineage AS lineage, s.edit_count AS edit_count, s.edits AS edits
    FROM rewrite_steps s JOIN strings phase ON phase.id = s.phase JOIN strings rewrite ON rewrite.id = s.rewrite
    JOIN strings reason ON reason.id = s.reason;

-- Original applies from which an apply of the optimized graph stems, but for bodies of Composites.
CREATE VIEW origins AS
    SELECT a.graph AS graph, a.apply AS apply, a.graph AS origin_graph, CAST(o.value AS INTEGER) AS origin_apply
    FROM applies a, json_each(coalesce(a.origins, json_array(a.apply))) o WHERE a.in_optimized LIMIT -1;

-- Original applies of the parent's graph from which the applies of a Composite body stem.
CREATE TABLE body_origins (
    graph INTEGER PRIMARY KEY,
    origins BLOB NOT NULL         -- described in edit_codec.h
);

-- Lines of source of the applies that stem from several; their shares are split by the cost model.
CREATE TABLE line_pages (graph INTEGER NOT NULL, page INTEGER NOT NULL, rows TEXT NOT NULL, PRIMARY KEY (graph, page));
CREATE VIEW apply_lines AS
    SELECT p.graph AS graph,
           CAST(json_extract(r.value, '$[0]') AS INTEGER) AS apply,
           CAST(json_extract(r.value, '$[1]') AS INTEGER) AS file,  -- a number of strings
           CAST(json_extract(r.value, '$[2]') AS INTEGER) AS line,
           json_extract(r.value, '$[3]') AS share  -- of the apply's time; sums to 1 over its lines
    FROM line_pages p, json_each(p.rows) r LIMIT -1;

-- Lines of source that an apply stems from; estimated: 1 where its time is split.
CREATE VIEW source_links AS
    SELECT a.graph AS graph, a.apply AS apply, file.text AS file, a.line AS line, 1.0 AS share, 0 AS estimated
    FROM applies a JOIN strings file ON file.id = a.file
    UNION ALL
    SELECT l.graph, l.apply, file.text, l.line, l.share, 1 FROM apply_lines l JOIN strings file ON file.id = l.file;

-- Lines of the program that made applies and variables, each as it was reached: `caller` is the line that called, and so on to
-- the script's own. Each distinct one is here once. Of stacks of more than 1000 lines only the innermost are kept (traceback.limit).
CREATE TABLE chains (
    id INTEGER PRIMARY KEY,   -- from 0; a caller has a smaller one
    caller INTEGER,           -- chains.id, NULL = nothing called it
    file INTEGER NOT NULL,    -- a number of strings
    line INTEGER NOT NULL,
    function INTEGER NOT NULL -- that the line is in: a number of strings
);

-- Chains of the applies that stem from several; their shares are split by the cost model.
CREATE TABLE chain_pages (graph INTEGER NOT NULL, page INTEGER NOT NULL, rows TEXT NOT NULL, PRIMARY KEY (graph, page));
CREATE VIEW apply_chains AS
    SELECT p.graph AS graph,
           CAST(json_extract(r.value, '$[0]') AS INTEGER) AS apply,
           CAST(json_extract(r.value, '$[1]') AS INTEGER) AS chain, -- chains.id
           json_extract(r.value, '$[2]') AS share  -- of the apply's time; sums to 1 over its chains
    FROM chain_pages p, json_each(p.rows) r LIMIT -1;

-- Where inputs, shared variables and constants were made.
CREATE TABLE variable_chain_pages (graph INTEGER NOT NULL, page INTEGER NOT NULL, rows TEXT NOT NULL, PRIMARY KEY (graph, page));
CREATE VIEW variable_chains AS
    SELECT p.graph AS graph,
           CAST(json_extract(r.value, '$[0]') AS INTEGER) AS variable,
           CAST(json_extract(r.value, '$[1]') AS INTEGER) AS chain  -- chains.id
    FROM variable_chain_pages p, json_each(p.rows) r LIMIT -1;

-- What builds the ops of a function's graph again: the member "op" of a graph document. An apply that has no row here has the document of
-- the first apply here whose op has the same name.
CREATE TABLE op_document_pages (graph INTEGER NOT NULL, page INTEGER NOT NULL, rows TEXT NOT NULL, PRIMARY KEY (graph, page));
CREATE VIEW op_documents AS
    SELECT p.graph AS graph,
           CAST(json_extract(r.value, '$[0]') AS INTEGER) AS apply,
           CAST(json_extract(r.value, '$[1]') AS INTEGER) AS document  -- JSON: a number of strings
    FROM op_document_pages p, json_each(p.rows) r LIMIT -1;

-- Types and values of inputs, shared variables and constants, as a graph document has them.
CREATE TABLE leaf_pages (graph INTEGER NOT NULL, page INTEGER NOT NULL, rows TEXT NOT NULL, PRIMARY KEY (graph, page));
CREATE VIEW leaf_documents AS
    SELECT p.graph AS graph,
           CAST(json_extract(r.value, '$[0]') AS INTEGER) AS variable,
           CAST(json_extract(r.value, '$[1]') AS INTEGER) AS type,  -- float64[?,3]: a number of strings
           CAST(json_extract(r.value, '$[2]') AS INTEGER) AS value  -- JSON: a number of strings; without data if it is large or shared
    FROM leaf_pages p, json_each(p.rows) r LIMIT -1;

-- The lines of each chain, each once, also where a function calls itself; own: 1 for the line that the chain ends in.
CREATE VIEW chain_lines AS
    WITH RECURSIVE up(chain, at) AS (
        SELECT id, id FROM chains UNION ALL SELECT up.chain, c.caller FROM up JOIN chains c ON c.id = up.at WHERE c.caller < c.id)
    SELECT up.chain AS chain, file.text AS file, c.line AS line, max(up.at = up.chain) AS own
    FROM up JOIN chains c ON c.id = up.at JOIN strings file ON file.id = c.file GROUP BY up.chain, c.file, c.line;

-- Lines that an apply stems from, and those that called them: the shares of its time that are the line's own, and with what it calls.
CREATE VIEW call_lines AS
    SELECT a.graph AS graph, a.apply AS apply, l.file AS file, l.line AS line, 1.0 * l.own AS own, 1.0 AS with_calls
    FROM applies a JOIN chain_lines l ON l.chain = a.chain
    UNION ALL
    SELECT k.graph, k.apply, l.file, l.line, sum(k.share * l.own), sum(k.share)
    FROM apply_chains k JOIN chain_lines l ON l.chain = k.chain GROUP BY k.graph, k.apply, l.file, l.line LIMIT -1;

-- The rewrite catalogue of the croton that wrote the session.
CREATE TABLE rewrites (
    name TEXT PRIMARY KEY,
    phase TEXT NOT NULL,
    position REAL NOT NULL,
    tags TEXT NOT NULL,            -- comma separated
    why TEXT NOT NULL,
    hurts TEXT NOT NULL,           -- when it can hurt
    example_before TEXT NOT NULL,  -- expression notation
    example_after TEXT NOT NULL,
    file TEXT NOT NULL,            -- where its code is
    line INTEGER NOT NULL
) WITHOUT ROWID;

-- What each rewrite did over all passes of a graph, also those that never applied.
CREATE TABLE rewrite_counts (
    graph INTEGER NOT NULL,
    rewrite TEXT NOT NULL,
    tried INTEGER NOT NULL,
    applied INTEGER NOT NULL,
    declined INTEGER NOT NULL,
    failed INTEGER NOT NULL,      -- threw, or made what does not fit
    ns INTEGER NOT NULL,          -- declines estimated from a sample
    nodes_created INTEGER NOT NULL,
    PRIMARY KEY (graph, rewrite)
) WITHOUT ROWID;

-- Why rewrites declined, counted.
CREATE TABLE decline_reasons (
    graph INTEGER NOT NULL,
    rewrite TEXT NOT NULL,
    reason TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (graph, rewrite, reason)
) WITHOUT ROWID;

-- Samples of declines: at most 20 of each rewrite.
CREATE TABLE declines (
    graph INTEGER NOT NULL,
    rewrite TEXT NOT NULL,
    apply INTEGER NOT NULL,
    step INTEGER NOT NULL,        -- the graph stood at this step
    reason TEXT NOT NULL,
    because INTEGER               -- the apply that stood in the way, NULL = none
);
CREATE INDEX declines_by_apply ON declines (graph, apply);

-- Why not: the last decline of each rewrite on an apply of the final graph.
CREATE TABLE last_declines (
    graph INTEGER NOT NULL,
    apply INTEGER NOT NULL,
    step INTEGER NOT NULL,        -- the graph stood at this step
    words BLOB NOT NULL,          -- (rewrite, reason, because): described in edit_codec.h
    PRIMARY KEY (graph, apply)
) WITHOUT ROWID;

-- Applies of the optimized graph that one kernel may run together, as the phase schedule grouped them. They
-- stay nodes of their own. Whether a plan runs them together says plan_items.grp: passes over a matrix pay where no cache holds it, and
-- kernels over rows need rows that are long enough and lie one behind the other.
CREATE TABLE apply_groups (
    graph INTEGER NOT NULL,
    grp INTEGER NOT NULL,         -- number of the group in its graph, from 0
    position INTEGER NOT NULL,    -- order of the work inside the group, from 0
    apply INTEGER NOT NULL,
    rewrite TEXT NOT NULL,        -- rewrites.name of what made the group
    PRIMARY KEY (graph, grp, position)
) WITHOUT ROWID;
CREATE UNIQUE INDEX apply_groups_by_apply ON apply_groups (graph, apply);

-- Generated sources. What does the work of several applies stands at each of them.
CREATE TABLE kernels (
    function INTEGER NOT NULL,
    graph INTEGER NOT NULL,
    apply INTEGER NOT NULL,
    language TEXT NOT NULL,       -- C, CUDA C, OpenCL C
    symbol TEXT NOT NULL,
    source TEXT NOT NULL,
    flags TEXT NOT NULL,
    cache_key TEXT NOT NULL,
    from_cache INTEGER NOT NULL,
    compile_ns INTEGER NOT NULL,
    PRIMARY KEY (function, graph, apply, language, symbol)
) WITHOUT ROWID;
CREATE INDEX kernels_by_apply ON kernels (graph, apply);

-- Plans: one per set of shapes that a function met. Graphs inside of its applies (OpFromGraph) have none here.
CREATE TABLE plans (
    function INTEGER NOT NULL,
    plan INTEGER NOT NULL,
    key TEXT NOT NULL,
    arena_bytes INTEGER NOT NULL,
    peak_bytes INTEGER NOT NULL,
    peak_no_inplace_bytes INTEGER NOT NULL,
    peak_no_gc_bytes INTEGER NOT NULL,
    no_reuse_bytes INTEGER NOT NULL,
    work_bytes INTEGER NOT NULL,       -- what applies hold beside their outputs: for themselves, for the graphs inside of them
    measured_peak_bytes INTEGER,
    uses INTEGER NOT NULL,
    PRIMARY KEY (function, plan)
) WITHOUT ROWID;

-- Execution order of a plan.
CREATE TABLE plan_item_pages (
    function INTEGER NOT NULL,
    plan INTEGER NOT NULL,
    graph INTEGER NOT NULL,
    page INTEGER NOT NULL,
    rows TEXT NOT NULL,
    PRIMARY KEY (function, plan, graph, page)
);
CREATE VIEW plan_items AS
    SELECT p.function AS function, p.plan AS plan, p.graph AS graph,
           CAST(json_extract(r.value, '$[0]') AS INTEGER) AS position,
           CAST(json_extract(r.value, '$[1]') AS INTEGER) AS apply,
           CAST(json_extract(r.value, '$[2]') AS INTEGER) AS grp,       -- applies with the same number run as one kernel, -1 = alone
           json_extract(r.value, '$[3]') AS runs,      -- interpreter, kernel, library, view, python
           CAST(json_extract(r.value, '$[4]') AS INTEGER) AS prepare_ns -- making its thunk
    FROM plan_item_pages p, json_each(p.rows) r LIMIT -1;

-- Where each variable of a plan lies and how long it lives.
CREATE TABLE buffer_pages (
    function INTEGER NOT NULL,
    plan INTEGER NOT NULL,
    graph INTEGER NOT NULL,
    page INTEGER NOT NULL,
    rows TEXT NOT NULL,
    PRIMARY KEY (function, plan, graph, page)
);
CREATE VIEW buffers AS
    SELECT p.function AS function, p.plan AS plan, p.graph AS graph,
           CAST(json_extract(r.value, '$[0]') AS INTEGER) AS variable,
           CAST(json_extract(r.value, '$[1]') AS INTEGER) AS apply,         -- producer, NULL = input or constant
           CAST(json_extract(r.value, '$[2]') AS INTEGER) AS port,
           CAST(json_extract(r.value, '$[3]') AS INTEGER) AS buffer,        -- the same number = the same memory
           CAST(json_extract(r.value, '$[4]') AS INTEGER) AS offset,        -- in the arena, NULL = outside
           CAST(json_extract(r.value, '$[5]') AS INTEGER) AS bytes,
           json_extract(r.value, '$[6]') AS device,
           json_extract(r.value, '$[7]') AS kind,          -- created, view, inplace, input, shared, constant
           CAST(json_extract(r.value, '$[8]') AS INTEGER) AS of,            -- variable that it views or overwrites
           CAST(json_extract(r.value, '$[9]') AS INTEGER) AS from_position,
           CAST(json_extract(r.value, '$[10]') AS INTEGER) AS to_position,  -- last reader
           json_extract(r.value, '$[11]') AS shape,
           json_extract(r.value, '$[12]') AS strides
    FROM buffer_pages p, json_each(p.rows) r LIMIT -1;

-- Times per apply, refreshed every 200 ms. Add over tier and steady for the whole.
CREATE TABLE stat_pages (
    function INTEGER NOT NULL,
    graph INTEGER NOT NULL,
    page INTEGER NOT NULL,
    rows TEXT NOT NULL,
    PRIMARY KEY (function, graph, page)
);
CREATE VIEW apply_stats AS
    SELECT p.function AS function, p.graph AS graph,
           CAST(json_extract(r.value, '$[0]') AS INTEGER) AS apply,
           json_extract(r.value, '$[1]') AS tier,        -- interpreter, compiled, library
           CAST(json_extract(r.value, '$[2]') AS INTEGER) AS steady,      -- 0 = warm-up, 1 = steady state
           CAST(json_extract(r.value, '$[3]') AS INTEGER) AS calls,
           CAST(json_extract(r.value, '$[4]') AS INTEGER) AS total_ns,    -- host clock
           CAST(json_extract(r.value, '$[5]') AS INTEGER) AS min_ns,
           CAST(json_extract(r.value, '$[6]') AS INTEGER) AS max_ns,
           json_extract(r.value, '$[7]') AS sum_squares, -- of ns
           CAST(json_extract(r.value, '$[8]') AS INTEGER) AS device_ns,   -- device clock, NULL = not measured
           CAST(json_extract(r.value, '$[9]') AS INTEGER) AS blocking_ns, -- host clock under CUDA_LAUNCH_BLOCKING=1, NULL = not measured
           json_extract(r.value, '$[10]') AS histogram   -- [bucket, count, bucket, count ...], 8 buckets per octave: histogram.h
    FROM stat_pages p, json_each(p.rows) r LIMIT -1;

-- Lanes of the timeline.
CREATE TABLE lanes (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,           -- host, stream, copy, compiler
    device TEXT NOT NULL,
    name TEXT NOT NULL
);

-- A bounded sample of what happened; dropped ones are counted in drops.
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    lane INTEGER NOT NULL,
    kind TEXT NOT NULL,           -- call, apply, kernel, copy, compile, pass, wait, range
    start_ns INTEGER NOT NULL,
    duration_ns INTEGER NOT NULL,
    function INTEGER,
    call INTEGER,                 -- number of the call
    graph INTEGER,
    apply INTEGER,
    correlation INTEGER,          -- joins a launch with its work on the device
    bytes INTEGER,
    name TEXT                     -- on the lane "garbage collection": "generation 2" (of Python's objects), "given back" (memory of a call)
);

-- Kernels that ran on a device, summed per apply and kernel; single launches are events.
CREATE TABLE device_kernels (
    device TEXT NOT NULL,
    symbol TEXT NOT NULL,
    function INTEGER NOT NULL,
    graph INTEGER NOT NULL,
    apply INTEGER NOT NULL,
    launches INTEGER NOT NULL,
    total_ns INTEGER NOT NULL,    -- device clock
    min_ns INTEGER NOT NULL,
    max_ns INTEGER NOT NULL,
    grid TEXT NOT NULL,           -- blocks of the last launch: (450, 1, 1)
    block TEXT NOT NULL,          -- threads of a block: (512, 1, 1)
    registers INTEGER NOT NULL,   -- per thread, -1 = unknown
    shared_bytes INTEGER NOT NULL,-- per block, -1 = unknown
    occupancy REAL NOT NULL,      -- 0 to 1, -1 = unknown
    bytes INTEGER NOT NULL,       -- read and written by all launches, by the cost model; -1 = unknown
    PRIMARY KEY (device, symbol, function, graph, apply)
) WITHOUT ROWID;
CREATE INDEX device_kernels_by_apply ON device_kernels (graph, apply);

-- What a device's driver told beside the work of applies, summed.
CREATE TABLE device_work (
    device TEXT NOT NULL,
    what TEXT NOT NULL,           -- taken (memory of the driver's), given back, wait (of the host), overhead (that watching took),
                                  -- kernel of the script (started by itself, outside of functions)
    count INTEGER NOT NULL,
    total_ns INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (device, what)
) WITHOUT ROWID;

-- What the script did around its functions and with shared variables. Written at the end of the run.
CREATE TABLE host_uses (
    function INTEGER,        -- functions.id, NULL = of a shared variable
    what TEXT NOT NULL,      -- call (from that line), converted (an input was no array of its type), unchanged (an input was the same
                             -- in all calls), fed back (an input was what the call before returned), unused (an output that the line
                             -- does not keep), get and set (of a shared variable's value), put back (what is set
                             -- is what this function returned)
    name TEXT NOT NULL,      -- of a shared variable
    position INTEGER NOT NULL, -- of the input or the output, -1 = none
    file TEXT NOT NULL,      -- where the script did it
    line INTEGER NOT NULL,
    count INTEGER NOT NULL,  -- how often
    out_of INTEGER NOT NULL, -- calls that were looked at: the first, then ever more rarely
    total_ns INTEGER NOT NULL,
    bytes INTEGER NOT NULL   -- of one value
);

-- Bytes moved, summed per apply and direction.
CREATE TABLE transfers (
    function INTEGER NOT NULL,
    graph INTEGER NOT NULL,
    apply INTEGER NOT NULL,
    direction TEXT NOT NULL,      -- HtoD, DtoH, DtoD
    device TEXT NOT NULL,
    count INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    total_ns INTEGER NOT NULL,
    PRIMARY KEY (function, graph, apply, direction, device)
) WITHOUT ROWID;
CREATE INDEX transfers_by_apply ON transfers (graph, apply);

-- Calls of MPI, summed by what was called and from where.
CREATE TABLE communication (
    call TEXT NOT NULL,           -- Allreduce
    kind TEXT NOT NULL,           -- collective, point to point, wait
    file TEXT NOT NULL,
    line INTEGER NOT NULL,
    count INTEGER NOT NULL,
    total_ns INTEGER NOT NULL,
    max_ns INTEGER NOT NULL,
    inside_ns INTEGER NOT NULL,   -- part of total_ns that is in calls of functions, too
    bytes INTEGER NOT NULL,       -- of arrays that were handed over
    PRIMARY KEY (call, file, line)
) WITHOUT ROWID;

-- Single collective calls of MPI (the first ones): the same members and number name one in the sessions of all its ranks.
CREATE TABLE collectives (
    members TEXT NOT NULL,        -- ranks of the world: 0-3
    number INTEGER NOT NULL,      -- of the call among these members, from 0
    call TEXT NOT NULL,
    file TEXT NOT NULL,
    line INTEGER NOT NULL,
    start_ns INTEGER NOT NULL,
    duration_ns INTEGER NOT NULL,
    PRIMARY KEY (members, number)
) WITHOUT ROWID;

-- The ranks of the job that this session is one of, once their sessions were set beside each other (croton ranks).
CREATE TABLE ranks (
    rank INTEGER PRIMARY KEY,
    session TEXT NOT NULL,        -- its file, from the folder of this one; '' = this one
    host TEXT NOT NULL,
    problem TEXT NOT NULL,        -- why its recording says less than all; '' = it ended well
    duration_ns INTEGER NOT NULL,
    call_ns INTEGER NOT NULL,     -- in functions, but for calls of MPI in them
    compile_ns INTEGER NOT NULL,
    communication_ns INTEGER NOT NULL,
    waiting_ns INTEGER            -- part of it in which another rank had not come yet, NULL = unknown
);

-- Functions of each rank.
CREATE TABLE rank_functions (
    rank INTEGER NOT NULL,
    function INTEGER NOT NULL,    -- functions.id in the session of the rank
    name TEXT NOT NULL,
    file TEXT NOT NULL,
    line INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    call_ns INTEGER NOT NULL,
    PRIMARY KEY (rank, function)
) WITHOUT ROWID;

-- communication of each rank, and how much of it was waiting.
CREATE TABLE rank_communication (
    rank INTEGER NOT NULL,
    call TEXT NOT NULL,
    kind TEXT NOT NULL,
    file TEXT NOT NULL,
    line INTEGER NOT NULL,
    count INTEGER NOT NULL,
    total_ns INTEGER NOT NULL,
    max_ns INTEGER NOT NULL,
    inside_ns INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    waiting_ns INTEGER,           -- part of total_ns in which another rank had not come yet, NULL = unknown
    PRIMARY KEY (rank, call, file, line)
) WITHOUT ROWID;

-- Allocations as the allocator saw them (bounded sample).
CREATE TABLE memory_events (
    id INTEGER PRIMARY KEY,
    time_ns INTEGER NOT NULL,
    device TEXT NOT NULL,
    delta_bytes INTEGER NOT NULL, -- negative: freed
    live_bytes INTEGER NOT NULL,  -- after it
    function INTEGER,
    graph INTEGER,
    apply INTEGER
);

-- What the script wrote.
CREATE TABLE outputs (
    id INTEGER PRIMARY KEY,
    time_ns INTEGER NOT NULL,
    stream INTEGER NOT NULL,      -- 1 stdout, 2 stderr
    text TEXT NOT NULL
);

-- What Croton had to say.
CREATE TABLE messages (
    id INTEGER PRIMARY KEY,
    time_ns INTEGER NOT NULL,
    severity TEXT NOT NULL,       -- info, warning, error
    text TEXT NOT NULL,
    hint TEXT NOT NULL,
    detail TEXT NOT NULL,
    file TEXT NOT NULL,
    line INTEGER NOT NULL,
    function INTEGER,
    graph INTEGER,
    apply INTEGER
);

-- Comparisons of DebugMode and NanGuardMode.
CREATE TABLE checks (
    id INTEGER PRIMARY KEY,
    function INTEGER,
    graph INTEGER,
    apply INTEGER,
    step INTEGER NOT NULL,
    kind TEXT NOT NULL,           -- value, destroy map, view map, shape, nan, order
    passed INTEGER NOT NULL,
    text TEXT NOT NULL,
    max_absolute REAL NOT NULL,   -- largest difference of a value from what was wanted
    max_relative REAL NOT NULL
);

-- What was left out to stay within the size limits.
CREATE TABLE drops (
    what TEXT PRIMARY KEY,        -- events, memory events, outputs ...
    count INTEGER NOT NULL,
    reason TEXT NOT NULL
) WITHOUT ROWID;

-- Functions of which calls were captured (croton profile --capture): what it takes to compile them again.
CREATE TABLE captured_functions (
    function INTEGER PRIMARY KEY,
    document TEXT NOT NULL,       -- captured_arrays.array_key of its original graph: a graph document, without values of shared variables
    problem TEXT NOT NULL,        -- why it cannot be compiled from the document, empty = it can
    outputs INTEGER NOT NULL,     -- so many of the document's outputs are returned; the others are updates
    mode TEXT NOT NULL,
    level TEXT NOT NULL,          -- None, Merge, FastCompile, FastRun
    linker TEXT NOT NULL,
    device TEXT NOT NULL,
    allow_gc INTEGER NOT NULL,
    including TEXT NOT NULL,      -- JSON array of tags and names of rewrites
    excluding TEXT NOT NULL
);

-- Calls whose values were kept.
CREATE TABLE captured_calls (
    function INTEGER NOT NULL,
    call INTEGER NOT NULL,        -- number of the call, from 0
    reason TEXT NOT NULL,         -- first, slowest (behind the first, of one tier), chosen
    ns INTEGER NOT NULL,          -- that it took
    PRIMARY KEY (function, call)
) WITHOUT ROWID;

-- Values of captured calls: inputs and shared variables before them, outputs and updates after them.
CREATE TABLE captured_values (
    function INTEGER NOT NULL,
    call INTEGER NOT NULL,
    role TEXT NOT NULL,           -- input, shared, output, update
    position INTEGER NOT NULL,    -- in the order of the graph, of its role
    name TEXT NOT NULL,
    dtype TEXT NOT NULL,          -- empty = no array
    shape TEXT NOT NULL,          -- 400,784
    array_key TEXT NOT NULL,      -- empty = left out
    reason TEXT NOT NULL,         -- why it was left out
    counted INTEGER NOT NULL,     -- elements that the statistics of what was left out are from, spread evenly
    seed INTEGER NOT NULL,        -- of a stand-in with these statistics
    least REAL NOT NULL,
    most REAL NOT NULL,
    mean REAL NOT NULL,
    deviation REAL NOT NULL,
    PRIMARY KEY (function, call, role, position)
) WITHOUT ROWID;

-- Arrays by their content: elements in C order, little-endian, in parts of 4 MiB, packed as array_codec.h says.
CREATE TABLE captured_arrays (
    array_key TEXT NOT NULL,      -- 128 bits of hash of all bytes, and their number
    part INTEGER NOT NULL,
    bytes INTEGER NOT NULL,       -- unpacked
    data BLOB NOT NULL,
    PRIMARY KEY (array_key, part)
);

-- croton ablate: captured calls with rewrites left out, in turns with nothing left out (position 0).
CREATE TABLE ablations (
    function INTEGER NOT NULL,
    call INTEGER NOT NULL,
    by TEXT NOT NULL,             -- rewrite, pass, tag
    position INTEGER NOT NULL,    -- those whose absence costs most first
    kind TEXT NOT NULL,           -- nothing, single, pair, all
    left_out TEXT NOT NULL,       -- JSON array of names
    same_as INTEGER,              -- position of a row with the same optimized graph, whose numbers these are
    fired INTEGER NOT NULL,       -- steps that it made
    first_step INTEGER,
    ns REAL NOT NULL,             -- of a call
    p REAL NOT NULL,              -- that chance alone makes the difference to position 0, corrected for the number of rows
    counts INTEGER NOT NULL,
    peak_bytes INTEGER NOT NULL,
    compile_ns INTEGER NOT NULL,
    applies INTEGER NOT NULL,
    ulp REAL NOT NULL,            -- largest difference of an output from the reference, in units of the last place
    not_finite INTEGER NOT NULL,  -- elements that are finite on one side only
    reference TEXT NOT NULL,
    error TEXT NOT NULL,          -- why it could not be compiled or called
    PRIMARY KEY (function, call, by, position)
);

-- croton along: the graph as it stood after steps, called.
CREATE TABLE along_steps (
    function INTEGER NOT NULL,
    call INTEGER NOT NULL,
    step INTEGER NOT NULL,        -- 0 = as it was written
    phase TEXT NOT NULL,
    rewrite TEXT NOT NULL,
    ns REAL NOT NULL,
    planned_bytes INTEGER NOT NULL,
    peak_bytes INTEGER NOT NULL,
    applies INTEGER NOT NULL,
    ulp REAL NOT NULL,
    not_finite INTEGER NOT NULL,
    error TEXT NOT NULL,
    PRIMARY KEY (function, call, step)
);

-- croton memory --verify and croton whatif --verify: what a run of the script with other flags measured of its functions.
CREATE TABLE verified_runs (
    function INTEGER NOT NULL,
    flags TEXT NOT NULL,          -- threads=4, memory_budget=least ...: beside those of the session
    ns REAL NOT NULL,             -- of a call, -1 = it was not called
    peak_bytes INTEGER NOT NULL,  -- most that a call took of the host's memory, -1 = not measured
    error TEXT NOT NULL,          -- why there is nothing
    PRIMARY KEY (function, flags)
) WITHOUT ROWID;

-- How each table of `ablations` and `along_steps` came about.
CREATE TABLE trials (
    function INTEGER NOT NULL,
    call INTEGER NOT NULL,
    question TEXT NOT NULL,       -- along, or what croton ablate left out: rewrite, pass, tag
    mode TEXT NOT NULL,           -- how the function was compiled, in words, as the next one
    reference TEXT NOT NULL,      -- what errors were measured against
    notes TEXT NOT NULL,          -- JSON array of sentences: stand-ins, what has no more digits, what was not tried
    tried INTEGER NOT NULL,       -- graphs that were compiled and called
    offered INTEGER NOT NULL,     -- that there were: more where the time was up
    PRIMARY KEY (function, call, question)
) WITHOUT ROWID;

-- Where the digits went: what `croton values` found in calls, each as written and as compiled.
CREATE TABLE call_values (
    function INTEGER NOT NULL,
    call INTEGER NOT NULL,        -- number of the call, from 0
    side TEXT NOT NULL,           -- original, optimized
    position INTEGER NOT NULL,    -- in the order in which they were made, inputs and constants first
    graph INTEGER,
    variable INTEGER,             -- NULL = a step of a fused apply
    apply INTEGER,                -- NULL = an input or a constant
    port INTEGER NOT NULL,
    step INTEGER,                 -- which apply of the body of a fused apply, NULL = a result
    name TEXT NOT NULL,           -- of the variable; of one without a name its op
    op TEXT NOT NULL,             -- for people: exp; empty = none
    type TEXT NOT NULL,
    shape TEXT NOT NULL,
    elements INTEGER NOT NULL,
    zeros INTEGER NOT NULL,
    nans INTEGER NOT NULL,
    infinities INTEGER NOT NULL,
    denormals INTEGER NOT NULL,
    least REAL NOT NULL,          -- of the finite ones, as the next four
    largest REAL NOT NULL,
    mean REAL NOT NULL,
    deviation REAL NOT NULL,
    magnitude REAL NOT NULL,      -- the largest without its sign
    histogram TEXT NOT NULL,      -- JSON array of counts: equal parts from least to largest
    first TEXT NOT NULL,          -- JSON array of the first elements, as texts
    reference TEXT NOT NULL,      -- precise (113 bits and more), double, same (its own values), none
    digits REAL NOT NULL,         -- decimal digits that the dtype has, 0 = it is counted with
    lost REAL NOT NULL,           -- digits that are wrong in the worst element
    lost_mean REAL NOT NULL,      -- on average
    own REAL NOT NULL,            -- in the worst element, had the inputs been right
    differing INTEGER NOT NULL,   -- of whole numbers and truths: elements that are others in the reference
    unsure INTEGER NOT NULL,      -- elements that the reference cannot tell to the last digit
    worst INTEGER,                -- element, in C order: where something was born, else which lost most; NULL = none lost any
    got TEXT NOT NULL,            -- what the worst element is
    wanted TEXT NOT NULL,         -- what it should be
    read TEXT NOT NULL,           -- JSON array of what was read for it, as texts; empty where more than one element was
    born TEXT NOT NULL,           -- JSON array: nan, inf, overflow, denormal, what no input had
    PRIMARY KEY (function, call, side, position)
) WITHOUT ROWID;

-- What could not be measured there, in sentences.
CREATE TABLE value_notes (
    function INTEGER NOT NULL,
    call INTEGER NOT NULL,
    side TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (function, call, side, text)
) WITHOUT ROWID;
