"""The page on agreement with PyTorch says what the tests do."""

from __future__ import annotations

import re

from . import page, scope


def test_page_lists_what_is_left_out():
    assert page.left_out() in page.PAGE.read_text()


def test_page_names_every_answer_that_is_not_asked_for():
    notes = page.NOTES
    for name in (*scope.INACCURATE, *scope.REFUSED, *scope.WRONG_GRADIENTS):
        assert f"`{name}`" in notes


def test_page_counts_what_it_says():
    rows = re.findall(
        r"^\| `?([\w.]+)`? \| (\d+) \| (\d+) \| (\d+) \|$", page.PAGE.read_text(), re.M
    )
    numbers = {name: tuple(map(int, row)) for name, *row in rows}
    total = numbers.pop("all")
    assert set(numbers) == set(scope.GROUPS)
    assert total == tuple(map(sum, zip(*numbers.values(), strict=True)))
    assert total[2] == len(scope.LEFT_OUT)


def test_entries_belong_to_the_longest_group():
    assert scope.group_of("nn.functional.relu") == "torch.nn.functional"
    assert scope.group_of("linalg.inv") == "torch.linalg"
    assert scope.group_of("special_add") == "torch"


def test_written_page_shows_failures():
    text = page.written("1.0", {"add": "passed", "linalg.inv": "ValueError: no"})
    assert "| `torch` | 1 | 1 |" in text
    assert "| `torch.linalg` | 0 | 1 |" in text
    assert "Not yet: `linalg.inv`." in text
