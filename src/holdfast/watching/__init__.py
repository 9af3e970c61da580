"""What a master can tell from the messages of many rounds: who sends copies, and who stands against the rest."""

from holdfast.watching.judge import Judge, Opinion, opinion_in
from holdfast.watching.sides import differences

__all__ = ["Judge", "Opinion", "differences", "opinion_in"]
