"""JAX to LiteRT, without TensorFlow and without torch.

The functions are lowered by `jax.export` with the weights as arguments, so that they never become literals in the
program text; then each weight argument is replaced by a constant that refers to the array in place, all signatures are
merged into one module that shares them, and the module goes through the converter's passes to a flatbuffer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jax import export as jax_export
from litert_converter.mlir import ir, passmanager
from litert_converter.mlir._mlir_libs import converter_api_ext as api
from litert_converter.mlir.dialects import arith
from numpy.typing import NDArray

Specs = Mapping[str, jax.ShapeDtypeStruct]
Function = Callable[[Any, dict[str, jax.Array]], dict[str, jax.Array]]

# Composites (the embedding lookup) must survive until LiteRT's own passes, so they are not inlined here.
PASSES = "builtin.module(vhlo-legalize-stablehlo,reconcile-unrealized-casts,inline,symbol-dce,strip-debuginfo)"

# Smaller constants stay literal: the passes fold them.
RESOURCE_BYTES = 4096


def convert(signatures: Mapping[str, tuple[Function, Specs]], params: Any, path: Path) -> None:
    """Writes a .tflite file with one entry a signature and the weights once.

    Arguments:
        signatures: name -> (function of (params, inputs by name) to outputs by name, shapes of the inputs).
        params: tree of arrays, shared by all signatures.
        path: the file.
    """
    leaves = [np.ascontiguousarray(np.asarray(leaf)) for leaf in jax.tree.leaves(params)]
    shapes = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), params)
    context = ir.Context()
    api.prepare_mlir_context(context)
    constants: dict[int, Any] = {}
    with context, ir.Location.unknown():
        modules = [
            lower_signature(name, function, specs, shapes, leaves, constants)
            for name, (function, specs) in signatures.items()
        ]
        merged = api.merge_modules(modules) if len(modules) > 1 else modules[0]
        config = api.ConvertToTFLConfig()
        config.model_origin_framework = "JAX"
        config.enable_x64 = False
        # Else constants held by reference abort the process; our masks are finite.
        config.canonicalizing_inf_as_min_max_float = False
        config.unsafe_fuse_dynamic_shaped_broadcast = True
        api.run_convert_to_tfl_passes(merged, passmanager.PassManager(), config)
        api.export_flatbuffer_to_file(merged.operation, str(path))


def lower_signature(
    name: str,
    function: Function,
    specs: Specs,
    shapes: Any,
    leaves: list[NDArray[np.generic]],
    constants: dict[int, Any],
) -> Any:
    """The module of one signature, its weight arguments replaced by constants (shared through `constants`)."""
    exported = jax_export.export(jax.jit(function, keep_unused=True), platforms=["cpu"])(shapes, dict(specs))
    outputs = sorted(jax.tree.unflatten(exported.out_tree, exported.out_avals))  # JAX sorts keys, too
    module = ir.Module.parse(exported.mlir_module_serialized)
    passmanager.PassManager.parse(PASSES).run(module.operation)
    main = ir.SymbolTable(module.operation)["main"]
    block = main.regions[0].blocks[0]
    with ir.InsertionPoint.at_block_begin(block):
        for i, leaf in enumerate(leaves):
            argument = block.arguments[i]
            if not list(argument.uses):
                continue
            if i not in constants:
                constants[i] = to_attribute(i, leaf, argument.type)
            argument.replace_all_uses_with(arith.ConstantOp(argument.type, constants[i]).results[0])
    for i in reversed(range(len(leaves))):
        block.erase_argument(i)
    kind = main.type
    main.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(kind.inputs[len(leaves) :], kind.results))
    if "arg_attrs" in main.attributes:
        rest = list(ir.ArrayAttr(main.attributes["arg_attrs"]))[len(leaves) :]
        main.attributes["arg_attrs"] = ir.ArrayAttr.get(rest)
    api.set_signature(module.operation, name, sorted(specs), outputs)
    return module


def to_attribute(index: int, leaf: NDArray[np.generic], kind: Any) -> Any:
    """A weight as a constant: by reference when large."""
    if leaf.nbytes >= RESOURCE_BYTES and leaf.dtype in (np.float32, np.int32):
        return ir.DenseResourceElementsAttr.get_from_buffer(leaf.data, f"weight_{index}", kind)
    return ir.DenseElementsAttr.get(leaf, type=kind)
