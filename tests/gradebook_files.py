"""Gradebooks as platforms export them, in their dialects, for tests; and results to put into them."""

from __future__ import annotations

import codecs
from typing import Any

from grader.model.result import AssignmentInfo, Environment, GradeResult, Isolation, SubmissionInfo
from grader.model.submission import Person


def result(student: str, score: float | None = 75.0, name: str = "", **about: Any) -> GradeResult:
    """A result of `hw1`, ungraded where the score is None."""
    fields = {"status": "graded" if score is not None else "ungraded", "max_score": 100.0, **about}
    members = [Person(*member) for member in fields.pop("members", [])]
    handed_in_as = fields.pop("handed_in_as", [])
    id = fields.pop("id", student.replace(" ", "-"))
    submission = SubmissionInfo(id, student, None, "", [], name=name, members=members, handed_in_as=handed_in_as)
    values: dict[str, Any] = {
        "schema_version": 1,
        "assignment": AssignmentInfo("hw1", "1", "Attention"),
        "submission": submission,
        "reason": None,
        "score": score,
        "checks": [],
        "notices": [],
        "stdout": "",
        "stderr": "",
        "environment": Environment("1", "3", "2", "2", "Linux"),
        "isolation": Isolation("B", []),
        "seconds": 0.0,
    }
    return GradeResult(**(values | fields))


CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,HW1 (4321),HW2 (4322),Final Score
,,,,,Manual Posting,,
    Points Possible,,,,,100.0,100.0,(read only)
"O'Neil, Zoë",12345,s0012,zoneil,CS231-01,,1.5,75.00
"García López, Ana",12346,s0013,agarcia,"CS231-01, and
CS231-02",80.00,,
"Roe, ""JJ"" Jo",12347,0014,jroe,CS231-01,EX,,
"Student, Test",99,,ab12,CS231-01,,,
"""
CANVAS_SEMICOLON = """\
\ufeffStudent;ID;SIS User ID;SIS Login ID;Section;HW1 (4321);HW2 (4322)\r
    Points Possible;;;;;20,00;10,00\r
O'Neil, Zoë;12345;s0012;zoneil;"A;B";;1,50\r
"García López, Ana";12346;s0013;agarcia;A;"7,5";\r
"""

MOODLE = {
    "en": (
        'Identifier,"Full name","Email address",Status,Grade,"Maximum grade","Grade can be changed",'
        '"Last modified (submission)","Last modified (grade)","Feedback comments"',
        ("Participant ", "100.00", "Yes", "No"),
    ),
    "de": (
        'ID,"Vollständiger Name",E-Mail-Adresse,Status,Bewertung,Bestwertung,"Bewertung kann geändert werden",'
        '"Zuletzt geändert (Abgabe)","Zuletzt geändert (Bewertung)","Feedback als Kommentar"',
        ("Teilnehmer/in", "100,00", "Ja", "Nein"),
    ),
    "fr": (
        'Identifiant,"Nom complet","Adresse de courriel",Statut,Note,"Note maximale","La note peut être modifiée",'
        '"Dernière modification (travail remis)","Dernière modification (note)","Feedback par commentaires"',
        ("Participant", "100,00", "Oui", "Non"),
    ),
    "es": (
        'Identificador,"Nombre completo","Dirección de correo",Estado,Calificación,"Calificación máxima",'
        '"La calificación puede ser cambiada","Última modificación (entrega)","Última modificación (calificación)",'
        '"Comentarios de retroalimentación"',
        ("Participante ", "100,00", "Sí", "No"),
    ),
    "unknown": (
        "Azonosító,Teljes név,E-mail,Állapot,Pont,Legtöbb,Módosítható,Leadva,Pontozva,Megjegyzés",
        ("Résztvevő ", "100,00", "Igen", "Nem"),
    ),
}
"""Headings of the worksheet by language; what participants, the maximum, yes and no are called."""


def moodle(lang: str) -> str:
    """The worksheet in a language; its second grade cannot be changed."""
    headings, (participant, most, yes, no) = MOODLE[lang]
    rows = [
        f'"{participant}29123","Zoë O\'Neil",zoe@example.edu,"Submitted",,"{most}",{yes},"Sunday, 29 November",-,',
        f'"{participant}29124","Wei Chen",wei@example.edu,"Submitted",,"{most}",{no},"Sunday",-,"Well done"',
        f'"{participant}29125","Wei Chen",wei2@example.edu,"Submitted",,"{most}",{yes},-,-,',
    ]
    return "\n".join([headings, *rows]) + "\n"


MOODLE_GRADES = """\
First name,Last name,ID number,Institution,Department,Email address,Assignment: HW1 (Real),Assignment: HW1 (Feedback),\
Course total (Real),Last downloaded from this course
Zoë,O'Neil,0012,,,zoe@example.edu,-,,12.50,1796000000
Ana,García López,0013,,,ana@example.edu,80.00,good,80.00,1796000000
"""

BLACKBOARD = codecs.BOM_UTF16_LE + (
    '"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Last Access"\t"Availability"\t'
    '"Weighted Total [Total Pts: up to 100 Percentage] |101"\t"HW1 [Total Pts: 50 Score] |12345"\r\n'
    '"O\'Neil"\t"Zoë"\t"zoneil"\t"0012"\t"2026-11-30"\t"Yes"\t""\t""\r\n'
    '"García López"\t"Ana"\t"agarcia"\t="0013"\t"2026-11-30"\t"Yes"\t""\t"Needs Marking"\r\n'
).encode("utf-16-le")

BRIGHTSPACE = (
    "OrgDefinedId,Username,Last Name,First Name,"
    '"HW1 Points Grade <Numeric MaxPoints:100 Weight:10 Category:Labs, all CategoryWeight:20>",HW1 note Text Grade,'
    "End-of-Line Indicator\r\n"
    "#s0012,#zoneil,O'Neil,Zoë,,,#\r\n"
    "#s0013,#agarcia,García,Ana,80,,#\r\n"
)

GRADESCOPE = """\
First Name,Last Name,SID,Email,Sections,HW1,HW1 - Max Points,HW1 - Submission Time,HW1 - Lateness (H:M:S)
Zoë,O'Neil,0012,zoe@example.edu,,,40.0,,
Ana,García López,0013,ana@example.edu,,30.0,40.0,2026-11-29 10:14:00 -0800,00:00:00
"""
