"""Every method under every attack, judged by the worst that an attacker did to it: `holdfast arena`."""

from holdfast.arena.choosing import choose_factors
from holdfast.arena.leaderboard import Leaderboard, Standing
from holdfast.arena.plan import Arena, Condition, Task
from holdfast.arena.playing import place_of, play_arena
from holdfast.arena.presets import PRESETS
from holdfast.arena.scores import BoutResult
