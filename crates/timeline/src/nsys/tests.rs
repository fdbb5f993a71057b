use rusqlite::Connection;

use super::*;

const PROCESS: i64 = 4711 << 24;
const THREAD: i64 = PROCESS + 4712;

/// An export with these tables, as recent versions make them, but for columns that nobody asks for.
fn export(rows: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    // A name with what an address escapes.
    let path = folder.path().join("a report?#%.sqlite");
    let database = Connection::open(&path).expect("a database");
    let tables = "
        CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,
            eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL);
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
            streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL,
            graphNodeId INTEGER);
        CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
            streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL,
            copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind INTEGER);
        CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
            streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, graphId INTEGER, graphExecId INTEGER);
        CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT,
            globalTid INTEGER, textId INTEGER);
        CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT);
        INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'gemm'), (3, 'cudaMemcpyAsync_v3020'),
            (4, 'cudaGraphLaunch_v10000'), (5, 'step'), (6, 'cudaMalloc_v3020');
        INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H100');";
    database.execute_batch(tables).expect("tables");
    database.execute_batch(rows).expect("rows");
    (folder, path)
}

#[test]
fn calls_work_and_ranges_are_read() {
    let other = 99i64 << 24;
    let (_folder, path) = export(&format!(
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
            (10, 15, 0, {THREAD}, 1, 1), (20, 25, 0, {THREAD}, 2, 3), (30, 35, 0, {THREAD}, 3, 4),
            (40, 45, 0, {THREAD}, 4, 6), (10, 15, 0, {other}, 1, 1);
         INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (18, 28, 0, 7, 1, {PROCESS}, 2, NULL), (1, 2, 0, 7, 1, {other}, 2, NULL);
         INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (28, 30, 0, 7, 2, {PROCESS}, 4, 2, 2, 0);
         INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (38, 60, 0, 7, 3, {PROCESS}, 5, 6);
         INSERT INTO NVTX_EVENTS VALUES (5, 50, 59, NULL, {THREAD}, 5), (6, 49, 59, 'inner', {THREAD}, NULL),
            (7, NULL, 34, 'mark', {THREAD}, NULL);"
    ));
    let timeline = read(&path).expect("an export");
    assert_eq!(timeline.process, Some(4711));
    let kinds: Vec<CallKind> = timeline.calls.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [CallKind::Launch, CallKind::Copy, CallKind::Replay]);
    assert_eq!(timeline.calls[2].graph, Some(6));
    let work: Vec<(WorkKind, Option<u32>)> =
        timeline.work.iter().map(|it| (it.kind, it.call)).collect();
    assert_eq!(
        work,
        [
            (WorkKind::Kernel, Some(0)),
            (WorkKind::ToPageable, Some(1)),
            (WorkKind::Graph, Some(2))
        ]
    );
    let ranges = timeline
        .ranges
        .iter()
        .map(|it| timeline.names.text(it.name));
    assert_eq!(ranges.collect::<Vec<_>>(), ["step", "inner"]);
    assert_eq!(timeline.devices, [(0, "NVIDIA H100".to_owned())]);
    assert_eq!(
        timeline.lacks,
        [Lack::Processes(1), Lack::Nodes, Lack::Stacks]
    );
    // Nothing was made beside the file.
    let folder = path.parent().expect("a folder");
    assert_eq!(std::fs::read_dir(folder).expect("a folder").count(), 1);
}

#[test]
fn a_database_of_something_else_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("other.sqlite");
    let database = Connection::open(&path).expect("a database");
    let view = "CREATE TABLE t (a); CREATE VIEW CUPTI_ACTIVITY_KIND_RUNTIME AS
        WITH RECURSIVE n(globalTid) AS (SELECT 1 UNION ALL SELECT globalTid + 1 FROM n) SELECT * FROM n;";
    database.execute_batch(view).expect("a view");
    drop(database);
    assert!(matches!(read(&path), Err(Error::NoEvents)));
    std::fs::write(&path, [MAGIC, &[0; 200]].concat()).expect("a file");
    assert!(matches!(read(&path), Err(Error::Database(_))));
}
