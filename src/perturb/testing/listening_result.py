"""What a recogniser answered in a listening test, beside what guessing would have scored.

References
----------
C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case
of the binomial", Biometrika 26, 1934, 404–413 (the exact interval).
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Answer", "ListeningResult"]

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
