"""Fixtures with a release. Their addresses come from the suite that starts these tests (environment variables)."""

import os

import pytest

from share_scores import Release


@pytest.fixture(scope="session", params=["SHARE_FOLDER", "SHARE_FILES", "SHARE_SERVER"])
def where(request: pytest.FixtureRequest) -> str:
    """A release in a folder, behind nginx, and at a server."""
    given = os.environ[request.param]
    return f"{given}/releases/latest" if request.param == "SHARE_SERVER" else given


@pytest.fixture
def release(where: str) -> Release:
    return Release(where)


@pytest.fixture
def folder() -> Release:
    return Release(os.environ["SHARE_FOLDER"])
