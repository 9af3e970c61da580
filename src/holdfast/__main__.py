"""The command `holdfast`, also as `python -m holdfast`: Ctrl-C while it loads shows no traceback."""

import sys

from holdfast.errors import INTERRUPTED


def main() -> int:
    """Load the command and run it."""
    try:
        from holdfast.cli import main as command

        return command()
    except KeyboardInterrupt:
        print("holdfast: interrupted", file=sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
