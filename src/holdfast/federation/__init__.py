"""What a server makes of the replies of nodes that it does not trust; no network library is imported here."""

from holdfast.federation.aggregation import Aggregation
from holdfast.federation.node_reports import Report, Verdict
from holdfast.federation.rounds import Reply, Rounds
