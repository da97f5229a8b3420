"""Recomputes a release from the documents: digests, funders, institutions, researchers, ranges and improvements.

    python recompute.py RELEASE DOCS [RECORDS IMPROVEMENTS]

RELEASE is a downloaded release, DOCS the folder of this documentation, RECORDS and IMPROVEMENTS are saved responses of
/records and /improvements. It needs `pip install duckdb`, and prints a line for each rule. It stops at a difference.
"""

import csv
import json
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from hashlib import sha256
from pathlib import Path

import duckdb

release, docs, *answers = map(Path, sys.argv[1:])
receipt = json.loads((release / "release.json").read_text("utf-8"))
stated = receipt["content"]


def document(path):
    return json.loads((release / path).read_text("utf-8"))


def sha(text):
    return sha256(text.encode()).hexdigest()


def agree(rule, one, other, count=1):
    if one != other or count == 0:
        sys.exit(f"{rule}: the release has {one}, the documents give {other}")
    print(f"{rule}: {count}")


# --- docs/reference/tables.md: the columns and the key of each table -----------------------------------------------

sections = re.split(r"^### ", (docs / "reference/tables.md").read_text("utf-8"), flags=re.MULTILINE)
tables = {}
for section in sections:
    if published := re.search(r"^- Published as: `data/([a-z-]+)/", section, re.MULTILINE):
        columns = dict(re.findall(r"^\| `(\w+)` +\| (\w+) +\|", section, re.MULTILINE))
        key = re.findall(r"`(\w+)`", re.search(r"^- Key: (.*)", section, re.MULTILINE)[1])
        tables[published[1]] = (columns, key)
there = sorted(path.name for path in (release / "data").iterdir() if path.is_dir())
agree("tables with a section", there, sorted(tables.keys() & set(there)), len(there))

db = duckdb.connect()
for name in there:
    db.execute(f"""create view "{name}" as from '{release}/data/{name}/*.parquet'""")


def rows(query):
    return db.execute(query).fetchall()


# --- docs/adr/0002-release-digest.md -----------------------------------------------------------------------------------


def spelled(value):
    if value is None:
        return "-"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"{len(text)}:{text}"


def root(name):
    columns, key = tables[name]
    shards = defaultdict(list)
    for row in rows(f'select {", ".join(columns)} from "{name}"'):
        values = dict(zip(columns, row))
        place = sha("".join(spelled(values[each]) for each in key))
        shards[place[:3]].append((place, sha("".join(map(spelled, row)))))
    lines = (f"{shard} {sha(''.join(row for _, row in sorted(shards[shard])))}\n" for shard in sorted(shards))
    return "sha256:" + sha("".join(lines))


def digest(value):
    return "sha256:" + sha(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False))


roots = {name: root(name) for name in there}
agree("roots of tables", stated["tables"], roots, len(roots))
words = document("data/vocabularies.json")
inputs = {
    "asOf": receipt["asOf"],
    **{f"contract {id}": digest(each) for id, each in document("data/contracts.json").items()},
    **{f"pledge {source}": digest(each) for source, each in document("data/pledges.json").items()},
    "vocabularies": digest({file: sha(text) for file, text in words.items()}),
    "enrichments": digest(receipt["enrichments"]),
    "withheld": receipt["withheld"]["digest"],
    "policy": digest(receipt["policy"]),
    "pages": stated["inputs"]["pages"],
}
agree("inputs", stated["inputs"], inputs, len(inputs))
content = {"format": 3, "inputs": inputs, "pages": stated["pages"], "tables": roots}
agree("release digest", receipt["releaseDigest"], digest(content))

# --- docs/method.md, "Funders and awards" and "Institutions and countries" ---------------------------------------------

