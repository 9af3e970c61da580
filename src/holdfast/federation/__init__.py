"""A server's side of a federation whose nodes are not trusted. No network library is imported here."""

from holdfast.federation.aggregation import Aggregation
from holdfast.federation.node_reports import Report, Verdict
from holdfast.federation.rounds import Reply, Rounds
