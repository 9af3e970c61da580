"""What a master can tell from messages alone: which workers send copies, and which differ from the rest."""

from holdfast.watching.judge import Every, Judge, Near, Ratio
from holdfast.watching.opinion import Account, Opinion, make_room, opinion_in
from holdfast.watching.sides import differences
