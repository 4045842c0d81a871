"""Results as JSON, strictly, both ways.

The schema is derived from the records, so it cannot drift from them; `docs/result.schema.json` is its printed form.
What students chose stands in a result as it is; characters that would act on whoever looks at the file are escaped.
"""

from __future__ import annotations

from typing import Any

import msgspec

from grader.model.result import GradeResult
from grader.model.text import escaped_json

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(GradeResult)


def result_to_json(result: GradeResult) -> bytes:
    """A result as UTF-8 JSON on one line, ending with a line feed."""
    return escaped_json(_encoder.encode(result)) + b"\n"


def result_from_json(content: bytes) -> GradeResult:
    """The result that `content` holds; unknown keys are ignored.

    Raises:
        msgspec.DecodeError: `content` is not JSON or not a result.
    """
    return _decoder.decode(content)


def result_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a result."""
    schema = msgspec.json.schema(GradeResult)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Grading result, version 1", **schema}
