-- The places database; `geodata/build.py` fills it, Places reads it.
-- Raised with every change that a reader has to know of, which opens no other.
PRAGMA user_version = 1;
-- "lplc": what the file is, for readers and file(1).
PRAGMA application_id = 0x6C706C63;
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
-- Names of countries, by language tag. Locales without a row here take their names from the tag less its last part.
CREATE TABLE country_names (locale TEXT, country TEXT, name TEXT NOT NULL, PRIMARY KEY (locale, country)) WITHOUT ROWID;
CREATE TABLE locales (tag TEXT PRIMARY KEY, parent TEXT NOT NULL) WITHOUT ROWID;
-- The same in all languages, to be searched, with the codes.
CREATE TABLE country_search (name TEXT, country TEXT, PRIMARY KEY (name, country)) WITHOUT ROWID;
CREATE TABLE areas (id INTEGER PRIMARY KEY, country TEXT NOT NULL, code TEXT NOT NULL, name TEXT);
CREATE TABLE area_search (name TEXT, area INTEGER, PRIMARY KEY (name, area)) WITHOUT ROWID;
-- `countries` are those it is of, divided by spaces, that with most places first.
CREATE TABLE zones (id INTEGER PRIMARY KEY, name TEXT NOT NULL, countries TEXT NOT NULL);
-- `line` counts from the south pole, 256 a degree; see borders.py.
CREATE TABLE borders (line INTEGER PRIMARY KEY, runs BLOB NOT NULL);
-- Hundred-thousandths of a degree. The smaller `id`, the more people live there.
CREATE VIRTUAL TABLE places USING rtree_i32(
    id, south, north, west, east, +name TEXT, +country TEXT, +area INTEGER, +zone INTEGER, +population INTEGER);
CREATE TABLE names (name TEXT, place INTEGER, PRIMARY KEY (name, place)) WITHOUT ROWID;
