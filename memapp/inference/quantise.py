"""The one-time conversion of a model file into a number format that this machine computes fast.

llama.cpp has no fast matrix kernel for Q4_1 and Q5_1 on x86; the same weights as Q8_0 prefill about
twice as fast and answer the same. The converted file is in the cache folder under the hash of the
original. If anything prevents it (a full disk, a model too big to gain), the original is used.
"""

import ctypes
import logging
import os
import platform
import shutil
from collections.abc import Callable
from pathlib import Path

from memapp.errors import ModelError
from memapp.inference import cached_copies, gguf_file
from memapp.inference.native import library, usable_cores

log = logging.getLogger(__name__)

SLOW_TYPES = {gguf_file.Q4_1: 20 / 32, gguf_file.Q5_1: 24 / 32}
"""Formats without a fast kernel, with their bytes per weight."""
Q8_BYTES = 34 / 32
LARGEST = 1_000_000_000
"""The largest file to convert, in bytes: larger models decode at memory bandwidth, so that more
bytes would cost what prefill gains.
"""
SPARE_DISK = 200_000_000
"""Bytes left free on the disk for memapp's data and everything else."""
X86 = ("x86_64", "amd64")

STARTED = "Making a faster copy of the model, once"
FINISHED = "Loading the model"


def prepare(path: Path, cache: Path, report: Callable[[str], None]) -> Path:
    """Return the file to load for a model: the original, or its conversion, made on first use.

    `report` gets a text when a conversion starts and when it ends. Raises `ModelError` if the model
    file itself is missing or damaged.
    """
    header = gguf_file.read(path)
    if (
        header.main_type not in SLOW_TYPES
        or platform.machine().lower() not in X86
        or len(gguf_file.parts(path)) > 1
    ):
        return path
    if header.size > LARGEST:
        log.info("%s stays as it is: too big to gain from a conversion", path.name)
        return path
    try:
        cache.mkdir(parents=True, exist_ok=True, mode=0o700)
        file_name = f"{path.stem.rpartition('.')[0] or path.stem}.Q8_0.gguf"
        converted = cache / cached_copies.content_hash(path, cache) / file_name
        if converted.is_file():
            return converted
        needed = int(header.size / SLOW_TYPES[header.main_type] * Q8_BYTES) + SPARE_DISK
        if shutil.disk_usage(cache).free < needed:
            log.warning(
                "%s stays in its slower form: a faster copy needs %.1f GB of free disk",
                path.name,
                needed / 1e9,
            )
            return path
        report(STARTED)
        _convert(path, converted)
        report(FINISHED)
    except (OSError, ModelError) as error:
        log.warning("%s stays in its slower form: %s", path.name, error)
        return path
    return converted


def _convert(path: Path, converted: Path) -> None:
    with cached_copies.whole(converted) as unfinished:
        lib = library()
        parameters = lib.llama_model_quantize_default_params()
        parameters.ftype = lib.LLAMA_FTYPE_MOSTLY_Q8_0
        parameters.allow_requantize = True
        parameters.nthread = usable_cores()
        status = lib.llama_model_quantize(
            os.fsencode(path), os.fsencode(unfinished), ctypes.byref(parameters)
        )
        if status != 0:
            raise ModelError(f"the conversion failed ({status})")
        gguf_file.read(unfinished)
