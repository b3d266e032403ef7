"""Chance with a memory: numbers, choices, and people whose names do not repeat."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

_WOMEN = (
    "Amara Ingrid Mei Fatima Lucía Priya Zanele Hana Odile Noor Freya Keiko Adaeze Marisol Svetlana Leilani "
    "Yasmin Giulia Nkechi Anjali Wren Paloma Sanna Thandiwe Ximena Ruth Aroha Dilnoza Esra Maeve Linh Olena "
    "Chiara Nadia Bronwyn Tala Ayesha Sunniva Delphine Rosalind Malia Katya Imani Beatriz Soraya Hye-jin Greta "
    "Ngozi Pilar Meera Elif Naomi Vesna Josephine"
)
_MEN = (
    "Kofi Mateo Haruto Tomasz Rahul Omar Lars Sione Diego Emeka Bao Pavel Tariq Andrei Kwame Hamish Joaquín Yusuf "
    "Nikolai Ravi Eero Caleb Minh Anton Zubair Stefan Kenji Thabo Ignacio Bilal Rory Oskar Jun Farid Tevita Marek "
    "Samir Giovanni Arjun Henrik Musa Alejandro Ewan Viktor Nasser Idris Chidi Emil Wiremu Ronan Pieter Baraka "
    "Hugo Declan"
)


@dataclass(frozen=True, slots=True)
class Person:
    """A name and its pronouns."""

    name: str
    he: str
    him: str
    his: str

    def __str__(self) -> str:
        return self.name

    @property
    def He(self) -> str:
        """The pronoun at the start of a sentence."""
        return self.he.capitalize()

    @property
    def His(self) -> str:
        """The possessive at the start of a sentence."""
        return self.his.capitalize()


class Draw:
    """Seeded draws. Uses only `randrange`, whose stream does not change between Python versions."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)
        self._women, self._men = _WOMEN.split(), _MEN.split()

    def roll(self, low: int, high: int, step: int = 1) -> int:
        """Return low, low + step, ... up to `high` at most."""
        return self._random.randrange(low, high + 1, step)

    def pick(self, *options: T) -> T:
        """Return one of the options."""
        return options[self._random.randrange(len(options))]

    def such(self, draw: Callable[[], T], fits: Callable[[T], bool]) -> T:
        """Draw until it fits."""
        while not fits(drawn := draw()):
            pass
        return drawn

    def person(self) -> Person:
        """Return somebody who has not been drawn before."""
        return self.she() if self._random.randrange(2) else self.him()

    def she(self) -> Person:
        """Return a woman or a girl."""
        return Person(self._women.pop(self._random.randrange(len(self._women))), "she", "her", "her")

    def him(self) -> Person:
        """Return a man or a boy."""
        return Person(self._men.pop(self._random.randrange(len(self._men))), "he", "him", "his")
