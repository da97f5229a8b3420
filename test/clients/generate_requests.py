"""Generates requests for every operation of an OpenAPI document, and prints the operations for which this fails."""

import json
import sys
import warnings

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings

EXAMPLES = 5


def main(path):
    with open(path, encoding="utf-8") as file:
        schema = schemathesis.openapi.from_dict(json.load(file))
    operations, failed = 0, []
    for result in schema.get_all_operations():
        operation = result.ok()
        operations += 1
        try:
            make_requests(operation)
        except Exception as error:  # Any exception is reported with its operation.
            failed.append(f"{operation.label}: {type(error).__name__}: {error}")
    print(json.dumps({"operations": operations, "failed": failed}))


def make_requests(operation):
    @given(case=operation.as_strategy())
    @settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def each(case):
        case.as_transport_kwargs()

    each()


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    main(sys.argv[1])
