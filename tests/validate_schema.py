#!/usr/bin/python3
"""validate_schema.py SCHEMA [REPORT...]: every report (standard input without one) fits the schema, and the schema itself is one.
With --prog PROGRAM ARGUMENT... after the schema, the report is what that program prints."""
import json, subprocess, sys

import jsonschema


def check(schema, name, text):
    errors = sorted(jsonschema.Draft202012Validator(schema).iter_errors(json.loads(text)), key=lambda e: list(e.path))
    for e in errors[:10]:
        print(f"{name}: {'/'.join(map(str, e.path))}: {e.message[:300]}")
    return not errors


with open(sys.argv[1]) as f:
    schema = json.load(f)
jsonschema.Draft202012Validator.check_schema(schema)
more = sys.argv[2:]
if more[:1] == ["--prog"]:
    run = subprocess.run(more[1:], capture_output=True)
    good = check(schema, more[1], run.stdout)
elif more:
    good = all([check(schema, name, open(name).read()) for name in more])
else:
    good = check(schema, "standard input", sys.stdin.read())
sys.exit(not good)
