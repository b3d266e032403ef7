import pytest
import torch

from dqlore.core.device import available_devices, pick_device, torch_dtype
from dqlore.core.errors import UsageError


def test_cpu_can_always_be_named_and_says_what_it_is() -> None:
    device = pick_device("cpu", "float32")
    assert (device.name, device.dtype) == ("cpu", "float32")
    assert "CPU" in device.description
    assert torch_dtype(device) is torch.float32


def test_auto_takes_the_first_device_there_is() -> None:
    assert pick_device().name == available_devices()[0]
    assert available_devices()[-1] == "cpu"


def test_a_device_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(UsageError, match=r"no device 'cuda:97'.*cpu"):
        pick_device("cuda:97")
    with pytest.raises(UsageError, match="no device 'gpu'"):
        pick_device("gpu")


def test_an_unknown_dtype_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"'int8'.*bfloat16"):
        pick_device("cpu", "int8")


def test_bfloat16_is_automatic_only_where_the_processor_multiplies_it() -> None:
    native = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    assert pick_device("cpu").dtype == ("bfloat16" if native else "float32")
    assert pick_device("cpu", "bfloat16").dtype == "bfloat16"


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
def test_cuda_without_a_number_is_the_first_gpu() -> None:
    device = pick_device("cuda")
    assert device.name == "cuda:0"
    assert "GiB" in device.description
