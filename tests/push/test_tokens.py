"""The token: where it may come from, and that it never comes out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.errors import UsageProblem
from grader.push.tokens import Token, read_token
from grader.push.urls import checked_url

SECRET = "aTokenOfTwentyLetters"


def test_from_the_environment() -> None:
    assert read_token("X_TOKEN", {"X_TOKEN": f" {SECRET}\n"}, None).reveal() == SECRET
    with pytest.raises(UsageProblem, match="X_TOKEN"):
        read_token("X_TOKEN", {"X_TOKEN": " "}, None)


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_from_a_file_of_ones_own(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "token"
    file.write_text(f"{SECRET}\n")
    file.chmod(mode)
    assert read_token("X_TOKEN", {"X_TOKEN": "another-one"}, file).reveal() == SECRET


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o620, 0o610, 0o666])
def test_not_from_a_file_that_others_can_open(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "token"
    file.write_text(SECRET)
    file.chmod(mode)
    with pytest.raises(UsageProblem, match="chmod 600") as caught:
        read_token("X_TOKEN", {}, file)
    assert SECRET not in str(caught.value)


def test_not_from_anything_else(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(UsageProblem):
            read_token("X_TOKEN", {}, path)
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(UsageProblem, match="no ordinary file"):
        read_token("X_TOKEN", {}, tmp_path / "pipe")


@pytest.mark.skipif(not hasattr(os, "chown") or os.geteuid() != 0, reason="only root can give files away")
def test_not_from_a_file_of_somebody_else(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(SECRET)
    file.chmod(0o600)
    os.chown(file, 12345, 12345)
    with pytest.raises(UsageProblem, match="somebody else"):
        read_token("X_TOKEN", {}, file)


@pytest.mark.parametrize("text", ["short", f"{SECRET}\r\nX-Other: 1", f"{SECRET} {SECRET}", f"{SECRET}ü"])
def test_what_is_no_token_is_not_shown(text: str) -> None:
    with pytest.raises(UsageProblem, match="holds no token") as caught:
        read_token("X_TOKEN", {"X_TOKEN": text}, None)
    assert text not in str(caught.value)


def test_it_hides() -> None:
    token = Token(SECRET)
    assert SECRET not in f"{token} {token!r} {[token]}"
    assert token.hidden_in(f"no token {SECRET} here") == "no token [token] here"


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://Canvas.Example.edu/", "https://canvas.example.edu"),
        ("https://example.edu/moodle/", "https://example.edu/moodle"),
        ("http://localhost:8080", "http://localhost:8080"),
        ("http://127.0.0.2", "http://127.0.0.2"),
        ("http://[::1]:80/", "http://[::1]:80"),
    ],
)
def test_addresses(text: str, url: str) -> None:
    assert checked_url(text, insecure=False) == url


@pytest.mark.parametrize(
    "text",
    [
        "canvas.example.edu",
        "ftp://example.edu",
        "http://canvas.example.edu",
        "http://localhost.example.edu",
        "https://me:secret@example.edu",
        "https://example.edu?x=1",
        "https://example.edu:port",
        "https://",
        "http://127.0.0.1@example.edu",
        "http://10.0.0.1",
    ],
)
def test_addresses_that_are_refused(text: str) -> None:
    with pytest.raises(UsageProblem, match="--url"):
        checked_url(text, insecure=False)


def test_unencrypted_only_when_told() -> None:
    assert checked_url("http://canvas.example.edu", insecure=True) == "http://canvas.example.edu"
