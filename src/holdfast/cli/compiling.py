"""The one wait that comes only once."""

from holdfast.cli.console import Speaker


def tell_when_compiling(speaker: Speaker) -> None:
    """Let the first compilation on this machine be announced."""
    from holdfast.kernels import loading

    def say() -> None:
        speaker.say("compiling kernels for this machine, once; up to half a minute")

    loading.announce = say
