"""The 25 signals as columns with their states, instead of masks (docs/method.md, "Five masks")."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

BUCKETS = "SHARE"
SIGNALS = [bucket + str(number) for bucket in BUCKETS for number in range(1, 6)]
STATES = ["unsupported", "source_missing", "failed", "not_evaluable", "absent", "passed"]
MASKS = ["supported_mask", "evaluable_mask", "passed_mask", "source_missing_mask", "failed_mask"]


def decoded(masks: dict[str, pa.Array], bit: int) -> pa.DictionaryArray:
    """Returns the state of one signal, such as `passed`, in each row of the masks."""

    def holds(name: str) -> pa.Array:
        return pc.not_equal(pc.bit_wise_and(masks[name], pa.scalar(1 << bit, masks[name].type)), 0)

    code: Any = pa.scalar(3, pa.int8())
    for name, state in (("source_missing_mask", 1), ("failed_mask", 2), ("evaluable_mask", 4), ("passed_mask", 5)):
        code = pc.if_else(holds(name), pa.scalar(state, pa.int8()), code)
    code = pc.if_else(holds("supported_mask"), code, pa.scalar(0, pa.int8()))
    return pa.DictionaryArray.from_arrays(code, pa.array(STATES))


def supported_by(contract: dict[str, Any], pledges: dict[str, Any]) -> dict[str, int]:
    """Returns a mask of the signals that each source supports under a contract, by source."""
    maps = {source: pledge["contracts"][contract["contract"]] for source, pledge in pledges.items()}
    return {
        source: sum(1 << bit for bit, name in enumerate(SIGNALS) if own[name]["supported"])
        for source, own in maps.items()
    }


def masks_of_batch(score: pa.RecordBatch, sources: pa.Array, supported: dict[str, int]) -> dict[str, pa.Array]:
    """Returns the five masks. An unreadable record has none, so each signal that its source supports is `failed`."""
    names, values = pa.array(supported, pa.string()), pa.array(supported.values(), pa.int32())
    own = values.take(pc.index_in(sources, value_set=names))
    filled = {"supported_mask": own, "failed_mask": own}
    return {name: pc.coalesce(score.column(name), filled.get(name, pa.scalar(0, pa.int32()))) for name in MASKS}


def signal_fields(contract: dict[str, Any] | None = None) -> list[pa.Field]:
    """Returns the fields of the 25 columns, with the name of each signal as description."""
    names = {signal["id"]: signal["name"] for signal in (contract or {}).get("signals", [])}
    kind = pa.dictionary(pa.int8(), pa.string())
    return [pa.field(name, kind, metadata={"description": names.get(name, "")}) for name in SIGNALS]


def state_of(masks: dict[str, int]) -> str:
    """Returns the state of a signal. `masks` has its bit in each mask, under the names that pages use."""
    if not masks["supportedMask"]:
        return "unsupported"
    named = (("passedMask", "passed"), ("failedMask", "failed"), ("sourceMissingMask", "source_missing"))
    found = [state for mask, state in named if masks[mask]]
    return found[0] if found else "absent" if masks["evaluableMask"] else "not_evaluable"
