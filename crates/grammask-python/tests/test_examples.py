"""The examples of the documentation and of the folder `examples` run as they are printed."""

import doctest
import pathlib
import re
import runpy

import pytest

import grammask
import grammask.numpy

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "crates/grammask-python/examples"


def test_the_page_on_python() -> None:
    text = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(>>> .*?)```", text, re.DOTALL)
    assert len(blocks) >= 7
    session = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "docs/python.md", None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(session)
    assert runner.failures == 0


@pytest.mark.parametrize("module", [grammask, grammask.numpy])
def test_modules(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted > 0 and result.failed == 0


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_programs(path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = re.search(r"^Needs (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    if wanted:
        pytest.importorskip(wanted[1])
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out
