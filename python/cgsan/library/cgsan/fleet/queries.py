"""Questions about a fleet, as views of its tables in SQL. `docs/fleet.md` lists them."""

TABLES = ("processes", "events", "captures", "findings", "steps")

# Each with what it answers.
VIEWS = {
    "failures": (
        "Which failures are there, on how many ranks and machines?",
        """
        SELECT id, title, file, line, count(DISTINCT process) AS processes, count(DISTINCT host) AS hosts,
            min(rank) AS first_rank, max(rank) AS last_rank, sum(times) AS times
        FROM findings
        GROUP BY id, title, file, line
        ORDER BY processes DESC, id, file, line
        """,
    ),
    "parts_first": (
        "Which rank parts first: does something else in a capture or a step than most ranks do?",
        """
        WITH did AS (
            SELECT job, process, rank, host, began, 'capture' AS what, capture AS number,
                concat_ws(', ', outcome, streams || ' streams', concat(file, ':', line)) AS did
            FROM captures
            UNION ALL
            SELECT job, process, rank, host, began, 'step', step,
                concat_ws(', ', replays || ' replays', collectives || ' collectives')
            FROM steps
            WHERE duration_ns IS NOT NULL
        ),
        usual AS (
            SELECT job, what, number, mode(did) AS others, count(*) AS ranks
            FROM did
            GROUP BY job, what, number
        )
        SELECT did.job, rank, host, process, what, number, did.did, others, began::TIMESTAMP_NS AS began
        FROM did JOIN usual USING (what, number)
        WHERE did.job IS NOT DISTINCT FROM usual.job AND ranks > 2 AND did.did <> others
        ORDER BY began, rank, what, number
        """,
    ),
    "largest_graphs": (
        "Which graphs hold most: what their captures allocated and had not freed at their ends, and at most?",
        """
        WITH held AS (
            SELECT c.job, c.process, c.rank, c.host, c.capture, c.replays, c.file, c.line, e.event,
                sum(CASE e.kind WHEN 'allocation' THEN e.bytes ELSE -e.bytes END)
                    OVER (PARTITION BY c.process, c.capture ORDER BY e.event) AS bytes
            FROM captures c JOIN events e ON e.process = c.process
            WHERE c.outcome = 'captured' AND e.kind IN ('allocation', 'free')
                AND epoch_ns(e.time) - epoch_ns(c.began) BETWEEN 0 AND c.duration_ns
        )
        SELECT job, rank, host, process, capture, file, line, replays,
            max_by(bytes, event) AS bytes_at_end, max(bytes) AS bytes_at_most
        FROM held
        GROUP BY job, rank, host, process, capture, file, line, replays
        ORDER BY bytes_at_end DESC, rank, capture
        """,
    ),
    "late_ranks": (
        "Which ranks do the others wait for: those that did most work of their own in a step, and how much more than the median?",
        """
        WITH late AS (
            SELECT job, process, rank, host, step, host_ns - median(host_ns) OVER same AS late_ns,
                row_number() OVER (PARTITION BY job, step ORDER BY host_ns DESC, rank) AS place,
                count(*) OVER same AS ranks
            FROM steps
            WHERE duration_ns IS NOT NULL
            WINDOW same AS (PARTITION BY job, step)
        )
        SELECT job, rank, host, process, count(*) AS steps, sum(late_ns)::BIGINT AS late_ns,
            max_by(step, late_ns) AS worst_step
        FROM late
        WHERE place = 1 AND ranks > 2 AND late_ns > 0
        GROUP BY job, rank, host, process
        ORDER BY late_ns DESC, rank
        """,
    ),
    "longest_steps": (
        "Which steps took longest, what for, and where?",
        """
        SELECT job, step, median(duration_ns)::BIGINT AS duration_ns, mode(waited_for) AS waited_for,
            mode(file) AS file, mode(line) AS line, count(*) AS ranks
        FROM steps
        WHERE duration_ns IS NOT NULL
        GROUP BY job, step
        ORDER BY duration_ns DESC, step
        """,
    ),
    "unfinished": (
        "Which processes did not end in an orderly way, and what did they do last?",
        """
        SELECT p.job, p.rank, p.host, p.process, p.ending, max_by(e.function, e.event) AS last_function,
            max_by(e.file, e.event) AS file, max_by(e.line, e.event) AS line
        FROM processes p LEFT JOIN events e ON e.process = p.process AND e.function IS NOT NULL
        WHERE p.ending <> 'orderly'
        GROUP BY p.job, p.rank, p.host, p.process, p.ending
        ORDER BY p.host, p.rank
        """,
    ),
}

# The same finding on another day: lines may have moved, and the program may lie elsewhere. As `cgsan report --since` has it.
_NEW_SINCE = """
CREATE OR REPLACE MACRO new_since(folder) AS TABLE
    WITH known AS (
        SELECT DISTINCT id, in_function, parse_filename(file) AS name
        FROM read_parquet(folder || '/tables/findings/**/*.parquet', hive_partitioning = true)
    )
    SELECT f.*
    FROM findings f
    WHERE NOT EXISTS (
        SELECT * FROM known k
        WHERE k.id = f.id AND k.in_function IS NOT DISTINCT FROM f.in_function
            AND k.name IS NOT DISTINCT FROM parse_filename(f.file)
    )
    ORDER BY f.finding, f.rank
"""


def text() -> str:
    """All of it as SQL: the tables as views of their files, from the folder that has them, and the questions."""
    parts = ["-- Open it in the folder that has `tables`: duckdb fleet.duckdb"]
    for table in TABLES:
        files = f"read_parquet('tables/{table}/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)"
        parts.append(f"CREATE OR REPLACE VIEW {table} AS SELECT * FROM {files};")
    for name, (question, sql) in VIEWS.items():
        parts.append(f"-- {question}\nCREATE OR REPLACE VIEW {name} AS\n{_straight(sql)};")
    parts.append(
        "-- Which findings are new since an earlier run? SELECT * FROM new_since('../yesterday')"
        f"\n{_NEW_SINCE.strip()};"
    )
    return "\n\n".join(parts) + "\n"


def _straight(sql: str) -> str:
    lines = sql.strip("\n").rstrip().splitlines()
    return "\n".join(line.removeprefix(" " * 8) for line in lines)
