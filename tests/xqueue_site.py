"""The queue of an Open edX site as edx-submissions makes it: `python xqueue_site.py FOLDER < spec.json`.

Runs in a process of its own: Django over a sqlite file, with the views, the CSRF check and the permissions of
edx-submissions; the submissions of the specification are put into the queue with its API, as the LMS does. Prints the
port. `/test/state` tells what is stored by then; `/test/age` makes everything that was taken from the queue six minutes
older. Nothing of the grader is here.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import django
from django.conf import settings

NAME, QUEUE, PASSWORD = "watcher", "q", "a pass:word&"
Start = Callable[[str, list[tuple[str, str]]], object]


def set_up(database: str, media: str) -> None:
    """Django with the apps that edx-submissions needs, and an empty database."""
    settings.configure(
        SECRET_KEY="of a test",
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF=__name__,
        USE_TZ=True,
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": database}},
        DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        MEDIA_ROOT=media,
        MEDIA_URL="/media/",
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
        ],
        INSTALLED_APPS=[
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "django.contrib.sessions",
            "rest_framework",
            "submissions",
        ],
    )
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def fill(spec: list[dict[str, Any]]) -> None:
    """The user that watches, and the submissions."""
    from django.contrib.auth.models import Group, User
    from django.core.files.base import ContentFile
    from submissions.api import create_external_grader_detail

    User.objects.create_user(NAME, password=PASSWORD).groups.add(Group.objects.create(name="xqueue"))
    User.objects.create_user("student", password=PASSWORD)

    class Upload:
        """What the LMS hands to the API."""

        def __init__(self, name: str, text: str) -> None:
            self.file = ContentFile(text.encode("utf-8"), name)

    for one in spec:
        create_external_grader_detail(
            {"student_id": one["id"], "course_id": "c", "item_id": "i", "item_type": "problem"},
            one["answer"],
            QUEUE,
            f"key-{one['id']}",
            grader_file_name=one.get("grader", "tiny"),
            points_possible=one.get("points", 100),
            files={name: Upload(name, text) for name, text in one.get("files", {}).items()},
        )


def state() -> dict[str, Any]:
    """What the site holds by now, by student."""
    from submissions.models import ExternalGraderDetail, Score

    found = {}
    for detail in ExternalGraderDetail.objects.select_related("submission__student_item"):
        score = Score.objects.filter(submission=detail.submission).first()
        found[detail.submission.student_item.student_id] = {
            "status": detail.status,
            "failures": detail.num_failures,
            "points": None if score is None else score.points_earned,
            "of": detail.points_possible,
            "reply": detail.grader_reply,
        }
    return found


def age() -> None:
    """As if six minutes had passed."""
    from submissions.models import ExternalGraderDetail

    for detail in ExternalGraderDetail.objects.all():
        detail.status_time -= timedelta(minutes=6)
        detail.save(update_fields=["status_time"])


def application(inner: Callable[[dict[str, Any], Start], Iterable[bytes]], media: str) -> Any:
    """Django's own, and the test's two addresses beside it."""

    def app(environment: dict[str, Any], start: Start) -> Iterable[bytes]:
        path = environment["PATH_INFO"]
        if path.startswith("/test/"):
            if path == "/test/age":
                age()
            start("200 OK", [("Content-Type", "application/json")])
            return [json.dumps(state()).encode()]
        if path.startswith("/media/"):
            with open(f"{media}/{path.removeprefix('/media/')}", "rb") as file:
                content = file.read()
            start("200 OK", [("Content-Type", "application/octet-stream")])
            return [content]
        return inner(environment, start)

    return app


class Quiet(WSGIRequestHandler):
    """Says nothing of requests."""

    def log_message(self, format: str, *values: object) -> None:
        """Nothing."""


def main() -> None:
    """Serve until it is killed."""
    folder = sys.argv[1]
    set_up(f"{folder}/site.sqlite3", f"{folder}/media")
    fill(json.load(sys.stdin))
    from django.core.wsgi import get_wsgi_application

    server = make_server("127.0.0.1", 0, application(get_wsgi_application(), f"{folder}/media"), handler_class=Quiet)
    print(server.server_port, flush=True)
    server.serve_forever()


def urlpatterns_of() -> list[Any]:
    """The addresses under which the LMS has the queue."""
    from django.urls import include, path

    return [path("xqueue/", include("submissions.urls"))]


def __getattr__(name: str) -> Any:
    """Django asks this module for its addresses once it is set up."""
    if name == "urlpatterns":
        return urlpatterns_of()
    raise AttributeError(name)


if __name__ == "__main__":
    main()
