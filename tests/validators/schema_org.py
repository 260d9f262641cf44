"""`python schema_org.py FILE`: what of a JSON-LD document schema.org does not know, or not so, as JSON.

The document is read by rdflib, and judged by the vocabulary that `rocrate` carries: nothing is fetched.
"""

import json
import sys
from importlib.resources import files
from pathlib import Path

from rdflib import RDF, RDFS, Graph, URIRef

TERMS = "http://schema.org/"  # as the vocabulary has them
LATER = {f"{TERMS}sha256"}  # of media objects since schema.org 14, which is newer than the vocabulary here


def vocabulary() -> Graph:
    content = json.loads(files("rocrate").joinpath("data/schema.jsonld").read_text(encoding="utf-8"))
    del content["@id"]  # it would make a named graph of all
    return Graph().parse(data=json.dumps(content), format="json-ld")


def main() -> None:
    content = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    assert content.pop("@context") == "https://schema.org/"
    read = Graph().parse(data=json.dumps(content | {"@context": {"@vocab": TERMS}}), format="json-ld")
    known, found = vocabulary(), []
    domain = URIRef(f"{TERMS}domainIncludes")
    for subject, predicate, value in read:
        if predicate == RDF.type:
            found += [f"no type: {value}"] if (value, RDF.type, RDFS.Class) not in known else []
            continue
        if str(predicate) in LATER:
            continue
        if (predicate, RDF.type, RDF.Property) not in known:
            found.append(f"no property: {predicate}")
            continue
        kinds = {
            kind for own in read.objects(subject, RDF.type) for kind in known.transitive_objects(own, RDFS.subClassOf)
        }
        if not kinds & set(known.objects(predicate, domain)):
            found.append(f"{predicate} is no property of {sorted(read.objects(subject, RDF.type))}")
    print(json.dumps({"statements": len(read), "found": sorted(set(found))}))


if __name__ == "__main__":
    main()
