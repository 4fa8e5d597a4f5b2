"""Groups of commands of which each is imported when it is called."""

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from types import MappingProxyType
from typing import TypedDict, Unpack

import click

Members = Mapping[str, tuple[str, str]]
PACKAGE = os.path.dirname(os.path.dirname(__file__))


class GroupSettings(TypedDict, total=False):
    """What click gives a group that a function is made into."""

    name: str | None
    callback: Callable[..., object] | None
    params: list[click.Parameter]
    help: str | None
    epilog: str | None
    context_settings: dict[str, object]


def summaries(folder: str, module: str, **own: str) -> dict[str, tuple[str, str]]:
    """Of the studies or figures that are declared: the place that makes each command, and its summary.

    `module` makes them all, but for those that have a module of their `own`.
    """
    import json

    with open(os.path.join(PACKAGE, folder, "register.json"), encoding="utf-8") as file:
        listed = {name: declared["summary"] for name, declared in json.load(file).items()}
    return {name: (own.get(name, f"{module}:{name}"), summary) for name, summary in listed.items()}


class LazyGroup(click.Group):
    """Lists commands without importing them: help is quick, and a command pays only for itself.

    `table` has, by name, the module that holds `command` (or makes it: module:name), and a summary. Entries of `known`
    are those that can be had without it.
    """

    def __init__(
        self, *, table: Callable[[], Members], known: Members = MappingProxyType({}), **settings: Unpack[GroupSettings]
    ) -> None:
        super().__init__(**settings)
        self.table, self.known = table, known

    @cached_property
    def members(self) -> Members:
        """All commands, by name."""
        return self.table()

    def _is_member(self, name: str) -> bool:
        return name in self.known or name in self.members

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table, which is the order of use."""
        return list(self.members)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now."""
        if not self._is_member(cmd_name):
            return None
        module, _, declared = (self.known.get(cmd_name) or self.members[cmd_name])[0].partition(":")
        place = import_module(module)
        command: click.Command = place.command_of(declared) if declared else place.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, with the nearest command named where there is none of that name."""
        if args and not args[0].startswith("-") and not self._is_member(args[0]):
            from difflib import get_close_matches

            near = get_close_matches(args[0], self.members, n=1)
            hint = f"did you mean {near[0]}?" if near else f"`{ctx.command_path} --help` lists all of them"
            ctx.fail(f"unknown {self.kind} {args[0]!r}; {hint}")
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            _refuse_repeated(ctx, command, rest)
        return name, command, rest

    kind = "command"

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One line each, from the table: nothing is imported."""
        with formatter.section(f"{self.kind.title()}s"):
            formatter.write_dl([(name, words) for name, (_, words) in self.members.items()])


def _refuse_repeated(ctx: click.Context, command: click.Command, arguments: list[str]) -> None:
    """Refuse an option that is given twice and takes one value: click would keep the last without a word."""
    given = arguments[: arguments.index("--")] if "--" in arguments else arguments
    named = [part.partition("=")[0] if part.startswith("--") else part for part in given if part.startswith("-")]
    for option in command.params:
        if isinstance(option, click.Option) and not (option.multiple or option.is_flag or option.count):
            times = sum(named.count(spelling) for spelling in option.opts)
            if times > 1:
                lists = ": write a list with commas" if option.type.name == "LIST" else ""
                ctx.fail(f"{option.opts[-1]} is given {times} times, and takes one value here{lists}")
