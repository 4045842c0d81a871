"""What Moodle calls the columns of its grading worksheet, in the languages of most users.

Strings alone, in the command, as of Moodle's language packs (`mod/assign/lang/*/assign.php`). Where none of them fits,
columns are told by their places and by what is in them.
"""

from __future__ import annotations

GRADES = frozenset(
    {"grade", "bewertung", "note", "calificación", "calificacion", "valutazione", "nota", "cijfer", "beoordeling"}
    | {"avaliação", "ocena", "оценка", "成绩", "成績", "評点", "성적", "not", "karakter", "betyg"}
)
MAXIMA = frozenset(
    {"maximum grade", "bestwertung", "höchstbewertung", "maximalbewertung", "note maximale", "calificación máxima"}
    | {"calificación máxima posible", "valutazione massima", "nota máxima", "maximumcijfer", "hoogste cijfer"}
    | {"avaliação máxima", "cualificación máxima", "maksymalna ocena", "максимальная оценка", "最高分"}
)
SCALES = frozenset({"scale", "skala", "wertungsskala", "barème", "escala", "scala", "schaal"})
COMMENTS = ("comment", "kommentar", "coment", "commenti", "opmerking")
"""What the heading of the column of comments holds."""
NO = frozenset({"no", "nein", "non", "não", "nee", "nej", "nei", "nie", "нет", "否", "いいえ", "아니요", "hayır", "ei"})
NO_MARKS = ("feedback", "rückmeldung", "retroalimentación", "letter", "percentage", "prozent", "pourcentage")
"""What the heading of a column of the gradebook holds that is no plain mark."""
PARTICIPANT = "Participant"
"""What the worksheet calls people in English; files are named so where names are hidden."""
