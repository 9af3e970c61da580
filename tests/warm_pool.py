"""What a process of a pool has done before it gets its work: imported holdfast, read the digits, loaded kernels."""

import holdfast.studies.pool  # noqa: F401
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec

run(Spec(data="digits", rounds=1))
