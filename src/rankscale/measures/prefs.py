"""The share of preferences that a ranking fulfils: of all, of pairs of documents, of each assessor."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.judged import Judged
from rankscale.measures.base.parameters import param
from rankscale.measures.base.preference_counts import Among, Places, Preferences, mean_share, of_pairs, share
from rankscale.measures.base.preference_measure import Counted, HalfForTies


@dataclass(frozen=True)
class Share(HalfForTies):
    """Base of the three shares.

    References
    ----------
    Carterette and Bennett, Evaluation Measures for Preference Judgments, SIGIR 2008; Buckley's trec_eval
    """

    undefined: ClassVar[str] = "the topic has no preference that counts"

    among: Among = param(
        "all",
        choices=("all", "seen", "retrieved"),
        help="which preferences count: 'all', those with at least one document retrieved ('seen'), or with both "
        "('retrieved')",
    )


@dataclass(frozen=True)
class Prefs(Share):
    """The share of preferences that the ranking fulfils: the better document is retrieved, and above the other one.

    Where documents have one grade each, every higher grade is preferred to every lower one: five preferences here, of
    which the ranking fails one, that of the 1 over the 0 above it.

    >>> from rankscale.data.judged import judged
    >>> Prefs().value(judged("2 0 1", missed="0"))
    array([0.8])

    Formula
    -------
    preferences fulfilled / preferences, added up over assessors

    User model
    ----------
    compares any two documents and wants the better one first
    """

    def combined(self, judged: Judged, groups: Iterable[Counted]) -> Floats:
        """(topic, entry + 1): what is fulfilled of what counts, added up."""
        fulfilled = np.zeros((judged.topics, judged.rank.shape[-1] + 1))
        counted = np.zeros(fulfilled.shape)
        for places, part, whole in groups:
            fulfilled[places] += part
            counted[places] += whole
        return share(fulfilled, counted)


@dataclass(frozen=True)
class PrefsGroup(Share):
    """The share of preferences that the ranking fulfils, for each assessor by itself, and the mean of these.

    With one assessor, as here, it is Prefs. An assessor who has no preference that counts is left out.

    >>> from rankscale.data.judged import judged
    >>> PrefsGroup().value(judged("2 0 1", missed="0"))
    array([0.8])

    Formula
    -------
    mean over assessors of preferences fulfilled / preferences

    User model
    ----------
    compares any two documents and wants the better one first, and any assessor may be the user
    """

    def combined(self, judged: Judged, groups: Iterable[Counted]) -> Floats:
        """(topic, entry + 1): the mean of shares."""
        return mean_share(judged, groups)


@dataclass(frozen=True)
class PrefsPair(Share):
    """The share of preferences that the ranking fulfils, for each pair of documents, and the mean of these.

    Where assessors contradict each other about a pair, the document that stands first gets its share of the votes.
    Without contradiction or repetition, as here, it is Prefs.

    >>> from rankscale.data.judged import judged
    >>> PrefsPair().value(judged("2 0 1", missed="0"))
    array([0.8])

    Formula
    -------
    mean over pairs of documents of (assessors who prefer the one ranked higher) / (assessors who prefer one of them)

    User model
    ----------
    compares any two documents and wants that one first which most assessors do
    """

    def preferences(self, judged: Judged) -> Iterator[tuple[Places, Preferences]]:
        """What rankings make of the pairs of documents, of all assessors together."""
        yield slice(None), of_pairs(judged)

    def combined(self, judged: Judged, groups: Iterable[Counted]) -> Floats:
        """(topic, entry + 1): the mean over pairs."""
        return mean_share(judged, groups)
