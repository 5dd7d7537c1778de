# SPDX-License-Identifier: Apache-2.0
"""The API's description, openapi.json, for comparing it with what the gateway answers."""

import json
import re
from pathlib import Path

import jsonschema

DOCUMENT = json.loads((Path(__file__).parents[3] / "Sources/Gateway/Web/openapi.json").read_text())
VERBS = ("get", "post", "put", "delete", "patch")


def operations():
    """Each (method, path, operation)."""
    for path, item in DOCUMENT["paths"].items():
        for verb in VERBS:
            if verb in item:
                yield verb.upper(), path, item[verb]


def operation(method: str, path: str):
    """The operation of a request; None for a path that the API does not have. Files come before {id}."""
    path = path.split("?")[0]
    for verb, template, found in sorted(operations(), key=lambda entry: entry[1].count("{")):
        pattern = re.sub(r"\\{\w+\\}", "[^/]+", re.escape(template))
        if verb == method and re.fullmatch(pattern, path):
            return found
    return None


def resolved(value: dict) -> dict:
    while "$ref" in value:
        part = DOCUMENT
        for name in value["$ref"].removeprefix("#/").split("/"):
            part = part[name]
        value = part
    return value


def check(answer) -> None:
    """Fails if the description does not have this answer of a known operation."""
    found = operation(answer.method, answer.path)
    if found is None:
        return
    described = found["responses"].get(str(answer.status))
    assert described, f"{answer} is not described"
    content = resolved(described).get("content")
    if content is None:
        assert answer.body == b"", answer
        return
    media = answer.headers["Content-Type"].split(";")[0]
    assert media in content, f"{answer.method} {answer.path}: {media} is not described"
    if media.endswith("json"):
        schema = {**content[media]["schema"], "components": DOCUMENT["components"]}
        jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker()).validate(answer.json)
    for name, header in resolved(described).get("headers", {}).items():
        assert name in answer.headers or header.get("required") is False, f"{answer.method} {answer.path}: no {name}"
