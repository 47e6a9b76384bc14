"""What countries are called, from CLDR by Babel."""

from babel import localedata
from babel.core import get_global


def tag(identifier):
    """CLDR's identifier of a locale as a language tag (BCP 47)."""
    return identifier.replace("_", "-")


def names():
    """(tag, country, name) of all that CLDR says of a locale itself, not of those it takes the rest from."""
    for identifier in sorted(localedata.locale_identifiers()):
        own = localedata.load(identifier, merge_inherited=False).get("territories", {})
        for country, name in sorted(own.items()):
            if len(country) == 2 and country.isalpha() and country not in ("ZZ", "EU", "EZ", "UN", "XA", "XB"):
                yield tag(identifier), country, name


def codes():
    """(code, country): each country's own, and others that are used for it, like USA and UK."""
    territories = set(get_global("territory_zones"))
    yield from ((country, country) for country in sorted(territories))
    for code, meant in sorted(get_global("territory_aliases").items()):
        if code.isalpha() and len(meant) == 1:
            yield code, meant[0]


def parents():
    """(tag, tag of the locale that knows the rest), where that is not the tag less its last part."""
    found = {tag(locale): tag(parent) for locale, parent in get_global("parent_exceptions").items()}
    scripts = {}
    for identifier, likely in get_global("likely_subtags").items():
        language, *more = identifier.split("_")
        scripts[identifier] = likely.split("_")[1]
    for identifier, script in scripts.items():
        language, *more = identifier.split("_")
        # Taiwan writes Chinese in another script than most who do, so zh-TW is to be read as zh-Hant-TW.
        if len(more) == 1 and len(more[0]) in (2, 3) and scripts.get(language, script) != script:
            found.setdefault(tag(identifier), f"{language}-{script}-{more[0]}")
    known = {tag(identifier) for identifier in localedata.locale_identifiers()}
    for alias, meant in get_global("language_aliases").items():
        if tag(meant) in known and tag(alias) not in known:
            found.setdefault(tag(alias), tag(meant))
    for locale in known:
        language, *more = locale.split("-")
        # What is written otherwise than usual takes nothing from the usual: zh-Hant's next is English, not zh.
        if len(more) == 1 and len(more[0]) == 4 and scripts.get(language, more[0]) != more[0]:
            found.setdefault(locale, "en")
    return sorted(found.items())
