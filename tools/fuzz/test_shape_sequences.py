"""Our shape environment beside torch's, on random sequences of questions."""

from __future__ import annotations

import random

import pytest

from tools.fuzz import shape_sequences


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_ours_answers_as_torch_does_and_accepts_what_it_accepts() -> None:
    assert shape_sequences.differences(seed=0, count=300) == []


def test_sequences_have_everything_in_them() -> None:
    rng = random.Random(0)
    sequences = [shape_sequences.record(rng) for _ in range(40)]
    kinds = {row["kind"] for sequence in sequences for row in sequence["inputs"]}
    assert kinds == {"size", "int", "float", "tensor"}
    policies = {row.get("policy") for sequence in sequences for row in sequence["inputs"]}
    assert "Unbacked" in policies
    answers = [row["answer"] for sequence in sequences for row in sequence["asked"]]
    assert {True, False, None} <= set(answers)
    accepted = [row["accepted"] for sequence in sequences for row in sequence["samples"]]
    assert 0.05 < sum(accepted) / len(accepted) < 0.95
