"""Reads every example with generated models, and writes it again. The written example must have the same fields.

usage: read_examples.py FOLDER EXAMPLES, where FOLDER holds the package `share_client` and EXAMPLES is a list of
{"schema", "value"}.
"""

import importlib
import json
import pkgutil
import re
import sys

INSTANT = re.compile(r"(T\d{2}:\d{2}:\d{2})(\.\d+)?(?:\+00:00|Z)$")


def members(value):
    """Returns the value with its instants in one spelling."""
    if isinstance(value, dict):
        return {name: members(member) for name, member in value.items()}
    if isinstance(value, list):
        return [members(member) for member in value]
    if isinstance(value, str):
        return INSTANT.sub(lambda found: found[1] + (found[2] or "").rstrip("0").rstrip(".") + "Z", value)
    return value


def main(folder, path):
    sys.path.insert(0, folder)
    package = importlib.import_module("share_client")
    modules = [name for _, name, _ in pkgutil.walk_packages(package.__path__, "share_client.")]
    for name in modules:
        importlib.import_module(name)
    models = importlib.import_module("share_client.models")
    with open(path, encoding="utf-8") as file:
        examples = json.load(file)
    read = 0
    for example in examples:
        # A list of a schema has no model of its own.
        values = example["value"] if isinstance(example["value"], list) else [example["value"]]
        model = getattr(models, example["schema"], None)
        if model is None:
            raise SystemExit(f"there is no model {example['schema']}")
        for value in values:
            written = model.from_dict(value).to_dict()
            if members(written) != members(value):
                raise SystemExit(f"{example['schema']}: {json.dumps(written)[:2000]} was {json.dumps(value)[:2000]}")
            read += 1
    print(json.dumps({"modules": len(modules), "read": read}))


main(*sys.argv[1:])
