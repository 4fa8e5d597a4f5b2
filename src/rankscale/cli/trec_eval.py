"""`rankscale trec_eval`: its own options, its own output; see `rankscale.trec_eval`."""

import click


@click.command("trec_eval", context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def command(ctx: click.Context, arguments: tuple[str, ...]) -> None:
    """Replace trec_eval: same options, same bytes out, same exit codes."""
    from rankscale.trec_eval import main

    ctx.exit(main(arguments))
