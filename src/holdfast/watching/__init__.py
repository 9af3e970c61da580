"""What a master can tell from the messages of many rounds: who sends copies, and who stands against the rest."""

from holdfast.watching.judge import Every, Judge, Near, Ratio
from holdfast.watching.opinion import Account, Opinion, make_room, opinion_in
from holdfast.watching.sides import differences, words_of
