"""The command line: one file per command, this one joins them and turns errors into exit codes.

Exit codes: 0 done, 1 failed while running, 2 usage or configuration, 3 below --fail-under, 130 interrupted.
"""

import os
import sys
from typing import Annotated

import typer
from typer.exceptions import Abort, TyperException

from dqlore.core.errors import DqloreError

from . import ask, compare, data, doctor, eval, index, init, methods, plot, report, select, train, tui, tune

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help: no escape codes to suppress, and a faster start
    pretty_exceptions_enable=False,  # a panel of local variables could show a key
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(init.init)
app.command()(doctor.doctor)
app.add_typer(data.app, name="data")
app.command()(index.index)
app.command()(train.train)
app.command()(methods.methods)
app.command()(select.select)
app.command()(ask.ask)
app.command("eval")(eval.evaluate)
app.command()(compare.compare)
app.command()(tune.tune)
app.add_typer(plot.app, name="plot")
app.command()(report.report)
app.command()(tui.tui)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"dqlore {version('dqlore')}")
        raise typer.Exit()


@app.callback()
def dqlore(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Choose the in-context exemplars that make a language model answer right.

    Try: dqlore ask "A train covers 180 km in 2 hours. How far does it go in 5 hours?"
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit. Known errors are one message on stderr; a bug keeps its traceback."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A lone surrogate or a narrow terminal encoding must not end a run; in JSON \\udc80 is a valid escape.
            stream.reconfigure(errors="backslashreplace")
    try:
        code = app(args=arguments, prog_name="dqlore", standalone_mode=False)
        sys.stdout.flush()
        if code == 130:
            _complain("interrupted")
    except DqloreError as error:
        _complain(str(error))
        code = error.exit_code
    except TyperException as error:
        message = error.format_message()
        if message.startswith("Usage:"):  # a command without arguments: its help
            print(message, file=sys.stderr)
        else:
            _complain(message)
        code = error.exit_code
    except (KeyboardInterrupt, Abort):
        _complain("interrupted")
        code = 130
    except BrokenPipeError:
        _give_up_stdout()  # the reader went away (`| head`)
        code = 1
    except OSError as error:
        # The state of the machine: a name that is too long or not allowed is told by name, a full disk without one.
        reason = error.strerror or str(error)
        _complain(reason if error.filename is None else f"{os.fsdecode(error.filename)}: {reason}")
        _give_up_stdout()
        code = 1 if error.filename is None else 2
    sys.exit(code if isinstance(code, int) else 0)


def _give_up_stdout() -> None:
    """Point stdout elsewhere, so that what is left in its buffer is not tried again at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(message: str) -> None:
    from dqlore.core.text import printable

    print(f"error: {printable(message)}", file=sys.stderr)
