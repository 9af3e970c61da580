"""What it takes until the command answers: `holdfast --help` beside `import numpy`, and the first line of a run.

python -m benchmarks.start_up     # processor seconds, least of several; the first line by the clock
"""

import os
import resource
import subprocess
import sys
from tempfile import TemporaryDirectory
from time import perf_counter

TIMES = 7
COMMANDS = {
    "import numpy": ["-c", "import numpy"],
    "holdfast --help": ["-m", "holdfast", "--help"],
    "holdfast run --help": ["-m", "holdfast", "run", "--help"],
    "import holdfast; holdfast.run": ["-c", "import holdfast; holdfast.run"],
}
RUN = ["-m", "holdfast", "run", "--data", "digits", "--method", "rsa", "--attack", "sign-flip", "--byzantine", "4"]
COMPILED = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
"""An environment with byte code, as an installation has: the first of several times writes it."""


def processor_seconds(words: list[str]) -> float:
    """Return the processor time that a Python process takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], capture_output=True, check=True, env=COMPILED)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def first_line() -> float:
    """Return the seconds until a run says its first line."""
    with TemporaryDirectory() as folder:
        begun = perf_counter()
        words = [sys.executable, "-u", *RUN, "--rounds", "20", "--out", f"{folder}/run"]
        with subprocess.Popen(words, stderr=subprocess.STDOUT, stdout=subprocess.PIPE, env=COMPILED) as process:
            assert process.stdout is not None
            process.stdout.readline()
            seconds = perf_counter() - begun
            process.communicate()
    return seconds


def main() -> None:
    least = {name: min(processor_seconds(words) for _ in range(TIMES)) for name, words in COMMANDS.items()}
    for name, seconds in least.items():
        print(f"{name}: {seconds:.2f} s of processor time, {seconds / least['import numpy']:.1f} times import numpy")
    print(f"first line of holdfast run: {min(first_line() for _ in range(TIMES)):.2f} s")


if __name__ == "__main__":
    main()
