"""Where models run and in which number format: chosen once, by what the hardware really has."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .errors import UsageError

if TYPE_CHECKING:
    import torch

DTYPES = ("float32", "bfloat16", "float16")


@dataclass(frozen=True, slots=True)
class Device:
    """A device as torch names it ("cpu", "cuda:0", "mps"), the dtype to load weights in, and a line for people."""

    name: str
    dtype: str
    description: str


def pick_device(name: str = "auto", dtype: str = "auto") -> Device:
    """Return the device called `name`, or the fastest there is for "auto", with its dtype.

    Raises UsageError for a device that this machine does not have and for an unknown dtype; the message names what
    exists.
    """
    if dtype not in ("auto", *DTYPES):
        raise UsageError(f"unknown dtype {dtype!r}: use auto, {', '.join(DTYPES)}")
    found = available_devices()
    wanted = found[0] if name == "auto" else "cuda:0" if name == "cuda" else name
    if wanted not in found:
        raise UsageError(f"there is no device {name!r} here: use auto or one of {', '.join(found)}")
    return Device(wanted, _fast_dtype(wanted) if dtype == "auto" else dtype, _describe(wanted))


def available_devices() -> list[str]:
    """Return the devices torch can use here, fastest kind first; "cpu" is always the last."""
    import torch

    cuda = [f"cuda:{i}" for i in range(torch.cuda.device_count())] if torch.cuda.is_available() else []
    mps = ["mps"] if torch.backends.mps.is_available() else []
    return [*cuda, *mps, "cpu"]


def torch_dtype(device: Device) -> "torch.dtype":
    """Return the device's dtype as torch's own object."""
    import torch

    found = getattr(torch, device.dtype)
    assert isinstance(found, torch.dtype)
    return found


def _fast_dtype(name: str) -> str:
    """Return bfloat16 where the hardware multiplies it natively, else float32.

    Emulated bfloat16 (older GPUs, CPUs without AVX512-BF16 or AMX) is slower than float32. float16 is never picked:
    its range ends at 65,504, and models trained in bfloat16 have activations beyond it. That leaves float32 for MPS,
    where only some chips and systems have bfloat16; naming a dtype overrides all this.
    """
    import torch

    if name.startswith("cuda"):
        native = torch.version.hip is not None or torch.cuda.get_device_capability(name) >= (8, 0)
    elif name == "cpu":
        native = bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())
    else:
        native = False
    return "bfloat16" if native else "float32"


def prefers_int8(device: Device) -> bool:
    """Whether the device multiplies int8 so much faster than its dtype that the rounding in between costs less.

    That is so on CPUs with VNNI. With AMX, products in bfloat16 take less time than the rounding would.
    """
    import torch

    return device.name == "cpu" and torch.cpu._is_vnni_supported() and not torch.cpu._is_amx_tile_supported()


def _describe(name: str) -> str:
    import torch

    if name.startswith("cuda"):
        properties = torch.cuda.get_device_properties(name)
        return f"{properties.name} ({properties.total_memory / 2**30:.0f} GiB)"
    if name == "mps":
        return "Apple GPU"
    return f"CPU ({torch.get_num_threads()} threads)"
