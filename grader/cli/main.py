"""The entry point: finds the command, and turns what went wrong into one sentence and an exit status.

Runs in the command. Commands are loaded when they are called, so that `grader --help` imports neither torch nor pytest.
"""

from __future__ import annotations

import io
import os
import signal
import sys

import click

import grader
from grader import registry
from grader.errors import GraderError, MachineProblem
from grader.render.talk import say

INTERRUPTED = 130


class _LazyGroup(click.Group):
    """A group whose commands lie in modules of their own."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(registry.COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = registry.COMMANDS.get(cmd_name)
        if place is None:
            return None
        command: click.Command = registry.load(place[0])
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Name the commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in registry.COMMANDS.items()])


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(grader.__version__, prog_name="grader")
def cli() -> None:
    """Grade homework of machine-learning courses: student code is confined, wrong answers are explained."""


def main() -> None:
    """Run the command line and exit with the status that it promises; being told to end is as Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name that a terminal cannot show must not end a run
    for name in ("SIGTERM", "SIGHUP"):  # a scheduler that ends a job, a terminal that is closed
        if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) is not signal.SIG_IGN:  # as under nohup
            signal.signal(getattr(signal, name), signal.default_int_handler)
    try:
        status = cli.main(standalone_mode=False)
    except click.exceptions.Exit as leaving:
        status = leaving.exit_code
    except click.ClickException as problem:
        shown = io.StringIO()
        problem.show(shown)
        for line in shown.getvalue().splitlines():
            say(line)
        status = 2
    except GraderError as problem:
        say(f"grader: {problem}")
        status = problem.exit_status
    except (KeyboardInterrupt, click.Abort):
        say("grader: interrupted")
        status = INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        status = 1
    except Exception as error:  # a bug of ours, or a machine in trouble: one sentence, and never the status of a mark
        if os.environ.get("GRADER_DEBUG"):
            raise
        where = f" ({error.filename})" if isinstance(error, OSError) and error.filename else ""
        say(f"grader: stopped by {type(error).__name__}: {error}{where}; GRADER_DEBUG=1 shows more.")
        status = MachineProblem.exit_status
    sys.exit(status if isinstance(status, int) else 0)


if __name__ == "__main__":
    main()
