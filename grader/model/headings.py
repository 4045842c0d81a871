"""What tables of people call their columns, and what else their makers put into them.

Pure functions over strings and bytes, for whatever reads or fills such tables. Columns are known by what they are
called in English and German, and as Moodle calls them in French and Spanish.
"""

from __future__ import annotations

import codecs
import re
import unicodedata

_COLUMNS = {
    "id": (
        "id studentid studentnumber studentno sisid sisuserid sisstudentid sid userid useridentifier canvasid "
        "canvasuserid orgdefinedid identifier idnumber personid participantid participant rosteridentifier learnerid "
        "matrikelnummer matrikelnr matrikel matrnr martrikelnummer idnummer kennnummer teilnehmernummer teilnehmerid "
        "studierendennummer personennummer identifiant identificador numérodidentification númerodeid"
    ),
    "login": (
        "login loginid sisloginid username user netid uniqname accountname account githubusername github handle "
        "nomdutilisateur nombredeusuario benutzername benutzerkennung anmeldename nutzername kennung loginname"
    ),
    "email": (
        "email emailaddress mail mailaddress emailadresse mailadresse universityemail adressedecourriel courriel "
        "adresseemail direccióndecorreo correoelectrónico direccióndeemail"
    ),
    "name": (
        "name student studentname fullname displayname learner vollständigername vollername studierende nomcomplet "
        "nombrecompleto"
    ),
    "first": "firstname first givenname forename vorname vornamen rufname prénom prénoms nombre nombres",
    "last": "lastname last surname familyname nachname familienname zuname nom nomdefamille apellido apellidos",
    "group": "group groupname team teamname gruppe gruppenname groups",
    "extension": (
        "extension extended extendeduntil extendedto due duedate dueat extendeddue newduedate deadline "
        "verlängerung verlängerungbis frist abgabefrist abgabetermin fristverlängerung"
    ),
}
_KIND = {word: kind for kind, words in _COLUMNS.items() for word in words.split()}
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_POINTS_ROWS = ("points possible", "mögliche punkte", "punkte möglich")
_TEST_STUDENTS = frozenset({"student, test", "test student", "test, student"})


def kind_of(heading: str) -> str:
    """What a column holds by its heading, as `id`, `login`, `email`, `name`; empty if it is none of ours."""
    return _KIND.get(re.sub(r"[\W_]+", "", unicodedata.normalize("NFC", heading).casefold()), "")


def value_of(cell: str) -> str:
    """A cell's text, without what spreadsheets and Brightspace put around an id to keep it one."""
    text = cell.strip().strip("\ufeff")
    if found := re.fullmatch(r'="(.*)"', text):
        text = found[1]
    return text.removeprefix("#").removeprefix("'").strip()


def is_no_person(name: str) -> bool:
    """Whether a row is Canvas's own: the points, or the student that a teacher can turn into."""
    plain = " ".join(name.split()).casefold()
    return plain.startswith(_POINTS_ROWS) or plain in _TEST_STUDENTS


def encoding_of(content: bytes) -> tuple[bytes, str]:
    """The mark at the beginning of a text, empty if there is none, and the encoding of what comes behind it."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return mark, encoding
    if b"\0" in content[:200]:
        return b"", "utf-16-le" if content[1:2] == b"\0" else "utf-16-be"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return b"", "cp1252"
    return b"", "utf-8"
