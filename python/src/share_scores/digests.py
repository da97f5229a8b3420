"""Digests of a release: canonical JSON, roots of tables, and the release digest (docs/adr/0002-release-digest.md)."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any


def sha256(text: str | bytes) -> str:
    return hashlib.sha256(text if isinstance(text, bytes) else text.encode()).hexdigest()


def canonical(value: object) -> str:
    """Returns canonical JSON (RFC 8785) of texts, whole numbers, lists and objects with ASCII names."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest_of(value: object) -> str:
    return "sha256:" + sha256(canonical(value))


def spelled(value: object) -> str:
    if value is None:
        return "-"
    text = ("true" if value else "false") if isinstance(value, bool) else str(value)
    return f"{len(text)}:{text}"


def table_root(rows: Iterable[Sequence[Any]], columns: list[str], key: list[str]) -> str:
    """Returns the root, a digest of all rows of a table. Each row has its values in the order of the columns."""
    places = [columns.index(name) for name in key]
    shards: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in rows:
        own = sha256("".join(spelled(row[place]) for place in places))
        shards[own[:3]].append((own, sha256("".join(map(spelled, row)))))
    lines = [f"{name} {sha256(''.join(each for _, each in sorted(shards[name])))}\n" for name in sorted(shards)]
    return "sha256:" + sha256("".join(lines))


def format_of(content: dict[str, Any]) -> int:
    """Returns the format of a release: format 2 introduced pages, format 3 the tables of affiliations and funding."""
    if "pages" not in content:
        return 1
    return 3 if {"affiliations", "funding"} & content["tables"].keys() else 2


def release_digest(content: dict[str, Any]) -> str:
    named: dict[str, Any] = {name: content[name] for name in ("inputs", "pages", "tables") if name in content}
    return digest_of({"format": format_of(content)} | named)
