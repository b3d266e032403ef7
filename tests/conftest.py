"""Every test has its own home, cache and working directory; the converted model is shared, since it costs 20 s."""

import os
import tempfile
from pathlib import Path

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")
# Threads that spin while they wait stall each other where cores are shared, as on most test machines.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


@pytest.fixture(autouse=True)
def isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings, keys or cache of the person who runs the tests reach them."""
    for name in list(os.environ):
        if name.startswith("DQLORE_") and name not in ("DQLORE_DATA", "DQLORE_TEST_CACHE"):
            monkeypatch.delenv(name)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)


def data_folder() -> Path | None:
    """Return the folder with the public datasets, None where this machine has none."""
    for folder in (os.environ.get("DQLORE_DATA"), Path(__file__).parents[2] / "shared" / "data"):
        if folder and Path(folder).is_dir():
            return Path(folder).resolve()
    return None


@pytest.fixture(scope="session")
def data() -> Path:
    """The public datasets; tests that need them are skipped where they are absent."""
    folder = data_folder()
    if folder is None:
        pytest.skip("no datasets here: set DQLORE_DATA to a folder that has one folder per dataset")
    return folder


@pytest.fixture(scope="session")
def model_cache() -> Path:
    """A cache folder that outlives the run, so that the bundled model is converted once per machine."""
    default = Path(tempfile.gettempdir()) / f"dqlore-test-cache-{os.getuid()}"
    folder = Path(os.environ.get("DQLORE_TEST_CACHE", default))
    folder.mkdir(parents=True, exist_ok=True)
    return folder
