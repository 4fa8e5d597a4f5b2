"""`python -m tests.fuzz.worker SEED START STOP [FORM]` prints each number before it is tried, then its problem."""

import resource
import sys

from tests.fuzz import agreement, binary_inputs, form_agreement, form_inputs, inputs

MEMORY = 4 << 30  # bytes: what damaged sizes ask for must be refused, not waited for


def main(seed: int, start: int, stop: int, form: str = "trec") -> None:
    for number in range(start, stop):
        print(number, flush=True)
        found = problem(form, seed, number)
        if found is not None:
            print(f"! {found.encode('ascii', 'backslashreplace').decode()!r}", flush=True)


def problem(form: str, seed: int, number: int) -> str | None:
    """What the readers disagree on in one input; None where they agree."""
    if form == "trec":
        return agreement.disagreement(inputs.case(seed, number))
    return form_agreement.disagreement(form_case(form, seed, number))


def form_case(form: str, seed: int, number: int) -> form_inputs.FormCase:
    """An input of any form but TREC files."""
    if form in binary_inputs.BINARY_FORMS:
        return binary_inputs.case(form, seed, number)
    return form_inputs.case(form, seed, number)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    first, start, stop, *form = sys.argv[1:]
    main(int(first), int(start), int(stop), *form)
