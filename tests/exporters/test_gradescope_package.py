"""The zip for Gradescope, unpacked as its harness does and run in a container like its own."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from containers import SOURCES, Container, Workshop, needs_container

METADATA = {
    "id": 1,
    "created_at": "2026-02-04T14:31:11.000000-08:00",
    "assignment": {"due_date": "2026-02-03T23:59:00.000000-08:00", "late_due_date": None, "total_points": "20.0"},
    "users": [{"email": "zoe@example.edu", "id": 7, "name": "Zoë O'Neil"}],
    "previous_submissions": [],
}


@needs_container
@pytest.mark.full
def test_the_package_gives_the_marks_of_grade_without_namespaces(workshop: Workshop) -> None:
    source = workshop.package("gradescope", "--hidden-checks", "report", "--seconds", "60")
    environment = workshop.installed(source)
    expected = workshop.expected
    for name, text in SOURCES.items():
        autograder = workshop.folder / f"autograder-{name}"
        (autograder / "submission").mkdir(parents=True)
        (autograder / "submission" / "tiny.py").write_text(text)
        (autograder / "submission_metadata.json").write_text(json.dumps(METADATA))
        (autograder / "run_autograder").write_bytes((source / "run_autograder").read_bytes())
        (autograder / "run_autograder").chmod(0o755)
        (autograder / "source").mkdir()
        container = Container({"/autograder": autograder, "/autograder/source": source}, {"/opt/grader": environment})
        ran = container.run(["/autograder/run_autograder"], cwd="/autograder")
        assert ran.returncode == 0, ran.stderr
        found = json.loads((autograder / "results" / "results.json").read_bytes())
        assert found["score"] == pytest.approx(expected[name]["score"] / 5), name  # 20 points there, 100 here
        statuses = {test["tags"][0]: test["tags"][1] for test in found["tests"]}
        assert statuses == {check["id"]: check["status"] for check in expected[name]["checks"]}, name
        assert {test["visibility"] for test in found["tests"]} <= {"visible"}


@needs_container
@pytest.mark.full
def test_setup_installs_the_pinned_versions_and_they_grade(workshop: Workshop) -> None:
    """The real installation, as Gradescope builds its image; the packages come from wherever this machine has them."""
    source = workshop.package("gradescope", "--hidden-checks", "report", "--seconds", "120")
    autograder, environment = workshop.folder / "built", workshop.folder / "environment"
    (autograder / "source").mkdir(parents=True)
    (autograder / "submission").mkdir()
    (autograder / "submission" / "tiny.py").write_text(SOURCES["wrong"])
    (autograder / "run_autograder").write_bytes((source / "run_autograder").read_bytes())
    (autograder / "run_autograder").chmod(0o755)
    environment.mkdir()
    installers = {str(path): path for path in Path("/opt").iterdir() if path.name != "grader"}
    container = Container(
        {"/autograder": autograder, "/autograder/source": source, "/opt/grader": environment}, installers
    )
    pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    built = container.run(["bash", "/autograder/source/setup.sh"], environment=pip, seconds=900)
    assert built.returncode == 0, built.stdout + built.stderr
    ran = container.run(["/autograder/run_autograder"], cwd="/autograder")
    assert ran.returncode == 0, ran.stderr
    found = json.loads((autograder / "results" / "results.json").read_bytes())
    assert found["score"] == workshop.expected["wrong"]["score"]
    assert "neither the student nor the time is known" in ran.stderr
    frozen = container.run(["/opt/grader/bin/python", "-m", "pip", "freeze"]).stdout
    listed = frozen.replace("+cpu", "").replace("_", "-").lower()
    assert set((source / "requirements.txt").read_text().splitlines()) <= set(listed.split())
