"""Names as they are compared: without case, marks and punctuation. `FoldedName` of Places does the same."""

import unicodedata

# Letters that carry their mark inside them, and those that lose their case in two ways.
PLAIN = str.maketrans(
    {"ß": "ss", "ς": "σ", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe"}
)
DROPPED = "'’‘ʼʻʹ`´"


def folded(name):
    """`name` in small letters; everything between them that is neither letter nor digit is one space."""
    letters = []
    for character in unicodedata.normalize("NFKD", name):
        if unicodedata.combining(character) or character in DROPPED:
            continue
        # One by one: a whole word's small letters would depend on where a letter stands.
        letters.append(character.lower() if unicodedata.category(character)[0] in "LNM" else " ")
    # The small letter of one with a mark may be two.
    small = "".join(c for c in "".join(letters).translate(PLAIN) if not unicodedata.combining(c))
    return " ".join(small.split())
