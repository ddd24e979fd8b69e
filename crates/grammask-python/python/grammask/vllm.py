"""grammask as the structured-output engine of vLLM.

vLLM has no registry for such engines. The package is a plugin (``vllm.general_plugins``) that takes the place
of the engine named ``guidance``, and does so only if the environment variable ``GRAMMASK_VLLM`` is 1:

    GRAMMASK_VLLM=1 vllm serve MODEL --structured-outputs-config.backend guidance

In each process of vLLM, :func:`register` rebinds names of ``vllm.v1.structured_output``. If a version of vLLM
lacks one of them, it raises ``RuntimeError`` with the name.
"""

from __future__ import annotations

import importlib
import os

__all__ = ["NAMES", "VARIABLE", "install", "register"]

#: The environment variable that turns the plugin on.
VARIABLE = "GRAMMASK_VLLM"

#: The names that are read or rebound, by module.
NAMES = {
    "vllm.v1.structured_output": ["GuidanceBackend"],
    "vllm.v1.structured_output.backend_guidance": [
        "GuidanceBackend",
        "has_guidance_unsupported_json_features",
        "validate_guidance_grammar",
    ],
    "vllm.v1.structured_output.backend_types": [
        "StructuredOutputBackend",
        "StructuredOutputGrammar",
        "StructuredOutputOptions",
    ],
    "vllm.v1.structured_output.request": ["get_structured_output_key"],
}


def register() -> None:
    """The entry point of the plugin: calls :func:`install` if the environment variable ``GRAMMASK_VLLM`` is
    1.

    Raises ``ValueError`` if the variable has a value other than 0, 1 or nothing.
    """
    value = os.environ.get(VARIABLE, "")
    if value == "1":
        install()
    elif value not in ("", "0"):
        raise ValueError(f"{VARIABLE}: {value!r} is not 0 or 1")


def install() -> None:
    """Puts grammask in the place of the engine ``guidance`` in this process. A second call changes nothing.

    Raises ``RuntimeError`` if a name of :data:`NAMES` is missing.
    """
    modules = {name: importlib.import_module(name) for name in NAMES}
    missing = [
        f"{module}.{name}"
        for module, names in NAMES.items()
        for name in names
        if not hasattr(modules[module], name)
    ]
    if missing:
        version = getattr(importlib.import_module("vllm"), "__version__", "unknown")
        raise RuntimeError(
            f"grammask cannot be used with this version of vLLM ({version}); "
            f"these names are missing: {', '.join(missing)}"
        )
    from grammask import _vllm

    modules["vllm.v1.structured_output"].GuidanceBackend = _vllm.GrammaskBackend  # type: ignore[attr-defined]
    guidance = modules["vllm.v1.structured_output.backend_guidance"]
    guidance.GuidanceBackend = _vllm.GrammaskBackend  # type: ignore[attr-defined]
    guidance.validate_guidance_grammar = _vllm.validate  # type: ignore[attr-defined]
    guidance.has_guidance_unsupported_json_features = lambda schema: False  # type: ignore[attr-defined]
