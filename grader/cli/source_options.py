"""What commands that read a class are told about its source. Apart from `options`, which every command loads."""

from __future__ import annotations

import click

from grader import registry
from grader.intake.recognise import AUTO

layout_option = click.option(
    "--layout",
    type=click.Choice([AUTO, *registry.LAYOUTS]),
    default=AUTO,
    show_default=True,
    help="What SOURCE was downloaded as, if that is not recognised.",
)
