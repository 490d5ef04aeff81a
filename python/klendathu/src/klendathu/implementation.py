"""`implement`: a value that an agent produces."""

from __future__ import annotations

import contextlib
import os
import sys
import types
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, overload

from .errors import KlendathuError
from .items import split_items
from .launch.options import ImplementOptions, Options, make_options
from .launch.process import to_failure
from .launch.run import Control, Run
from .schema import Invalid, Schema

if TYPE_CHECKING:
    from .launch.options import Unpack

T = TypeVar("T")


@overload
def implement(
    prompt: str, context: Mapping[str, Any], schema: type[T], **options: Unpack[ImplementOptions]
) -> Run[T]: ...
@overload
def implement(prompt: str, context: Mapping[str, Any], schema: Any, **options: Unpack[ImplementOptions]) -> Run[Any]: ...
def implement(prompt: str, context: Mapping[str, Any], schema: Any, **options: Unpack[ImplementOptions]) -> Run[Any]:
    """Lets an agent produce a value that matches the schema: `await implement(…)`, or `implement(…).result()`.

    - `schema`: a model of pydantic 1 or 2, a dataclass, a TypedDict, another type such as `list[int]`, or a JSON Schema.
      A model and a dataclass come back as instances.
    - `cache`: a result is stored in `cache_folder` (`.klendathu/cache` in the project), and returned for the same prompt,
      schema, values of the context and instructions; default False. A context that is not plain data is asked about
      each time
    - `attempts`: results that the agent may try; default 5

    Other options are those of `investigate`. The result raises `KlendathuError` only: `schema` for a schema without a
    form in JSON, `refused` if the agent reports that there is no such value, `no-result` if it ends without one.
    """
    caller = sys._getframe(1)
    problem: KlendathuError | None = None
    checked, opened, target = Options(), None, None
    try:
        checked = make_options(options)
        if not isinstance(prompt, str) or not prompt.strip():
            raise KlendathuError("input", "The prompt is empty.")
        if not isinstance(context, Mapping):
            raise KlendathuError("input", "The context is not a mapping.")
        opened = Schema(schema)
        target = _capture(context, checked, caller)
    except KlendathuError as found:
        problem = found

    def work(control: Control) -> Any:
        if problem is not None:
            raise problem
        assert opened is not None
        return _produce(target, checked, control, task=(prompt, opened, checked.attempts))

    return Run(work, subject=None, timeout=checked.timeout)


def _capture(context: Mapping[str, Any], options: Options, caller: types.FrameType) -> Any:
    from .inspect.redact import Redactor
    from .mcp.target import Target

    items, descriptions = split_items(context)
    return Target(
        None,
        items,
        descriptions,
        caller=caller,
        redactor=Redactor(options.redact),
        isolation=options.resolve_isolation(),
        project_root=options.folder,
    )


def _produce(target: Any, options: Options, control: Control, *, task: tuple[str, Schema, int]) -> Any:
    from .launch.agent import run_agent
    from .inspect.exact import NotExact
    from .launch.cache import FOLDER, ReplayCache
    from .mcp.tools import Implementation

    prompt, schema, attempts = task
    cache: ReplayCache | None = None
    if options.cache:
        folder = os.path.join(options.folder, options.cache_folder or FOLDER)
        context = target.values
        # Values that cannot be compared have no result that can be used again.
        with contextlib.suppress(NotExact):
            cache = ReplayCache(folder, prompt, schema.json_schema, context=context, more=options.instructions)
        stored = cache.read() if cache is not None else None
        if stored is not None:
            try:
                return schema.read(stored[0])
            except Invalid:
                pass
    results: list[tuple[Any, Any]] = []
    refusals: list[str] = []
    valid: dict[int, Any] = {}

    def validate(value: Any) -> list[str]:
        try:
            valid[id(value)] = schema.read(value)
        except Invalid as error:
            return error.reasons
        return []

    implementation = Implementation(
        validate=validate,
        on_result=lambda value: results.append((valid[id(value)], value)),
        on_refused=refusals.append,
        attempts=attempts,
    )
    end, _ = run_agent(
        target, options, control, task=(prompt, schema.json_schema), implementation=implementation
    )
    # A result counts even if the agent failed after it.
    if results:
        if cache is not None:
            cache.write(results[-1][1])
        return results[-1][0]
    if refusals:
        raise KlendathuError("refused", refusals[-1])
    if end.code != 0:
        raise to_failure(end)
    raise KlendathuError("no-result", "The agent ended without a valid result.")
