# SPDX-License-Identifier: Apache-2.0
"""Objects of the interface as dataclasses; models.py, which is generated from openapi.json, has them."""

from __future__ import annotations

import dataclasses
from datetime import datetime
from typing import Any, ClassVar, Dict, Literal, Mapping, Type, TypeVar, Union, get_args, get_origin, get_type_hints

Own = TypeVar("Own", bound="Value")


class Value:
    """A dataclass that is read from JSON and written as JSON.

    Members that this version does not know are left out, and an unknown word of a list of words is kept: a newer
    gateway is no error.
    """

    # Of attributes whose name differs from the member's: `created_at` is `createdAt`.
    names: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def from_json(cls: Type[Own], document: Any) -> Own:
        """Raises ValueError if a member is missing or of another kind."""
        if not isinstance(document, dict):
            raise ValueError(f"{cls.__name__} is an object, not {document!r}")
        found = {}
        for attribute, kind in types_of(cls).items():
            name = cls.names.get(attribute, attribute)
            if document.get(name) is not None:
                found[attribute] = decoded(kind, document[name], f"{cls.__name__}.{attribute}")
        try:
            return cls(**found)
        except TypeError as error:
            raise ValueError(f"{cls.__name__}: {error}") from None

    def to_json(self) -> Dict[str, Any]:
        """Without absent members."""
        return {
            self.names.get(attribute, attribute): encoded(value)
            for attribute in types_of(type(self)) if (value := getattr(self, attribute)) is not None}


def types_of(cls: Type[Any]) -> Dict[str, Any]:
    hints = get_type_hints(cls)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


def decoded(kind: Any, value: Any, place: str) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Union:
        return decoded(next(part for part in arguments if part is not type(None)), value, place)
    if origin is list and isinstance(value, list):
        return [decoded(arguments[0], item, place) for item in value]
    if origin is dict and isinstance(value, dict):
        return {name: decoded(arguments[1], item, place) for name, item in value.items()}
    if origin is Literal and isinstance(value, str):
        return value
    if kind is Any:
        return value
    if isinstance(kind, type) and issubclass(kind, Value):
        return kind.from_json(value)
    if kind is datetime and isinstance(value, str):
        return datetime.fromisoformat(value.replace("Z", "+00:00"))
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind is float and is_number:
        return float(value)
    if kind in (str, bool) and isinstance(value, kind) or kind is int and is_number and value == int(value):
        return value
    raise ValueError(f"{place} is not {value!r}")


def encoded(value: Any) -> Any:
    if isinstance(value, Value):
        return value.to_json()
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, (list, tuple)):
        return [encoded(item) for item in value]
    return value
