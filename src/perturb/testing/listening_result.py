"""What a recogniser answered in a listening test, beside what guessing would have scored.

References
----------
C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case
of the binomial", Biometrika 26, 1934, 404–413 (the exact interval).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

__all__ = ["Answer", "ListeningResult", "listening_table"]

_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Answer:
    """What a recogniser made of one clip.

    Parameters
    ----------
    clip : str
        Name of the clip.
    chosen : int or None
        Place of the option that fits best; None where none fits at all, which is not right.
    right : int
        Place of the right one.
    words_heard : float
        Share of the spoken words heard in order, 0 to 1.
    word_count : int
        Number of words spoken.
    """

    clip: str
    chosen: int | None
    right: int
    words_heard: float
    word_count: int

    @property
    def is_right(self) -> bool:
        """Whether it is the sentence that was spoken."""
        return self.chosen == self.right


@dataclass(frozen=True)
class ListeningResult:
    """All answers, and what guessing would have scored.

    Parameters
    ----------
    answers : tuple of Answer
        One per clip asked, in the order of the test.
    option_count : int
        Options per question, k.
    not_asked : tuple of str
        Clips of the test that there was no sound for.
    """

    answers: tuple[Answer, ...]
    option_count: int
    not_asked: tuple[str, ...] = ()

    @property
    def asked(self) -> int:
        """Number of clips asked."""
        return len(self.answers)

    @property
    def right(self) -> int:
        """Number of clips of which the right sentence was chosen."""
        return sum(answer.is_right for answer in self.answers)

    @property
    def share(self) -> float:
        """Share of right answers, 0 to 1."""
        return self.right / self.asked

    @property
    def interval(self) -> tuple[float, float]:
        """Exact 95 % interval of the share (Clopper and Pearson), taking clips as independent."""
        from scipy.stats import binomtest

        found = binomtest(self.right, self.asked).proportion_ci(_CONFIDENCE, method="exact")
        return float(found.low), float(found.high)

    @property
    def chance(self) -> float:
        """Share that a guess has right: one of k."""
        return 1.0 / self.option_count

    @property
    def chance_range(self) -> tuple[int, int]:
        """Numbers of right answers between which independent guesses stay in at least 95 %."""
        from scipy.stats import binom

        low, high = binom.interval(_CONFIDENCE, self.asked, self.chance)
        return int(low), int(high)

    @property
    def p_value(self) -> float:
        """Exact probability that guesses have at least so many right."""
        from scipy.stats import binomtest

        test = binomtest(self.right, self.asked, self.chance, alternative="greater")
        return float(test.pvalue)

    @property
    def words_heard(self) -> float:
        """Share of all spoken words heard in order, 0 to 1."""
        heard = sum(answer.words_heard * answer.word_count for answer in self.answers)
        return heard / sum(answer.word_count for answer in self.answers)

    def only(self, clips: Collection[str]) -> ListeningResult:
        """Return the answers about some clips."""
        return replace(self, answers=tuple(one for one in self.answers if one.clip in clips))


def listening_table(results: Mapping[str, ListeningResult], baseline: str) -> str:
    """Return a Markdown table: what was heard in each condition, and what a guess would have.

    Words are those heard in order, as a share of what is heard of the same clips in the condition
    called `baseline`.

    Parameters
    ----------
    results : mapping of str to ListeningResult
        By condition; all of one test.
    baseline : str
        The condition that the others are compared with: the originals.
    """
    lines = [
        "| condition | right | exact 95 % interval | guesses, in 95 % | words, of the original's |",
        "|---|---|---|---|---|",
    ]
    for name, result in results.items():
        low, high = result.interval
        fewest, most = result.chance_range
        clips = {answer.clip for answer in result.answers}
        heard = result.words_heard / results[baseline].only(clips).words_heard
        lines.append(
            f"| {name} | {result.right} of {result.asked} | {low:.2f} to {high:.2f} | "
            f"{fewest} to {most} of {result.asked} | {heard:.2f} |"
        )
    return "\n".join(lines) + "\n"
