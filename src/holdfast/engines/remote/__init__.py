"""Workers in several processes, on one machine or many, over any transport. docs/engines.md explains it."""

from holdfast.engines.remote.member import divide
from holdfast.engines.remote.remote_engine import Remote
from holdfast.engines.remote.station import Agreement, Station
