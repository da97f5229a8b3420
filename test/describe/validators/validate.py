"""Validates the descriptors of a release with the official validators of their formats, and prints the findings as JSON.

    python validate.py FOLDER-OF-THE-RELEASE CONTEXT-OF-RO-CRATE FOLDER-FOR-A-CACHE

The validator of RO-Crate fetches the context of a crate from the web. Here it reads the context from its cache, which this
program fills from the npm package of RO-Crate.
"""

import io
import json
import sys
from pathlib import Path

import mlcroissant
from frictionless import validate
from requests import Request, Response
from requests_cache import CachedSession
from rocrate_validator import models, services
from urllib3 import HTTPResponse

CONTEXT = "https://w3id.org/ro/crate/1.2/context"
ACCEPT = "application/ld+json, application/json, */*;q=0.1"


def frictionless_faults(folder):
    report = validate(str(folder / "datapackage.json"))
    own = [error.message for error in report.errors]
    tables = sum(1 for task in report.tasks if task.type == "table")
    return {"tables": tables, "faults": own + [f"{t.name}: {e.message}" for t in report.tasks for e in t.errors]}


def croissant_faults(folder):
    try:
        dataset = mlcroissant.Dataset(str(folder / "croissant.json"))
        issues = dataset.metadata.issues
        rows = {each.id: sum(1 for _ in dataset.records(each.id)) for each in dataset.metadata.record_sets}
        return {"rows": rows, "faults": [*issues.errors, *issues.warnings]}
    except Exception as error:  # Any exception of the validator is a fault of the descriptor.
        return {"rows": {}, "faults": [f"{type(error).__name__}: {error}"]}


def keep(cache, context):
    session = CachedSession(cache, backend="sqlite", expire_after=-1)
    answer = Response()
    answer.status_code, answer.url, answer._content = 200, CONTEXT, context.read_bytes()
    answer.headers["Content-Type"] = "application/ld+json"
    answer.raw = HTTPResponse(body=io.BytesIO(answer.content), status=200, preload_content=False)
    answer.request = session.prepare_request(Request("GET", CONTEXT, headers={"Accept": ACCEPT}))
    session.cache.save_response(answer)


def crate_faults(folder, context, cache):
    keep(cache, context)
    settings = services.ValidationSettings(
        rocrate_uri=str(folder),
        profile_identifier="ro-crate-1.2",
        requirement_severity=models.Severity.REQUIRED,
        offline=True,
        cache_path=cache,
    )
    result = services.validate(settings)
    faults = [f"{issue.check.identifier}: {issue.message}" for issue in result.get_issues()]
    return {"passed": result.passed(), "checks": len(result.executed_checks), "faults": faults}


def main():
    folder, context, cache = map(Path, sys.argv[1:4])
    found = {
        "frictionless": frictionless_faults(folder),
        "croissant": croissant_faults(folder),
        "crate": crate_faults(folder, context, str(cache / "contexts")),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
