"""Writes the steps of a made-up job as tables, to look at the page that is made of them.

    python steps.py FOLDER [RANKS] [STEPS]
    cgsan export --format page --output fleet.html FOLDER

Rank 417 works longer in steps 300 to 420, all ranks of one machine do after step 700, and every 250th step takes all of them longer.
Nobody is seen to end the last step.
"""

import sys
from pathlib import Path

import duckdb

folder = Path(sys.argv[1])
ranks, steps = (int(word) for word in (sys.argv[2:] or ["1000", "1000"]))
folder.mkdir(parents=True, exist_ok=True)
duckdb.sql(f"""
    COPY (
        WITH worked AS (
            SELECT r, s, (1e6 * (0.9 + 0.2 * random())
                + CASE WHEN r = 417 AND s BETWEEN 300 AND 420 THEN 9e6 ELSE 0 END
                + CASE WHEN r // 8 = 60 AND s > 700 THEN 3e6 * random() ELSE 0 END
                + CASE WHEN s % 250 = 0 THEN 4e6 ELSE 0 END)::BIGINT AS host
            FROM range({ranks}) ranks(r), range(1, {steps} + 1) steps(s)
        ),
        met AS (SELECT *, max(host) OVER (PARTITION BY s) AS last FROM worked)
        SELECT r AS process, r AS rank, 'node-' || (r // 8) AS host, 100 + r AS pid, s AS step,
            CASE WHEN s < {steps} THEN last + 2000000 END AS duration_ns, host AS host_ns,
            CASE WHEN s % 50 = 0 THEN 6000000 ELSE 400000 END::BIGINT AS gpu_ns,
            100000::BIGINT AS copy_ns, last - host + 300000 AS collective_ns, 200000::BIGINT AS launch_ns,
            '/job/train.py' AS file, CASE WHEN s % 50 = 0 THEN 61 ELSE 44 END::BIGINT AS line,
            'step' AS in_function
        FROM met
        ORDER BY r, s
    ) TO '{folder}/steps.parquet'
""")
duckdb.sql(f"COPY (SELECT 3::BIGINT AS process, 'CG101' AS id) TO '{folder}/findings.parquet'")
