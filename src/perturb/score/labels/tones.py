"""Which languages are tonal, by their names and ISO 639 codes; of others nothing is said."""

from __future__ import annotations

import functools

__all__ = ["is_tonal"]

_TONAL = """
th tha thai vi vie vietnamese zh zho chi cmn mandarin chinese yue cantonese nan hokkien hakka wuu lo
lao my mya bur burmese yo yor yoruba ig ibo igbo ha hau hausa hmn hmong
"""
_NOT_TONAL = """
id ind indonesian ms msa may zsm malay en eng english de deu ger german fr fra fre french es spa
spanish it ita italian pt por portuguese nl nld dut dutch ru rus russian pl pol polish ar ara arabic
hi hin hindi bn ben bengali ta tam tamil te tel telugu ur urd urdu fa fas per persian tr tur turkish
ko kor korean tl tgl fil filipino tagalog jv jav javanese su sun sundanese km khm khmer fi fin
finnish hu hun hungarian el ell gre greek he heb hebrew uk ukr ukrainian cs ces cze czech
"""
_KNOWN = {
    **dict.fromkeys(_TONAL.split(), True),
    **dict.fromkeys(_NOT_TONAL.split(), False),
}


@functools.lru_cache(maxsize=1024)
def is_tonal(language: str | None) -> bool | None:
    """Return whether a language is tonal; None where its name is not known here.

    Examples
    --------
    >>> is_tonal("Thai"), is_tonal("id"), is_tonal("th-TH"), is_tonal("Elvish")
    (True, False, True, None)
    """
    word = (language or "").casefold().replace("_", "-").partition("-")[0]
    return _KNOWN.get(word.strip())
