"""Validates documents against the shapes of docs/linked-data/, and prints the violations of each document as JSON.

    python shapes.py SHAPES < {"name of a document": document, …}

A document must contain its context. A document that refers to another context is rejected, because nothing is fetched.
"""

import json
import sys

from pyshacl import validate
from rdflib import Graph, Namespace

SH = Namespace("http://www.w3.org/ns/shacl#")
BASE = "https://share.example.org/records/of-the-document"


def faults(shapes, document):
    if not isinstance(document.get("@context"), dict):
        return ["the context is not in the document"]
    data = Graph().parse(data=json.dumps(document), format="json-ld", publicID=BASE)
    conforms, report, _ = validate(data, shacl_graph=shapes, inference="none", advanced=False)
    if conforms:
        return []
    found = {
        f"{report.value(result, SH.resultPath) or report.value(result, SH.sourceConstraintComponent)}"
        for result in report.objects(None, SH.result)
    }
    return sorted(found) or ["it does not conform"]


shapes = Graph().parse(sys.argv[1], format="turtle")
json.dump({name: faults(shapes, document) for name, document in json.load(sys.stdin).items()}, sys.stdout)
