"""The wait for compiled kernels, which comes once per machine."""

from holdfast.cli.console import Speaker


def tell_when_compiling(speaker: Speaker) -> None:
    """Say so when kernels are compiled, which happens once on a machine."""
    from holdfast.kernels import loading

    def say() -> None:
        speaker.news("compiling kernels for this machine, once; up to half a minute")

    loading.announce = say
