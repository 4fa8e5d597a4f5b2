"""`rankscale completion`: the script that makes a shell complete commands, options and measures."""

import click
from click.shell_completion import get_completion_class

from rankscale.cli.command import declared


@declared(
    "completion",
    click.argument("shell", type=click.Choice(["bash", "zsh", "fish"])),
    computes=False,
)
def command(shell: str) -> None:
    """Print the completion script of a SHELL.

    Command line
    ------------
      eval "$(rankscale completion bash)"      once, or in ~/.bashrc
      eval "$(rankscale completion zsh)"       in ~/.zshrc
      rankscale completion fish > ~/.config/fish/completions/rankscale.fish
    """
    from rankscale.cli.program import cli

    completion = get_completion_class(shell)
    if completion is None:
        raise click.UsageError(f"no completion for {shell}")
    click.echo(completion(cli, {}, "rankscale", "_RANKSCALE_COMPLETE").source())