funders, awards = defaultdict(set), defaultdict(set)
statements = """select id, place, funder, funder_scheme, funder_id, award_number, award_title, award_url from funding"""
for id, place, *values in rows(statements):
    funder, scheme, funder_id, award, *_ = values
    if funder or funder_id or not any(values):
        funders[id].add(funder or (f"{scheme}:{funder_id}" if funder_id else place))
    if award:
        awards[id].add(award)
counted = {id: (len(funders[id]), len(awards[id])) for id in [*funders, *awards]}
evidence = {id: (f or 0, a or 0) for id, f, a in rows("select id, funder_count, award_count from evidence") if f or a}
agree("funders and awards", evidence, counted, len(counted))
texts = rows("select institution_id, reported_json from affiliations")
agree("ids of institutions", [id for id, _ in texts], [sha(json.loads(text)) for _, text in texts], len(texts))

# --- docs/method.md, "Identity of researchers" -------------------------------------------------------------------------

letters = {row["character"]: row["folded"] for row in csv.DictReader(words["folding.csv"].splitlines())}
degrees = {re.sub(r"\W", "", row["text"]).lower() for row in csv.DictReader(words["degrees.csv"].splitlines())}


def fold(text):
    text = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).lower())
    plain = "".join(each for each in text if not unicodedata.combining(each))
    plain = "".join(letters.get(each, each) for each in unicodedata.normalize("NFC", plain))
    return re.sub(r"[\W_]+", " ", plain).strip()


def fold_name(name):
    family, _, given = name.partition(",")
    return fold(f"{given} {family}")


def id_of(text):
    return "a" + sha(text)[:24]


# A creator without an ORCID iD can belong to a researcher who has one.
people = rows("""select researcher_id, authorships.name, authorships.affiliation, known.orcid, version_family
    from authorships join records using (id)
    join (select id as researcher_id, max(orcid) as orcid from researchers group by all) as known using (researcher_id)""")
bases = Counter()
for researcher, name, affiliation, orcid, family in people:
    # Words that can be degrees, and suffixes such as "Jr.", have rules of their own.
    if orcid is None and (degrees & set(fold(name).split()) or name.count(",") > 1):
        continue
    named = {
        "orcid": f"orcid:{orcid}",
        "name_affiliation": f"name_affiliation:{fold_name(name)}|{fold(affiliation or '')}",
        "name": f"name:{fold_name(name)}|{family}",
    }
    found = [basis for basis, text in named.items() if id_of(text) == researcher]
    bases[found[0] if found else f"none: {name}"] += 1
agree("bases of researchers", sorted(bases), ["name", "name_affiliation", "orcid"], bases.total())

# --- docs/method.md, "Arithmetic", and docs/api-guide.md, "Find what to fix first" -------------------------------------

if answers:
    listed, found = (json.loads(path.read_text("utf-8"))["data"] for path in answers)
    masks = {}
    for id, source, total, *own in rows("""select id, source, total, supported_mask, evaluable_mask, passed_mask
        from scores join records using (id) where rubric = '2.0'"""):
        masks[id] = (source, total, *own)
    ranges = {row["id"]: row["range"] for row in listed if row["range"]}
    made = {}
    for id in ranges:
        _, total, supported, evaluable, _ = masks[id]
        made[id] = {"least": total, "most": total + 4 * (supported.bit_count() - evaluable.bit_count())}
    agree("ranges", ranges, made, len(ranges))

    scored = sum(total is not None for _, total, *_ in masks.values())
    absent, gain = Counter(), Counter()
    for source, total, _, evaluable, passed in masks.values():
        for bit in range(25):
            if (evaluable & ~passed) >> bit & 1:
                row = ("SHARE"[bit // 5] + str(bit % 5 + 1), source)
                absent[row] += 1
                gain[row] += 4 * (total is not None)
    points = {row: (absent[row], (200 * gain[row] + scored) // (2 * scored) / 100) for row in absent}
    said = {(row["signal"], row["source"]): (row["datasets"], row["points"]) for row in found["improvements"]}
    agree("improvements", {row: each for row, each in said.items() if each[0]}, points, len(points))
