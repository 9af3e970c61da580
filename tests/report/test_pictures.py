"""Pictures of a comparison: one for each partition, under names that differ."""

from dataclasses import replace

from holdfast.report.comparison_page import comparison_pictures
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec


def test_two_partitions_of_one_kind_have_a_picture_each() -> None:
    base = Spec(data="digits", workers=4, rounds=2, eval_every=1)
    texts = ("dirichlet:alpha=0.5", "dirichlet:alpha=5", "dirichlet:alpha=0.05")
    results = [run(replace(base, partition=Spec.of({"partition": text}).partition)) for text in texts]
    names = [name for name, _ in comparison_pictures(results)]
    assert len(names) == len(set(names)) == 12
