"""Reads an Arrow stream from standard input with pyarrow and with DuckDB, and prints both results as JSON."""

import json
import sys

import duckdb
import pyarrow as pa

stream = pa.ipc.open_stream(sys.stdin.buffer)
batches = [batch for batch in stream]
listed = pa.Table.from_batches(batches, schema=stream.schema)
listed.validate(full=True)

# DuckDB finds `listed` by its name.
relation = duckdb.sql("from listed")
names = relation.columns
rows = [dict(zip(names, row)) for row in relation.fetchall()]

json.dump(
    {
        "types": {field.name: str(field.type) for field in listed.schema},
        "nullable": [field.name for field in listed.schema if field.nullable],
        "about": {key.decode(): value.decode() for key, value in (listed.schema.metadata or {}).items()},
        "batches": len(batches),
        "arrow": listed.to_pylist(),
        "duckdb": rows,
    },
    sys.stdout,
)
