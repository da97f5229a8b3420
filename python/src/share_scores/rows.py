"""Rows of a table or a list: one pass in batches, or everything as a table or a data frame."""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import pyarrow as pa


class Rows:
    """Rows that are read when you use them. Each use reads them again."""

    def __init__(self, batches: Callable[[], Iterator[pa.RecordBatch]], schema: Callable[[], pa.Schema]) -> None:
        self._batches = batches
        self._schema = schema

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yields Arrow record batches, with one of them in memory at a time."""
        return self._batches()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for batch in self.batches():
            yield from batch.to_pylist()

    def to_reader(self) -> pa.RecordBatchReader:
        """Returns a stream for DuckDB, polars or a Parquet writer."""
        batches = self.batches()
        first = next(batches, None)
        if first is None:
            return pa.RecordBatchReader.from_batches(self._schema(), [])
        return pa.RecordBatchReader.from_batches(first.schema, chain([first], batches))

    def to_arrow(self) -> pa.Table:
        return self.to_reader().read_all()

    def to_pandas(self) -> Any:
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        import polars

        frames = [polars.DataFrame(polars.from_arrow(batch)) for batch in self.batches()]
        return polars.concat(frames) if frames else polars.DataFrame(polars.from_arrow(self._schema().empty_table()))
